import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ServerForm } from "../../contract/types";
import { Runner } from "../../lib/run";
import { FakeHost } from "../../platform/fake";
import { blank, ServerFormDialog } from "./server-form";
import { filled, merged, offerOf, problemsOf } from "./server-form-rules";

const form = (part: Partial<ServerForm>): ServerForm => ({ ...blank("a"), command: "npx", ...part });

function open(part: Partial<Parameters<typeof ServerFormDialog>[0]> = {}) {
  const fake = new FakeHost();
  const onSave = vi.fn((_: ServerForm) => Promise.resolve(""));
  const onClose = vi.fn();
  const runner = new Runner();
  render(<ServerFormDialog initial={blank()} taken={["old"]} canEnable host={fake.host()} runner={runner} onSave={onSave} onClose={onClose} {...part} />);
  return { fake, onSave, onClose, runner, user: userEvent.setup(), calls: (name: string) => fake.calls.filter((each) => each[0] === name) };
}

test.each<[string, ServerForm, string[], string[]]>([
  ["a whole stdio server", form({}), [], []],
  ["no name", form({ name: " " }), [], ["Give the server a name"]],
  ["a name that is there", form({ name: "old " }), ["old"], ["old is defined already: choose another name or edit that one"]],
  ["no transport", form({ type: "" }), [], ["missing MCP transport type"]],
  ["an unknown transport", form({ type: "ws" }), [], ["unsupported MCP transport: ws"]],
  ["no command", form({ command: " " }), [], ["stdio transport requires command"]],
  ["no URL", form({ type: "sse" }), [], ["sse transport requires url"]],
  ["no URL of the other kind", form({ type: "streamable_http" }), [], ["streamable_http transport requires url"]],
  ["a URL without a scheme", form({ type: "sse", url: "example.com" }), [], ["The URL starts with http:// or https://"]],
  ["a URL from the environment", form({ type: "sse", url: "${env:MCP_URL}" }), [], []],
  ["entries", form({ env: ["A", "", "A", "B=C"].map((name) => ({ name, value: "", hasValue: false })) }), [], ["Needs a name", "A is there twice", "A name has no ="]],
  ["headers of a stdio server do not count", form({ headers: [{ name: "", value: "", hasValue: false }] }), [], []],
  ["a header that is none", form({ type: "sse", url: "http://a", headers: [{ name: "X Y", value: "", hasValue: false }] }), [], ["A header's name has letters, digits and - only"]],
])("%s: what is wrong", (_, it, taken, want) => {
  expect(problemsOf(it, taken).map((each) => each.text)).toEqual(want);
});

test.each([["npx -y pkg", "Use as a command line"], ["npx", ""], ["/opt/my\\ program", ""], ['{"mcpServers":{}}', "Use as another client's JSON"], ["https://a.test/mcp", "Use as a URL"], ["", ""], ["{", ""]])("%s is offered as: %s", (text, want) => {
  expect(offerOf(text)).toBe(want);
});

test("a pasted form keeps the name that the person gave, and what is enabled", () => {
  expect(filled(form({ name: "mine", enable: false }), form({ name: "theirs", command: "uvx" }), true)).toMatchObject({ name: "mine", command: "uvx", enable: false });
  expect(filled(form({ name: "first" }), form({ name: "second" }), false).name).toBe("second");
  expect(filled(form({ name: "mine" }), form({ name: "" }), false).name).toBe("mine");
});

test("what another program changed meanwhile is kept; of a part that both changed mine is, and it is named", () => {
  const value = (name: string, value = "") => ({ name, value, hasValue: true });
  const began = form({ args: ["a"], env: [value("A")] });
  const theirs = form({ args: ["a", "theirs"], env: [value("A"), value("B")], enable: false });
  expect(merged(began, form({ args: ["a"], env: [value("A")], cwd: "/mine" }), theirs)).toEqual({ form: { ...theirs, cwd: "/mine" }, both: [] });
  const mine = form({ args: ["mine"], env: [value("A", "typed")], enable: false });
  expect(merged(began, mine, theirs)).toEqual({ form: mine, both: ["arguments", "environment"] });
  expect(merged(began, began, began)).toEqual({ form: began, both: [] });
});

