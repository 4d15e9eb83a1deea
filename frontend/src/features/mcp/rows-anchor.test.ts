import { expect, test } from "vitest";
import { Anchor, shifted, type Ground } from "./rows-anchor";

/** A list of rows in a box 200 high below a head of 30, drawn like a browser would. */
class List implements Ground {
  private at = 0;
  get scrollTop() { return this.at; }
  set scrollTop(to: number) { this.at = Math.min(Math.max(0, to), Math.max(0, this.room + this.lead + this.tail)); }
  readonly view = 200;
  lead = 0;
  tail = 0;
  constructor(public rows: [name: string, height: number][]) {}
  get height() { return this.rows.reduce((sum, [, height]) => sum + height, 0); }
  get room() { return 30 + this.height - this.view; }
  places() {
    let y = 30 + this.lead;
    return this.rows.map(([name, height]) => { const place = { name, y, height }; y += height; return place; });
  }
  space(lead: number, tail: number) { this.lead = lead; this.tail = tail; }
  /** Where a row is in the box. */
  seen(name: string) { return (this.places().find((each) => each.name === name)?.y ?? NaN) - this.scrollTop; }
  /** What the browser does when the list became shorter. */
  clamp() { this.scrollTop = this.at; }
}
const list = (count: number, height = 40) => new List(Array.from({ length: count }, (_, at) => [`r${at}`, height]));
const grow = (it: List, name: string, height: number) => { it.rows = it.rows.map(([each, was]) => [each, each === name ? height : was]); it.clamp(); };

test.each([
  [{ scrollTop: 100, lead: 0 }, 30, 500, { scrollTop: 130, lead: 0, tail: 0 }],
  [{ scrollTop: 10, lead: 0 }, -30, 500, { scrollTop: 0, lead: 20, tail: 0 }],
  [{ scrollTop: 0, lead: 20 }, 30, 500, { scrollTop: 10, lead: 0, tail: 0 }],
  [{ scrollTop: 0, lead: 0 }, 30, 10, { scrollTop: 30, lead: 0, tail: 20 }],
  [{ scrollTop: 0, lead: 0 }, 30, -100, { scrollTop: 30, lead: 0, tail: 130 }],
  [{ scrollTop: 0, lead: 30 }, 30, -100, { scrollTop: 0, lead: 0, tail: 0 }],
])("%o moved by %i of %i is %o", (at, delta, room, want) => { expect(shifted(at, delta, room)).toEqual(want); });

test.each([["that fits", 3], ["that is short", 4], ["that scrolls", 40]])("the row under the pointer stays while one above grows and shrinks, in a list %s", (_, count) => {
  const it = list(count);
  const anchor = new Anchor(it, 30);
  anchor.point(30 + 2 * 40 + 5);
  for (const height of [70, 40, 10, 40, 90]) {
    grow(it, "r0", height);
    anchor.settle();
    expect(it.seen("r2")).toBe(110);
  }
  anchor.point(undefined);
  expect([it.lead, it.tail]).toEqual([0, 0]);
  expect(it.scrollTop).toBeLessThanOrEqual(Math.max(0, it.room));
});

test("rows that come, go and change places above the pointer do not move the one under it", () => {
  const it = list(40);
  it.scrollTop = 400;
  const anchor = new Anchor(it, 30);
  anchor.scrolled();
  anchor.point(100);
  const under = it.places().find((each) => each.y - it.scrollTop <= 100 && each.y + each.height - it.scrollTop > 100)!.name;
  const before = it.seen(under);
  it.rows = [["new", 67], ...it.rows];
  anchor.settle();
  expect(it.seen(under)).toBe(before);
  it.rows = it.rows.filter(([name]) => name !== "r3" && name !== "r4");
  anchor.settle();
  expect(it.seen(under)).toBe(before);
  it.rows = it.rows.toReversed();
  anchor.settle();
  expect(it.seen(under)).toBe(before);
});

test("when the row under the pointer goes, its neighbour keeps its place", () => {
  const it = list(10);
  const anchor = new Anchor(it, 30);
  anchor.point(30 + 3 * 40 + 39); // on the lower edge of r3: r4 is the nearest
  it.rows = it.rows.filter(([name]) => name !== "r3" && name !== "r0");
  anchor.settle();
  expect(it.seen("r4")).toBe(30 + 4 * 40);
});

test("the browser's own step back from an end that is no more does not count twice", () => {
  const it = list(10);
  it.scrollTop = it.room;
  const anchor = new Anchor(it, 30);
  anchor.point(150);
  const before = it.seen("r8");
  grow(it, "r0", 10);
  anchor.settle();
  expect(it.seen("r8")).toBe(before);
});

test("scrolling is no change, and is not taken back", () => {
  const it = list(40);
  const anchor = new Anchor(it, 30);
  anchor.point(100);
  it.scrollTop = 300;
  anchor.settle();
  expect(it.scrollTop).toBe(300);
  anchor.scrolled();
  grow(it, "r1", 80);
  anchor.settle();
  expect(it.scrollTop).toBe(340);
});

test("without a pointer the focused row stays, without spaces; else what is in sight of a scrolled list", () => {
  const it = list(40);
  const anchor = new Anchor(it, 30);
  anchor.focus("r2");
  grow(it, "r0", 70);
  anchor.settle();
  expect(it.seen("r2")).toBe(110);
  grow(it, "r0", 10);
  anchor.settle();
  expect([it.scrollTop, it.lead]).toEqual([0, 0]);
  anchor.focus("");
  grow(it, "r0", 70);
  anchor.settle();
  expect(it.scrollTop).toBe(0); // the top stays the top
  it.scrollTop = 200;
  anchor.scrolled();
  const before = it.seen("r8");
  it.rows = [...it.rows.filter(([name]) => name !== "r5"), ["r5", 40]]; // the first in sight is sorted to the end
  anchor.settle();
  expect(it.seen("r8")).toBe(before);
});

test("another list begins at its beginning", () => {
  const it = list(40);
  const anchor = new Anchor(it, 30);
  it.scrollTop = 300;
  anchor.scrolled();
  anchor.reset();
  expect(it.scrollTop).toBe(0);
});
