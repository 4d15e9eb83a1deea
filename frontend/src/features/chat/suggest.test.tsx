import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Mention, ServerPrompt, ServerResource } from "../../contract/types";
import { Cell } from "../../lib/store";
import { content, event, FakeHost, row } from "../../platform/fake";
import { ChatStore } from "./chat-store";
import { Composer } from "./composer";
import { fromTranscript } from "./reducer";
import { matching, ofResources, openServers, replaced, tokenAt } from "./suggestions";
import { toMarkdown } from "./to-markdown";
import { UserMessage } from "./user-message";

const resource = (name: string, uri = `docs://${name}`): ServerResource => ({ uri, name, title: "", description: "", mimeType: "text/plain", size: 0 });
const prompt = (name: string, ...args: string[]): ServerPrompt => ({ name, title: "", description: `does ${name}`, arguments: args.map((each) => ({ name: each, title: "", description: `the ${each}`, required: each === args[0] })) });
const mention = (name: string): Mention => ({ server: "docs", uri: `docs://${name}`, name, held: "" });

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
/** The list, once it takes keys. */
const listed = async () => {
  const list = await screen.findByRole("listbox");
  await waitFor(() => expect(box().getAttribute("aria-activedescendant")).toBeTruthy());
  return list;
};
const chips = () => screen.queryAllByRole("list", { name: "Attached resources" }).flatMap((list) => within(list).getAllByRole("listitem")).map((each) => each.textContent);

function compose(prepare: (fake: FakeHost) => void = () => {}) {
  const fake = new FakeHost();
  fake.state.mcp = { ...fake.state.mcp, rows: [row({ name: "docs" }), row({ name: "dark", lit: false }), row({ name: "down", state: "error" })] };
  fake.state.resources = { ...fake.state.resources, resources: [resource("alpha"), resource("beta"), resource("gamma", "docs://alphabet")] };
  fake.state.prompts = [prompt("greet", "who", "city"), prompt("plain")];
  prepare(fake);
  const host = fake.host();
  const store = new ChatStore(host);
  const onSend = vi.fn((_text: string, _mentions: readonly Mention[]) => Promise.resolve(true));
  const draw = () => <Composer store={store} sessionId="s1" running={false} disabled="" library={{ mcp: new Cell(fake.state.mcp), host }} onSend={onSend} onStop={() => {}} />;
  const view = render(draw());
  return { fake, store, onSend, view, draw, user: userEvent.setup(), calls: (name: string) => fake.calls.filter((each) => each[0] === name).map((each) => each.slice(1)) };
}

test.each<[string, number, ReturnType<typeof tokenAt>]>([
  ["@", 1, { trigger: "@", query: "", start: 0, end: 1 }], ["see @al now", 7, { trigger: "@", query: "al", start: 4, end: 7 }], ["see @al now", 6, { trigger: "@", query: "a", start: 4, end: 7 }],
  ["(@x", 3, { trigger: "@", query: "x", start: 1, end: 3 }], ["me@home", 7, undefined], ["see @al now", 9, undefined], ["/gr", 3, { trigger: "/", query: "gr", start: 0, end: 3 }], ["a /gr", 5, undefined], ["/greet me", 9, undefined],
])("the token of %j at %i", (text, caret, want) => expect(tokenAt(text, caret)).toEqual(want));

test("what takes a token's place", () => {
  const token = { trigger: "@", query: "al", start: 4, end: 7 } as const;
  expect([replaced("see @al now", token, ""), replaced("see @al now", token, "this")]).toEqual(["see now", "see this now"]);
});

test("a query is looked for in name, address and server, beginnings first", () => {
  const offers = [{ server: "docs", suggestions: ofResources("docs", [resource("an alpha"), resource("beta", "docs://alpha"), resource("alpha")]), error: "" }];
  const titles = (query: string) => matching(offers, query).flatMap((each) => each.suggestions.map((one) => one.title));
  expect([titles("alp"), titles("docs:a"), titles("zzz"), titles("").length]).toEqual([["alpha", "an alpha", "beta"], ["an alpha", "alpha"], [], 3]);
  expect(openServers({ ...new FakeHost().state.mcp, rows: [row({ name: "a" }), row({ name: "b", lit: false }), row({ name: "c", state: "busy" })] }).map((each) => each.name)).toEqual(["a"]);
});