test("Save over what another program changed asks once, and a refusal stands in the dialog", async () => {
  const initial = form({ cwd: "/began" });
  const { fake, user, onSave, onClose } = open({ initial, edits: "a" });
  fake.state.form = form({ cwd: "/theirs", args: ["theirs"] });
  await user.type(screen.getByLabelText("Working folder"), "/mine");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("Another program changed the working folder of a meanwhile. Save again to put yours in its place."));
  expect(onSave).not.toHaveBeenCalled();
  expect(screen.getByLabelText("Arguments, one per line")).toHaveProperty("value", "theirs");
  onSave.mockResolvedValueOnce("mcp.json cannot be read");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("mcp.json cannot be read"));
  expect(onClose).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  expect(onSave.mock.calls.at(-1)).toEqual([form({ cwd: "/began/mine", args: ["theirs"] })]);
});

test("errors stand at their fields as they are typed, and the form says the first", async () => {
  const { user, onSave } = open();
  const name = screen.getByLabelText("Name");
  expect(document.activeElement).toBe(name);
  expect(screen.getByRole("alert").textContent).toBe("");
  await user.type(name, "old");
  expect(name).toHaveProperty("ariaInvalid", "true");
  expect(document.getElementById(name.getAttribute("aria-describedby") ?? "")?.textContent).toContain("old is defined already");
  await user.type(name, "er");
  expect(name.hasAttribute("aria-invalid")).toBe(false);
  expect(screen.getByRole("alert").textContent).toContain("needs a command");
  await user.click(screen.getByRole("radio", { name: "sse" }));
  await user.type(screen.getByLabelText("URL"), "x");
  expect(screen.getByLabelText("URL").getAttribute("aria-invalid")).toBe("true");
  await user.clear(screen.getByLabelText("URL"));
  await user.type(screen.getByLabelText("URL"), "https://a.test/sse{Enter}");
  expect(onSave.mock.calls).toEqual([[{ ...blank("older"), type: "sse", url: "https://a.test/sse" }]]);
});

test("values are masked until they are shown, each on its own", async () => {
  const { user } = open({ initial: form({ env: [{ name: "KEY", value: "", hasValue: true }, { name: "TWO", value: "v", hasValue: false }] }), edits: "a" });
  const value = screen.getByLabelText<HTMLInputElement>("Environment value 1");
  expect([value.type, value.placeholder]).toEqual(["password", "stored; empty keeps it"]);
  await user.click(screen.getByRole("button", { name: "Show Environment value 2" }));
  expect(screen.getByLabelText<HTMLInputElement>("Environment value 2").type).toBe("text");
  expect(value.type).toBe("password");
  await user.click(screen.getByRole("button", { name: "Remove Environment KEY" }));
  expect(screen.getByLabelText<HTMLInputElement>("Environment value 1")).toMatchObject({ type: "text", value: "v" });
});

test("Escape with changes asks; without it closes; Enter with something missing keeps everything", async () => {
  const { user, onClose, onSave } = open();
  await user.type(screen.getByLabelText("Name"), "x{Enter}");
  expect(onSave).not.toHaveBeenCalled();
  expect(screen.getByLabelText("Command").getAttribute("aria-invalid")).toBe("true");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Command")));
  await user.keyboard("{Escape}");
  expect(onClose).not.toHaveBeenCalled();
  const question = screen.getByRole("group", { name: "Discard changes?" });
  await user.click(within(question).getByRole("button", { name: "Keep editing" }));
  expect(screen.getByLabelText("Name")).toHaveProperty("value", "x");
  await user.clear(screen.getByLabelText("Name"));
  await user.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledTimes(1);
});

