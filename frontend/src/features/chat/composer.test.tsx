import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { MCPSnapshot } from "../../contract/types";
import { Cell } from "../../lib/store";
import { event, FakeHost, row } from "../../platform/fake";
import { ChatStore } from "./chat-store";
import { Composer } from "./composer";
import { ServiceChips } from "./service-chips";
import { chip, cutLine, services } from "./services";

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const sendButton = () => screen.getByRole<HTMLButtonElement>("button", { name: "Send" });
const none = () => {};

test("a draft stays with its session, also when it is refused; sending keeps the focus", async () => {
  const store = new ChatStore(new FakeHost().host());
  const onSend = vi.fn(() => Promise.resolve(false));
  const draw = (id: string) => <Composer key={id} store={store} sessionId={id} running={false} disabled="" onSend={onSend} onStop={none} />;
  const view = render(draw("s1"));
  const user = userEvent.setup();
  await user.type(box(), "for one");
  view.rerender(draw("s2"));
  expect(box().value).toBe("");
  await user.type(box(), "for two");
  view.rerender(draw("s1"));
  expect(box().value).toBe("for one");
  await user.click(sendButton());
  expect(box().value).toBe("for one");
  onSend.mockResolvedValueOnce(true);
  await user.click(sendButton());
  await waitFor(() => expect(box().value).toBe(""));
  expect(document.activeElement).toBe(box());
  expect([...store.drafts]).toEqual([["s2", "for two"]]);
});

test("a message that is accepted after the session was left leaves no draft behind", async () => {
  const store = new ChatStore(new FakeHost().host());
  let accept = none as (ok: boolean) => void;
  const view = render(<Composer key="s1" store={store} sessionId="s1" running={false} disabled="" onSend={() => new Promise((done) => { accept = done; })} onStop={none} />);
  await userEvent.type(box(), "go{Enter}");
  view.rerender(<Composer key="s2" store={store} sessionId="s2" running={false} disabled="" onSend={() => Promise.resolve(true)} onStop={none} />);
  accept(true);
  await waitFor(() => expect(store.drafts.size).toBe(0));
});

test("Up in an empty field brings the last message; Send says why it cannot", async () => {
  const fake = new FakeHost();
  fake.state.transcript = { sessionId: "s1", seq: 3, runId: "", events: [event(1, { kind: "user", text: "older" }), event(2, { kind: "user", text: "the last one" }), event(3, { kind: "usage", inputTokens: 12000, outputTokens: 400, runId: "r1" })] };
  const store = new ChatStore(fake.host());
  store.show("s1");
  await waitFor(() => expect(store.loading.get()).toBe(false));
  const draw = (running: boolean, disabled: string) => <Composer store={store} sessionId="s1" running={running} disabled={disabled} onSend={() => Promise.resolve(true)} onStop={none} />;
  const view = render(draw(false, ""));
  expect(sendButton()).toMatchObject({ disabled: true, title: "Write a message first" });
  await userEvent.type(box(), "{ArrowUp}");
  expect(box().value).toBe("the last one");
  expect(sendButton().disabled).toBe(false);
  view.rerender(draw(true, ""));
  expect(sendButton().title).toContain("stop it");
  view.rerender(draw(false, "read-only here"));
  expect(sendButton().title).toBe("read-only here");
  expect(screen.getByText("12.4k")).toBeTruthy();
});

const snapshot = (rows: MCPSnapshot["rows"], cutTools: string[] = []): MCPSnapshot => ({ ...new FakeHost().state.mcp, rows, cutTools });

test("chips stand for the services of the session and say how each is", async () => {
  const rows = [row({ name: "github", toolCount: 41 }), row({ name: "playwright", state: "busy" }), row({ name: "time", lit: false }), row({ name: "off", enabled: false, state: "disabled" }), row({ name: "ghost", defined: false, state: "missing" })];
  expect(services(snapshot(rows), "/w").map((each) => each.name)).toEqual(["github", "playwright", "time", "ghost"]);
  expect(services(snapshot(rows), "").map((each) => each.name)).toEqual(["github", "playwright", "time", "off"]);
  expect(rows.slice(0, 3).map((each) => [chip(each).look, chip(each).note])).toEqual([["open", "41"], ["waiting", "busy"], ["plain", ""]]);
  expect(chip(rows[1]!).title).toContain("left out until it is connected");
  const onLight = vi.fn();
  render(<ServiceChips mcp={new Cell(snapshot(rows, ["a", "b"]))} workspace="/w" onLight={onLight} />);
  const github = screen.getByRole("button", { name: "Service github" });
  expect([github.parentElement?.textContent, github.getAttribute("aria-pressed"), github.parentElement?.className]).toEqual(["github41", "true", "service open"]);
  expect(screen.getByRole("button", { name: "Service time" }).getAttribute("aria-pressed")).toBe("false");
  await userEvent.click(github);
  await userEvent.click(screen.getByRole("button", { name: "Service time" }));
  expect(onLight.mock.calls).toEqual([["github", false], ["time", true]]);
  expect(screen.getByRole("status").textContent).toBe("2 tools are beyond the 128 of a message and left out: a, b. Turn a service off to make room.");
  expect(cutLine([])).toBe("");
});

test("services beyond the line open at its end", async () => {
  const onLight = vi.fn();
  render(<ServiceChips mcp={new Cell(snapshot(Array.from({ length: 300 }, (_, at) => row({ name: `server-${at}` }))))} workspace="/w" onLight={onLight} />);
  expect(screen.getAllByRole("button", { name: /^Service / }).length).toBeLessThan(30);
  await userEvent.click(screen.getByRole("button", { name: /more services/ }));
  await userEvent.click(await screen.findByRole("button", { name: "Service server-299" }));
  expect(onLight).toHaveBeenCalledWith("server-299", false);
});