test("@ offers the resources of the lit servers; the keyboard chooses; chips can be removed; Send takes them", async () => {
  const { user, onSend, calls } = compose();
  await user.type(box(), "look at @");
  const list = await listed();
  expect(list.getAttribute("aria-label")).toBe("Resources");
  expect(within(within(list).getByRole("group", { name: "docs" })).getAllByRole("option").map((each) => each.textContent)).toEqual(["alphadocs://alpha", "betadocs://beta", "gammadocs://alphabet"]);
  expect(calls("serverResources")).toEqual([["docs"]]);
  const active = () => document.getElementById(box().getAttribute("aria-activedescendant") ?? "")?.textContent;
  expect(active()).toBe("alphadocs://alpha");
  await user.keyboard("{ArrowDown}");
  expect(active()).toBe("betadocs://beta");
  await user.keyboard("{ArrowUp}{ArrowUp}{Enter}");
  expect([box().value, chips()]).toEqual(["look at ", ["docs: gamma"]]);
  await user.keyboard("@alp");
  await waitFor(() => expect(screen.getAllByRole("option").map((each) => each.textContent)).toEqual(["alphadocs://alpha", "gammadocs://alphabet"]));
  await user.click(screen.getByRole("option", { name: /alphabet/ }));
  expect(chips()).toEqual(["docs: gamma"]); // once is enough
  await user.keyboard("@beta{Enter}it");
  expect([box().value, chips()]).toEqual(["look at it", ["docs: gamma", "docs: beta"]]);
  await user.click(screen.getByRole("button", { name: "Remove gamma" }));
  await user.keyboard("{Enter}");
  expect(onSend.mock.calls).toEqual([["look at it", [mention("beta")]]]);
  await waitFor(() => expect([box().value, chips()]).toEqual(["", []]));
});

test("Enter waits for what is still being read instead of sending the message", async () => {
  let answer: (value: unknown) => void = () => {};
  const { user, onSend } = compose((fake) => {
    const host = fake.host;
    fake.host = () => new Proxy(host.call(fake), { get: (target, name: string) => (name === "serverResources" ? () => new Promise((done) => { answer = done; }) : target[name as "ready"]) });
  });
  await user.type(box(), "@beta");
  await new Promise((done) => setTimeout(done, 50)); // the list is loaded
  await user.keyboard("{Enter}");
  expect(onSend).not.toHaveBeenCalled();
  answer({ resources: [resource("beta")], templates: [], followed: [], changed: [], canSubscribe: false });
  await listed();
  await user.keyboard("{Enter}");
  expect(chips()).toEqual(["docs: beta"]);
});

test("Escape closes the list until the next word; a word that finds nothing is just a word", async () => {
  const { user, onSend } = compose();
  await user.type(box(), "@al");
  await listed();
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("listbox")).toBeNull();
  await user.keyboard("p @be");
  await listed();
  await user.keyboard("{Escape} @nothing");
  expect(screen.queryByRole("listbox")).toBeNull();
  await user.keyboard("{Enter}");
  expect(onSend.mock.calls[0]?.[0]).toBe("@alp @be @nothing");
});

test("a refused message loses nothing, and the draft comes back with its resources", async () => {
  const { user, onSend, view, draw } = compose();
  onSend.mockResolvedValue(false);
  await user.type(box(), "x @al");
  await listed();
  await user.keyboard("{Enter}{Enter}");
  expect([box().value, chips()]).toEqual(["x ", ["docs: alpha"]]);
  view.unmount();
  render(draw());
  expect([box().value, chips()]).toEqual(["x ", ["docs: alpha"]]);
  await user.clear(box());
  await user.type(box(), "{Backspace}");
  expect(chips()).toEqual([]);
});