test("Discard closes", async () => {
  const { user, onClose } = open();
  await user.type(screen.getByLabelText("Name"), "x{Escape}");
  await user.click(screen.getByRole("button", { name: "Discard" }));
  expect(onClose).toHaveBeenCalledTimes(1);
});

test("a pasted text with values in it is marked to be masked", async () => {
  const { user, fake } = open();
  fake.state.paste = { forms: [form({ name: "pg", env: [{ name: "TOKEN", value: "t", hasValue: false }] })], warnings: [] };
  const box = screen.getByLabelText("Paste a definition");
  await user.type(box, "TOKEN=t npx pg");
  await waitFor(() => expect(box.classList.contains("secret")).toBe(true));
  fake.state.paste = { forms: [form({ name: "pg" })], warnings: [] };
  await user.type(box, "2");
  await waitFor(() => expect(box.classList.contains("secret")).toBe(false));
});

test("one pasted server fills in the form, a typed name stays, warnings are shown", async () => {
  const { user, fake, calls } = open();
  fake.state.paste = { forms: [form({ name: "pg", command: "npx", args: ["-y", "pg"] })], warnings: ["autoApprove was left out"] };
  await user.type(screen.getByLabelText("Paste a definition"), "npx -y pg");
  await waitFor(() => expect(screen.getByLabelText("Name")).toHaveProperty("value", "pg"));
  expect(calls("parsePaste").at(-1)).toEqual(["parsePaste", "npx -y pg"]);
  expect(screen.getByLabelText("Arguments, one per line")).toHaveProperty("value", "-y\npg");
  expect(screen.getByText("autoApprove was left out")).toBeTruthy();
  fake.state.paste = { forms: [form({ name: "pg2" })], warnings: [] };
  await user.type(screen.getByLabelText("Paste a definition"), "2");
  await waitFor(() => expect(screen.getByLabelText("Name")).toHaveProperty("value", "pg2"));
  await user.type(screen.getByLabelText("Name"), "!");
  fake.state.paste = { forms: [form({ name: "pg3", command: "uvx" })], warnings: [] };
  await user.type(screen.getByLabelText("Paste a definition"), "3");
  await waitFor(() => expect(screen.getByLabelText("Command")).toHaveProperty("value", "uvx"));
  expect(screen.getByLabelText("Name")).toHaveProperty("value", "pg2!");
});

test("what cannot be read is said at the box", async () => {
  const { user, fake } = open();
  fake.refuse.parsePaste = { code: "invalid", message: "this is neither a command nor JSON" };
  await user.click(screen.getByLabelText("Paste a definition"));
  await user.paste("?");
  expect(await screen.findByText("this is neither a command nor JSON")).toBeTruthy();
  expect(screen.getByLabelText("Paste a definition").getAttribute("aria-invalid")).toBe("true");
});

test("several pasted servers are chosen from and added in order; what failed is named and stays", async () => {
  const { user, fake, calls, onClose, runner } = open();
  fake.state.paste = { forms: [form({ name: "old" }), form({ name: "b" }), form({ name: "c" }), form({ name: "d", command: "" })], warnings: [] };
  await user.click(screen.getByLabelText("Paste a definition"));
  await user.paste("{}");
  const list = await screen.findByRole("list", { name: "Pasted servers" });
  expect(within(list).getByText("exists already: choose another name")).toBeTruthy();
  expect(within(list).getAllByRole("checkbox").map((each) => (each as HTMLInputElement).checked)).toEqual([false, true, true, false]);
  await user.type(within(list).getByLabelText("Name 1"), "er");
  expect(within(list).getByRole("checkbox", { name: "Add older" })).toHaveProperty("checked", true);
  await user.click(within(list).getByRole("checkbox", { name: "Add d" }));
  expect(screen.getByRole("alert").textContent).toBe("d: stdio transport requires command");
  expect(screen.getByRole("button", { name: "Add 4 servers" })).toHaveProperty("disabled", true);
  await user.click(within(list).getByRole("checkbox", { name: "Add d" }));
  fake.refuse.addServer = { code: "conflict", message: "mcp.json was changed meanwhile" };
  await user.click(screen.getByRole("button", { name: "Add 3 servers" }));
  expect(await within(list).findAllByText("mcp.json was changed meanwhile")).toHaveLength(3);
  expect(onClose).not.toHaveBeenCalled();
  delete fake.refuse.addServer;
  await user.click(screen.getByRole("button", { name: "Add 3 servers" }));
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  expect(calls("addServer").slice(3).map((each) => (each[1] as ServerForm).name)).toEqual(["older", "b", "c"]);
  expect(runner.toasts.get().at(-1)?.text).toBe("Added older, b, c");
});

