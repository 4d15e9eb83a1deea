import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { App } from "./app";
import { FakeHost, row } from "./platform/fake";

async function open(setup?: (fake: FakeHost) => void): Promise<FakeHost> {
  const fake = new FakeHost();
  setup?.(fake);
  render(<App host={fake.host()} />);
  await waitFor(() => expect(screen.getByRole("textbox", { name: "Message" })).toHaveProperty("disabled", false));
  return fake;
}
const commands = (fake: FakeHost, name: string) => fake.calls.filter((each) => each[0] === name);

test("settings: theme, approvals, a checked profile whose key is not shown again, and forgetting it", async () => {
  const fake = await open((f) => { f.state.settings = { ...f.state.settings, messages: ["settings.json line 3: a comma is expected"], profile: { name: "", baseUrl: "http://localhost:11434/v1", model: "qwen", hasKey: true } }; });
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Settings" }));
  const dialog = await screen.findByRole("dialog", { name: "Settings" });
  expect(within(dialog).getByRole("alert").textContent).toContain("settings.json line 3");
  expect(screen.getByRole("radio", { name: /^Safe/ })).toHaveProperty("checked", true);
  await user.click(screen.getByRole("radio", { name: "dark" }));
  await user.click(screen.getByRole("radio", { name: /^Manual/ }));
  expect(commands(fake, "setTheme")).toEqual([["setTheme", "dark"]]);
  expect(commands(fake, "setApprovalMode")).toEqual([["setApprovalMode", "manual"]]);

  await user.clear(screen.getByLabelText("Base URL"));
  await user.type(screen.getByLabelText("Base URL"), "localhost:1234");
  expect(screen.getByText(/The base URL starts with http/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Save profile" })).toHaveProperty("disabled", true);
  await user.clear(screen.getByLabelText("Base URL"));
  await user.type(screen.getByLabelText("Base URL"), "https://api.test/v1");
  const key = screen.getByLabelText<HTMLInputElement>("Key");
  expect([key.type, key.placeholder]).toEqual(["password", "stored; empty keeps it"]);
  await user.type(key, "k-1");
  await user.click(screen.getByRole("button", { name: "Save profile" }));
  expect(commands(fake, "saveProfile")).toEqual([["saveProfile", { name: "", baseUrl: "https://api.test/v1", model: "qwen", hasKey: true }, "k-1", false]]);
  await within(dialog).findByText("Saved");
  expect(key.value).toBe("");
  await user.click(screen.getByRole("button", { name: "Forget profile" }));
  expect(commands(fake, "deleteProfile")).toHaveLength(1);
  expect(screen.getByLabelText<HTMLInputElement>("Base URL").value).toBe("");
  await user.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("dialog")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Add server" }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
});

test("a key that no keyring can hold is refused aloud, and kept in the form to be sent again", async () => {
  const fake = await open((f) => {
    f.state.settings = { ...f.state.settings, profile: { name: "", baseUrl: "http://a.test/v1", model: "m", hasKey: false } };
    f.refuse.saveProfile = { code: "no_keyring", message: "there is no keyring on this machine" };
  });
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Settings" }));
  await user.type(await screen.findByLabelText("Key"), "k-2");
  await user.click(screen.getByRole("button", { name: "Save profile" }));
  expect(await screen.findByText(/no keyring on this machine/)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("Key").value).toBe("k-2");
  delete fake.refuse.saveProfile;
  await user.click(screen.getByRole("checkbox", { name: /keep the key in a file/ }));
  await user.click(screen.getByRole("button", { name: "Save profile" }));
  expect(commands(fake, "saveProfile")[1]?.slice(2)).toEqual(["k-2", true]);
});

test("the trust banner asks for the names a repository brought, and trusts only the chosen ones", async () => {
  const fake = await open((f) => { f.state.mcp = { ...f.state.mcp, rows: [row({ name: "mine" }), ...["one", "two"].map((name) => row({ name, state: "disabled", trusted: false, cause: "untrusted", action: "trust" }))] }; });
  const user = userEvent.setup();
  const banner = await screen.findByRole("group", { name: "Trust servers" });
  expect(within(banner).getAllByRole("checkbox")).toHaveLength(2);
  await user.click(within(banner).getByRole("checkbox", { name: "two" }));
  await user.click(within(banner).getByRole("button", { name: "Trust selected" }));
  expect(commands(fake, "trustServers")).toEqual([["trustServers", ["one"]]]);
  await user.click(within(banner).getByRole("checkbox", { name: "one" }));
  expect(within(banner).getByRole("button", { name: "Trust selected" })).toHaveProperty("disabled", true);
  await user.click(screen.getByRole("button", { name: "Trust two" }));
  expect(commands(fake, "trustServers")[1]).toEqual(["trustServers", ["two"]]);
});

test("an unreadable file is named with its line, opens there, and the servers stay", async () => {
  const fake = await open((f) => { f.state.mcp = { ...f.state.mcp, rows: [row({ name: "kept" })],
    fileErrors: [{ path: f.state.mcp.workspaceConfig, line: 6, column: 12, message: "a comma or ] is expected" }, { path: f.state.mcp.store, line: 2, column: 1, message: "unexpected end" }] }; });
  const [workspace, store] = await screen.findAllByRole("alert");
  expect(workspace?.textContent).toContain("/home/dev/pay/.ai4j/workspace.json line 6, column 12: a comma or ] is expected");
  await userEvent.click(within(workspace!).getByRole("button", { name: "Open" }));
  await userEvent.click(within(store!).getByRole("button", { name: "Open" }));
  expect(commands(fake, "openFile")).toEqual([["openFile", "workspace", 6], ["openFile", "store", 2]]);
  expect(screen.getByRole("row", { name: "kept" })).toBeTruthy();
});

test("edit keeps stored values without showing them and changes only what was changed", async () => {
  const fake = await open((f) => {
    f.state.mcp = { ...f.state.mcp, rows: [row({ name: "pg" })] };
    f.state.form = { name: "pg", type: "stdio", command: "npx", args: ["-y", "pg"], cwd: "", url: "", env: [{ name: "PG_URL", value: "", hasValue: true }], headers: [], enable: false, timeoutMs: 0, callTimeoutMs: 0, protocol: "" };
    f.refuse.editServer = { code: "conflict", message: "mcp.json was changed meanwhile: read it again", server: "pg" };
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Edit pg" }));
  const dialog = await screen.findByRole("dialog", { name: "Edit pg" });
  expect(screen.getByLabelText("Name")).toHaveProperty("value", "pg");
  expect(screen.getByLabelText<HTMLInputElement>("Environment value 1")).toMatchObject({ value: "", placeholder: "stored; empty keeps it" });
  expect(within(dialog).queryByRole("checkbox", { name: "Enable here" })).toBeNull();
  await user.click(within(dialog).getByRole("button", { name: "+ Add entry" }));
  expect(within(dialog).getByRole("alert").textContent).toContain("Every entry needs a name");
  await user.type(screen.getByLabelText("Environment name 2"), "PG_URL");
  expect(within(dialog).getByRole("alert").textContent).toBe("PG_URL is there twice");
  await user.click(screen.getAllByRole("button", { name: "Remove Environment PG_URL" })[1]!);
  await user.clear(screen.getByLabelText("Command"));
  await user.type(screen.getByLabelText("Command"), "bunx");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText(/changed meanwhile/)).toBeTruthy();
  expect(screen.getByRole("dialog", { name: "Edit pg" })).toBeTruthy();
  delete fake.refuse.editServer;
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(commands(fake, "editServer")[1]).toEqual(["editServer", "pg", { ...fake.state.form, command: "bunx" }]);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("the demo server of an empty board starts the program itself, whatever PATH says", async () => {
  const fake = await open();
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Add the demo server" }));
  await user.click(screen.getByRole("button", { name: "Add" }));
  expect(commands(fake, "addServer")[0]?.[1]).toMatchObject({ name: "demo", type: "stdio", command: "/opt/patchbay/patchbay", args: ["demo-server"], enable: true });
});

test("the board shows the rows of a state or a name, says so when none is left, and takes the middle", async () => {
  await open((f) => { f.state.mcp = { ...f.state.mcp, rows: [row({ name: "Alpha" }), row({ name: "beta", state: "error" }), row({ name: "alpine", state: "error" })] }; });
  const user = userEvent.setup();
  const shown = () => [...document.querySelectorAll("[data-name]")].map((each) => each.getAttribute("data-name"));
  await user.click(await screen.findByRole("button", { name: "error 2" }));
  expect(shown()).toEqual(["beta", "alpine"]);
  await user.type(screen.getByRole("searchbox", { name: "Filter servers" }), "ALP");
  expect(shown()).toEqual(["alpine"]);
  expect(screen.getByRole("grid", { name: "Servers" }).getAttribute("aria-rowcount")).toBe("2");
  await user.type(screen.getByRole("searchbox", { name: "Filter servers" }), "x");
  await user.click(screen.getByRole("button", { name: "Show all" }));
  expect(shown()).toEqual(["Alpha", "beta", "alpine"]);
  await user.click(screen.getByRole("button", { name: "Widen the board" }));
  expect(document.querySelector("main")).toHaveProperty("hidden", true);
  await user.click(screen.getByRole("button", { name: "Show the conversation" }));
  expect(document.querySelector("main")).toHaveProperty("hidden", false);
});