test("/ offers prompts, asks for arguments with the server's values, and puts the text in the message", async () => {
  const { user, fake, calls } = compose();
  fake.state.completions = ["berlin", "bern"];
  fake.state.prompt = { description: "", messages: [], text: "Greet Ann of Bern.", mentions: [{ server: "docs", uri: "docs://inside", name: "", held: "h1" }] };
  await user.type(box(), "/gr");
  await listed();
  expect(screen.getByRole("option", { name: "/greet does greet" })).toBeTruthy();
  await user.keyboard("{Enter}");
  const form = await screen.findByRole("group", { name: "Arguments of greet" });
  const use = () => within(form).getByRole<HTMLButtonElement>("button", { name: "Use prompt" });
  expect([use().disabled, use().title]).toEqual([true, "Fill in who first"]);
  await user.keyboard("Ann");
  await user.type(within(form).getByRole("combobox", { name: /city/ }), "ber");
  expect((await within(form).findAllByRole("option")).map((each) => each.textContent)).toEqual(["berlin", "bern"]);
  expect(calls("completeArgument").at(-1)).toEqual(["docs", { prompt: "greet", template: "", argument: "city", value: "ber", known: { who: "Ann" } }]);
  await user.keyboard("{ArrowDown}{ArrowDown}{Enter}{Enter}");
  await waitFor(() => expect(box().value).toBe("Greet Ann of Bern."));
  expect(calls("getPrompt")).toEqual([["docs", "greet", { who: "Ann", city: "bern" }]]);
  expect(chips()).toEqual(["docs: docs://inside"]);
  expect(screen.queryByRole("group", { name: /^Arguments/ })).toBeNull();
});

test("a prompt without arguments is used at once; what goes wrong is said and can be left", async () => {
  const { user, fake } = compose((fake) => { fake.refuse.getPrompt = { code: "invalid", message: "MCP server docs refused" }; });
  await user.type(box(), "/plain");
  await listed();
  await user.keyboard("{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("MCP server docs refused");
  await user.keyboard("{Escape}");
  expect([screen.queryByRole("alert"), box().value]).toEqual([null, "/plain"]);
  expect(fake.calls.filter((each) => each[0] === "getPrompt")).toHaveLength(1);
});

test("the list says when nothing is there to choose, and what went wrong", async () => {
  const { user, fake, view } = compose((fake) => { fake.refuse.serverResources = { code: "invalid", message: "docs is gone" }; });
  await user.type(box(), "@");
  await screen.findByText("docs is gone");
  delete fake.refuse.serverResources;
  view.unmount();
  sessionStorage.clear(); // the draft
  compose((fake) => { fake.state.mcp = { ...fake.state.mcp, rows: [] }; });
  await user.type(box(), "@");
  expect((await screen.findByRole("status")).textContent).toContain("No server is connected and lit");
});

test("another part of the window puts something in the message", async () => {
  const { user, store } = compose();
  await user.type(box(), "hi");
  store.insert.set({ text: "and this", mentions: [mention("beta")] });
  await waitFor(() => expect([box().value, chips()]).toEqual(["hi\n\nand this", ["docs: beta"]]));
  expect(store.insert.get()).toBeUndefined();
});

test("a sent message shows what it carries and opens its content", async () => {
  const sent = { ...event(4, { kind: "user", text: "look" }), attached: [{ server: "docs", uri: "docs://a.md", name: "Notes", mimeType: "text/markdown", size: 2048 }] };
  const { items } = fromTranscript({ sessionId: "s1", seq: 4, runId: "", events: [sent] });
  const item = items[0]!;
  if (item.kind !== "user") throw new Error(item.kind);
  const onAttached = vi.fn(() => Promise.resolve([content({ kind: "resource", text: "# Inside", mimeType: "text/markdown" })]));
  render(<UserMessage item={item} editing={false} onEdit={() => {}} onAttached={onAttached} />);
  const chip = screen.getByRole("button", { name: "docs: Notes" });
  expect(chip.title).toBe("docs://a.md · 2.0 KB");
  fireEvent.click(chip);
  expect(await within(await screen.findByRole("region", { name: "Content of Notes" })).findByRole("heading", { name: "Inside" })).toBeTruthy();
  expect(onAttached.mock.calls).toEqual([[4, 0]]);
  fireEvent.click(chip);
  expect(screen.queryByRole("region")).toBeNull();
  expect(toMarkdown(items)).toBe("## You\n\nlook\n\n- attached from docs: Notes (docs://a.md)\n");
});