test("a command line in the command field is offered to be taken apart", async () => {
  const { user, fake, calls } = open();
  fake.state.paste = { forms: [form({ name: "pg", args: ["-y", "pg"] })], warnings: [] };
  await user.type(screen.getByLabelText("Command"), "npx -y pg");
  await user.click(screen.getByRole("button", { name: "Use as a command line" }));
  await waitFor(() => expect(screen.getByLabelText("Command")).toHaveProperty("value", "npx"));
  expect(calls("parsePaste")).toEqual([["parsePaste", "npx -y pg"]]);
  expect(screen.queryByRole("button", { name: "Use as a command line" })).toBeNull();
});

test("a name with markup is text", () => {
  open({ initial: form({ name: "<img src=x>" }), edits: "<img src=x>" });
  expect(screen.getByRole("dialog", { name: "Edit <img src=x>" })).toBeTruthy();
  expect(document.querySelector("img")).toBeNull();
});

test("limits and protocol are folded until they say something; a limit is in seconds", async () => {
  expect(problemsOf(form({ timeoutMs: -1 }), []).map((each) => each.field)).toEqual(["timeoutMs"]);
  expect(problemsOf(form({ callTimeoutMs: Number.NaN }), []).map((each) => each.field)).toEqual(["callTimeoutMs"]);
  const onSave = vi.fn(() => Promise.resolve(""));
  render(<ServerFormDialog initial={form({})} taken={[]} canEnable onSave={onSave} onClose={() => {}} />);
  const fold = screen.getByText("Advanced").closest("details");
  expect(fold?.open).toBe(false);
  fireEvent.change(screen.getByLabelText("Limit to connect, s"), { target: { value: "1.5" } });
  fireEvent.change(screen.getByLabelText("Protocol"), { target: { value: "2025-06-18" } });
  expect(fold?.open).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: "Add" }));
  await waitFor(() => expect(onSave.mock.calls).toEqual([[form({ timeoutMs: 1500, protocol: "2025-06-18" })]]));
});

test("what is in the file is shown, a revision that nobody knows too", () => {
  render(<ServerFormDialog initial={form({ callTimeoutMs: 90_000, protocol: "2031-01-01" })} edits="a" taken={[]} canEnable onSave={() => Promise.resolve("")} onClose={() => {}} />);
  expect(screen.getByLabelText<HTMLInputElement>("Limit of a call, s").value).toBe("90");
  expect(screen.getByLabelText<HTMLSelectElement>("Protocol").value).toBe("2031-01-01");
});

test("a limit keeps what is typed while it begins with zeros", async () => {
  const onSave = vi.fn(() => Promise.resolve(""));
  const user = userEvent.setup();
  render(<ServerFormDialog initial={form({ timeoutMs: 2000 })} edits="a" taken={[]} canEnable onSave={onSave} onClose={() => {}} />);
  const field = screen.getByLabelText<HTMLInputElement>("Limit to connect, s");
  await user.clear(field);
  await user.type(field, "0.05");
  expect(field.value).toBe("0.05");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(onSave.mock.calls).toEqual([[form({ timeoutMs: 50 })]]));
});
