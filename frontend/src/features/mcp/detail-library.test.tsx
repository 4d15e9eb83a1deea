import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Insert, ServerRow } from "../../contract/types";
import { Runner } from "../../lib/run";
import { content, FakeHost, row } from "../../platform/fake";
import { ServerDetailPanel } from "./detail";

async function open(tab: "Resources" | "Prompts", prepare: (fake: FakeHost) => void = () => {}, part: Partial<ServerRow> = {}) {
  const fake = new FakeHost();
  fake.state.resources = {
    resources: [
      { uri: "docs://readme.md", name: "readme", title: "Read me", description: "Begin here", mimeType: "text/markdown", size: 2048 },
      { uri: "docs://data.json", name: "data", title: "", description: "", mimeType: "application/json", size: 0 },
      { uri: "docs://logo", name: "logo", title: "", description: "", mimeType: "image/png", size: 0 },
    ],
    templates: [{ uriTemplate: "docs://page/{number}", name: "page", title: "", description: "One page", mimeType: "", variables: ["number"], invalid: "" }],
    followed: ["docs://data.json"], changed: [], canSubscribe: true,
  };
  fake.state.prompts = [{ name: "greet", title: "Greet somebody", description: "Says hello", arguments: [{ name: "who", title: "", description: "whom", required: true }] }];
  prepare(fake);
  const runner = new Runner();
  const host = fake.host();
  const onInsert = vi.fn((_: Insert) => {});
  const draw = (now: Partial<ServerRow>) => <ServerDetailPanel name="docs" row={row({ name: "docs", resourceCount: 3, promptCount: 1, ...now })} host={host} runner={runner} onClose={() => {}} onVerb={() => {}} onSignIn={() => {}} onInsert={onInsert} />;
  const view = render(draw(part));
  const user = userEvent.setup();
  await user.click(await screen.findByRole("tab", { name: new RegExp(`^${tab}`) }));
  return { fake, user, onInsert, again: (now: Partial<ServerRow>) => view.rerender(draw(now)), calls: (name: string) => fake.calls.filter((each) => each[0] === name).map((each) => each.slice(1)) };
}

const lines = (name: string) => within(screen.getByRole("list", { name })).getAllByRole("listitem").map((each) => each.textContent);

test("resources are listed with type, size and marks, filtered, and read again when they changed", async () => {
  const { user, fake, again, calls } = await open("Resources");
  await screen.findByRole("list", { name: "Resources of docs" });
  expect(screen.getByRole("tab", { name: "Resources 3" })).toBeTruthy();
  expect(lines("Resources of docs")).toEqual(["Read medocs://readme.mdtext/markdown · 2.0 KB", "datasubscribeddocs://data.jsonapplication/json", "logodocs://logoimage/png"]);
  expect(lines("Resource templates of docs")).toEqual(["pagetemplatedocs://page/{number}"]);
  await user.type(screen.getByRole("searchbox", { name: "Filter resources" }), "read");
  expect(lines("Resources of docs")).toHaveLength(1);
  fake.state.resources = { ...fake.state.resources, changed: ["docs://readme.md"] };
  again({ libraryRev: 2 });
  await screen.findByText("changed");
  expect(calls("serverResources")).toHaveLength(2);
  await user.click(screen.getByRole("button", { name: "List the resources again" }));
  await waitFor(() => expect([calls("forgetLibrary"), calls("serverResources").length]).toEqual([[["docs"]], 3]));
});

