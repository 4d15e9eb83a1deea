/** One row's place in the list, measured from the top of what scrolls. */
export interface Place { name: string; y: number; height: number }

/** The list as the anchor sees it. */
export interface Ground {
  scrollTop: number;
  /** How much of it is in sight, and how far it can scroll without the spaces: below zero when
   *  it is shorter than what is in sight. */
  readonly view: number;
  readonly room: number;
  /** The rows in their order; the space above them counts. */
  places(): Place[];
  /** Sets the empty space above and below the rows. */
  space(lead: number, tail: number): void;
}

/** Where a list has to be so that its content moves up by delta: it scrolls as far as it can,
 *  and has empty space above or below for the rest. */
export function shifted(at: { scrollTop: number; lead: number }, delta: number, room: number): { scrollTop: number; lead: number; tail: number } {
  const offset = at.scrollTop - at.lead + delta;
  return { scrollTop: Math.max(0, offset), lead: Math.max(0, -offset), tail: offset > 0 ? Math.max(0, offset - room) : 0 };
}

/** Keeps one row where it is while others come, go, change their height or their order: the one
 *  under the pointer, else the focused one; should it go itself, its nearest neighbour takes its
 *  part. Without either a scrolled list stays where most of what is in sight stays. */
export class Anchor {
  /** Where the pointer is, from the top of what is in sight; undefined when it is elsewhere. */
  private pointer: number | undefined;
  private focused = "";
  private candidates: { name: string; y: number }[] = [];
  private most = false;
  private last = 0;
  private lead = 0;
  private tail = 0;

  constructor(private readonly ground: Ground, private readonly head: number) {}

  /** The pointer moved, or left: then the empty spaces close. */
  point(y: number | undefined): void {
    this.pointer = y;
    if (y === undefined && (this.lead > 0 || this.tail > 0)) this.put(Math.min(this.moveTo(0).scrollTop, Math.max(0, this.ground.room)), 0, 0);
    this.note();
  }

  /** A row has the focus, or "" none. */
  focus(name: string): void {
    this.focused = name;
    this.note();
  }

  /** It was scrolled. */
  scrolled(): void {
    this.note();
  }

  /** Another list is shown: from its beginning. */
  reset(): void {
    this.put(0, 0, 0);
    this.note();
  }

  /** Something changed: puts the row back where it was. Before the next paint, or it is seen. */
  settle(): void {
    const now = new Map(this.ground.places().map((each) => [each.name, each.y]));
    const moves = this.candidates.flatMap((each) => { const y = now.get(each.name); return y === undefined ? [] : [y - each.y]; });
    if (this.most) moves.sort((a, b) => a - b);
    const delta = moves[this.most ? moves.length >> 1 : 0] ?? 0;
    if (Math.abs(delta) >= 1) {
      const to = this.moveTo(delta);
      if (this.pointer !== undefined) this.put(to.scrollTop, to.lead, to.tail);
      else this.put(Math.min(to.scrollTop, Math.max(0, this.ground.room)), 0, 0);
    }
    this.note();
  }

  private moveTo(delta: number) {
    const { ground } = this;
    // A list that became shorter was already moved to its end; where it was is what counts.
    const clamped = ground.scrollTop < this.last && ground.scrollTop >= ground.room + this.lead + this.tail - 1;
    return shifted({ scrollTop: clamped ? this.last : ground.scrollTop, lead: this.lead }, delta, ground.room);
  }

  private put(scrollTop: number, lead: number, tail: number): void {
    if (lead !== this.lead || tail !== this.tail) this.ground.space(lead, tail);
    this.lead = lead;
    this.tail = tail;
    if (this.ground.scrollTop !== scrollTop) this.ground.scrollTop = scrollTop;
  }

  /** Remembers where the rows are that may have to stay there, the first of them first. */
  private note(): void {
    const { ground, pointer } = this;
    this.last = ground.scrollTop;
    const top = this.last + this.head;
    const seen = ground.places().filter((each) => each.y + each.height > top && each.y < this.last + ground.view);
    const focused = pointer === undefined ? seen.find((each) => each.name === this.focused) : undefined;
    const y = pointer !== undefined ? this.last + pointer : focused ? focused.y + focused.height / 2 : this.last > 0 ? top : undefined;
    this.most = pointer === undefined && !focused;
    const distance = (each: Place) => (y === undefined ? 0 : Math.max(each.y - y, y - each.y - each.height, 0));
    this.candidates = y === undefined ? [] : [...seen].sort((a, b) => distance(a) - distance(b));
  }
}