test("a resource is read and shown as what it is, followed, and mentioned", async () => {
  const { user, fake, calls, onInsert, again } = await open("Resources", (fake) => { fake.state.read = [content({ kind: "resource", text: "# Hello", mimeType: "text/markdown" })]; });
  await user.click(await screen.findByRole("button", { name: "Read me" }));
  const view = screen.getByRole("region", { name: "Resource Read me" });
  await within(view).findByRole("heading", { name: "Hello" });
  await user.click(within(view).getByRole("button", { name: "Source" }));
  expect(within(view).getByLabelText("Source of Read me").textContent).toBe("# Hello");
  await user.click(within(view).getByRole("button", { name: "Mention in message" }));
  expect(onInsert).toHaveBeenCalledWith({ text: "", mentions: [{ server: "docs", uri: "docs://readme.md", name: "Read me", held: "" }] });
  await user.click(within(view).getByRole("switch", { name: "Subscribe to Read me" }));
  expect(calls("subscribeResource")).toEqual([["docs", "docs://readme.md", true]]);
  fake.state.resources = { ...fake.state.resources, changed: ["docs://readme.md"], followed: ["docs://readme.md"] };
  again({ libraryRev: 2 });
  expect(await within(view).findByRole("status")).toMatchObject({ textContent: "changed since it was read" });
  await user.click(within(view).getByRole("button", { name: "Read again" }));
  expect(calls("readResource")).toHaveLength(2);
  await user.click(within(view).getByRole("button", { name: "All resources" }));
  fake.state.read = [content({ kind: "resource", text: '{"a":[1]}', mimeType: "application/json" }), content({ kind: "image", url: "/media/ab", mimeType: "image/png" }), content({ kind: "resource", mimeType: "application/zip", size: 4 })];
  await user.click(screen.getByRole("button", { name: "data" }));
  expect(await screen.findByRole("group", { name: "data, part 1" })).toBeTruthy();
  expect(screen.getByRole("img", { name: "data, part 2" }).getAttribute("src")).toBe("/media/ab");
  expect(screen.getByText("Binary (application/zip), 4 bytes: not shown here.")).toBeTruthy();
});

test("what cannot be read says why", async () => {
  const { user } = await open("Resources", (fake) => { fake.refuse.readResource = { code: "invalid", message: "MCP server docs refused to read docs://logo" }; });
  await user.click(await screen.findByRole("button", { name: "logo" }));
  expect((await screen.findByRole("alert")).textContent).toBe("MCP server docs refused to read docs://logo");
});

test("a template asks for its variables, completes them and reads what they name", async () => {
  const { user, calls } = await open("Resources", (fake) => { fake.state.uri = "docs://page/12"; fake.state.completions = ["12", "13"]; fake.state.read = [content({ kind: "resource", text: "page twelve" })]; });
  await user.click(await screen.findByRole("button", { name: "page" }));
  const read = screen.getByRole<HTMLButtonElement>("button", { name: "Read" });
  expect(read.disabled).toBe(true);
  await user.type(screen.getByRole("combobox", { name: /number/ }), "1");
  await user.click(await screen.findByRole("option", { name: "12" }));
  expect(calls("completeArgument").at(-1)).toEqual(["docs", { prompt: "", template: "docs://page/{number}", argument: "number", value: "1", known: {} }]);
  await user.click(read);
  await screen.findByText("page twelve");
  expect([calls("expandTemplate"), calls("readResource")]).toEqual([[["docs://page/{number}", { number: "12" }]], [["docs", "docs://page/12"]]]);
});

test("a prompt is filled in, looked at and used", async () => {
  const outcome = { description: "A greeting", messages: [{ role: "user", content: content({ kind: "text", text: "Greet Ann." }) }], text: "Greet Ann.", mentions: [] };
  const { user, calls, onInsert } = await open("Prompts", (fake) => { fake.state.prompt = outcome; });
  expect(await screen.findByRole("tab", { name: "Prompts 1" })).toBeTruthy();
  await user.click(await screen.findByRole("button", { name: "Greet somebody" }));
  const get = screen.getByRole<HTMLButtonElement>("button", { name: "Get" });
  expect([get.disabled, get.title]).toEqual([true, "Fill in who first"]);
  await user.type(screen.getByRole("combobox", { name: /who/ }), "Ann");
  await user.click(get);
  expect(within(await screen.findByRole("region", { name: "Messages of the prompt" })).getByText("Greet Ann.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Use in message" }));
  expect(onInsert).toHaveBeenCalledWith({ text: "Greet Ann.", mentions: [] });
  expect(calls("getPrompt")).toEqual([["docs", "greet", { who: "Ann" }]]); // what is shown is what is used
});

test.each<[string, Partial<ServerRow>, (fake: FakeHost) => void, string]>([
  ["not connected", { state: "error" }, () => {}, "Its resources are known while it is connected."],
  ["nothing there", {}, (fake) => { fake.state.resources = { ...fake.state.resources, resources: [], templates: [] }; }, "This server offers no resources."],
  ["refused", {}, (fake) => { fake.refuse.serverResources = { code: "invalid", message: "MCP server docs is gone" }; }, "MCP server docs is gone"],
])("the tab says why it shows nothing: %s", async (_, part, prepare, want) => {
  await open("Resources", prepare, part);
  expect(await screen.findByText(want)).toBeTruthy();
});
