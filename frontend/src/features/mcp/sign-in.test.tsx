import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { MCPSnapshot, ServerRow, SignIn } from "../../contract/types";
import { Runner } from "../../lib/run";
import { Latest } from "../../lib/store";
import { FakeHost, row, signIn } from "../../platform/fake";
import { Board } from "./board";
import { cure, sentence } from "./words";

const URL = "https://login.test/authorize?client_id=a&state=b";
const NEEDS = { name: "notes", type: "streamable_http", state: "error", cause: "sign_in", action: "sign_in", reason: "https://notes.test asks for sign-in" } as const;
afterEach(() => { vi.useRealTimers(); });

function board(...rows: ServerRow[]) {
  const fake = new FakeHost();
  const runner = new Runner();
  let snapshot: MCPSnapshot = { ...fake.state.mcp, rows };
  const store = new Latest<MCPSnapshot>(snapshot);
  render(<Board store={store} host={fake.host()} runner={runner} demoCommand="" wide={false} onWide={() => {}} />);
  const says = (signIn?: SignIn, part: Partial<ServerRow> = {}) => act(() => {
    snapshot = { ...snapshot, rev: snapshot.rev + 1, rows: [row({ ...NEEDS, ...part, signIn })] };
    store.take(snapshot);
  });
  return { fake, runner, user: userEvent.setup(), says, calls: (name: string) => fake.calls.filter((each) => each[0] === name), told: () => runner.toasts.get().map((each) => each.text) };
}
const button = (name: string) => screen.getByRole("button", { name });

test("Sign in, then the row waits with the link and the way out, and says when it is done", async () => {
  const { user, calls, says, told } = board(row(NEEDS));
  await user.click(button("Sign in notes"));
  expect(calls("signIn")).toEqual([["signIn", "notes", ""]]);

  says(signIn({ state: "waiting" }));
  expect(screen.getByRole("row", { name: "notes" }).textContent).toContain("Asking how to sign in");
  expect(screen.queryByRole("button", { name: "Copy link of notes" })).toBeNull();
  says(signIn({ state: "waiting", url: URL, untilMs: Date.now() + 170_000 }));
  expect(within(screen.getByRole("row", { name: "notes" })).getByRole("status").textContent).toBe("Waiting for the browser3 min left");
  expect(screen.queryByRole("button", { name: "Sign in notes" })).toBeNull();
  await user.click(button("Copy link of notes"));
  expect(calls("copyText")).toEqual([["copyText", URL]]);
  await user.click(button("Cancel sign-in to notes"));
  expect(calls("cancelSignIn")).toEqual([["cancelSignIn", "notes"]]);

  says(signIn({ state: "signed_in" }), { state: "busy", stage: "connect", action: undefined, cause: "" });
  expect(told()).toContain("Signed in to notes");
  says(signIn({ state: "signed_in" }), { state: "connected", action: undefined, cause: "" });
  expect(screen.queryByRole("button", { name: /sign-in|Sign in/ })).toBeNull();
});

test("a sign-in that waits for its turn says so and can be left", async () => {
  const { user, calls } = board(row({ ...NEEDS, signIn: signIn({ state: "queued" }) }));
  expect(screen.getByText("Waiting until another sign-in is over")).toBeTruthy();
  await user.click(button("Cancel sign-in to notes"));
  expect(calls("cancelSignIn")).toHaveLength(1);
});

test("a sign-in that was restored is no news", () => {
  expect(board(row({ ...NEEDS, state: "connected", action: undefined, signIn: signIn({ state: "signed_in" }) })).told()).toEqual([]);
});

test("what went wrong is the row's sentence, with Sign in to try again", () => {
  const refused = row({ ...NEEDS, signIn: signIn({ state: "failed", message: "You refused access at login.test" }) });
  expect([sentence(refused), cure(refused)]).toEqual(["You refused access at login.test", "Sign in"]);
  const since = row({ ...NEEDS, action: "edit", cause: "dns", reason: "the host was not found", signIn: refused.signIn });
  expect([sentence(since), cure(since)]).toEqual(["the host was not found", "Edit"]);
});

test("where no browser opens, the row says so beside the link", () => {
  board(row({ ...NEEDS, signIn: signIn({ state: "waiting", url: URL, message: "No program opens a browser here: copy the link." }) }));
  expect(screen.getByText("No program opens a browser here: copy the link.")).toBeTruthy();
  expect(button("Copy link of notes")).toBeTruthy();
});

test("a connected server that wants more, or whose sign-in ended, offers Sign in", () => {
  const fine = row({ ...NEEDS, state: "connected", action: undefined, signIn: signIn({ state: "signed_in" }) });
  expect([sentence(fine), cure(fine)]).toEqual(["", undefined]);
  const wants = { ...fine, signIn: signIn({ state: "signed_in", wants: ["notes:write"] }) };
  expect([sentence(wants), cure(wants)]).toEqual(["notes wants more access than you allowed: notes:write. Sign in again to allow it", "Sign in"]);
  const ended = { ...fine, signIn: signIn({ state: "failed", message: "It was taken back. Sign in again." }) };
  expect([sentence(ended), cure(ended)]).toEqual(["It was taken back. Sign in again.", "Sign in"]);
});

test("the last minute is counted in seconds", () => {
  vi.useFakeTimers();
  board(row({ ...NEEDS, signIn: signIn({ state: "waiting", url: URL, untilMs: Date.now() + 61_000 }) }));
  expect(screen.getByText("2 min left")).toBeTruthy();
  act(() => { vi.advanceTimersByTime(2000); });
  expect(screen.getByText("59 s left")).toBeTruthy();
});

test.each<[string, unknown[][]]>([
  ["Keep in the file", [["signIn", "notes", ""], ["signIn", "notes", "file"]]], ["Only until Patchbay closes", [["signIn", "notes", ""], ["signIn", "notes", "memory"]]], ["Cancel", [["signIn", "notes", ""]]],
])("without a keyring the person says where sign-ins are kept: %s", async (answer, want) => {
  const { fake, user, calls, told } = board(row(NEEDS));
  fake.refuse.signIn = { code: "no_keyring", message: "there is no keyring", path: "/home/dev/.config/patchbay/keys.json" };
  await user.click(button("Sign in notes"));
  const dialog = await screen.findByRole("dialog", { name: "No keyring. Keep sign-ins in a file only you can read?" });
  expect(dialog.textContent).toContain("/home/dev/.config/patchbay/keys.json");
  expect(told()).toEqual([]);
  delete fake.refuse.signIn;
  await user.click(within(dialog).getByRole("button", { name: answer }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(calls("signIn")).toEqual(want);
});

test("another refusal is said", async () => {
  const { fake, user, told } = board(row(NEEDS));
  fake.refuse.signIn = { code: "invalid", message: "the session is closed" };
  await user.click(button("Sign in notes"));
  await waitFor(() => expect(told()).toEqual(["the session is closed"]));
});

test("the detail says who vouches, for what and until when, and signs out", async () => {
  vi.setSystemTime(new Date(2026, 10, 9, 12));
  const { user, calls, says } = board(row({ ...NEEDS, state: "connected", action: undefined, signIn: signIn({
    state: "signed_in", issuer: "https://login.test", scopes: ["notes:read", "notes:write"], expiresMs: new Date(2026, 10, 9, 13, 5).getTime(), renews: true, kept: "file" }) }));
  await user.click(button("Details of notes"));
  const part = await screen.findByRole("region", { name: "Sign-in" });
  expect([...part.querySelectorAll("dd")].map((each) => each.textContent)).toEqual(["https://login.test", "notes:read notes:write", "13:05, then renewed by itself", "a file only you can read"]);
  await user.click(within(part).getByRole("button", { name: "Sign out notes" }));
  expect(calls("signOut")).toEqual([["signOut", "notes"]]);
  says(undefined);
  expect(screen.queryByRole("region", { name: "Sign-in" })).toBeNull();
  expect(within(screen.getByRole("region", { name: "Details of notes" })).getByRole("button", { name: "Sign in notes" })).toBeTruthy();
});

test("the detail of a sign-in under way shows the link", async () => {
  const { user, calls } = board(row({ ...NEEDS, signIn: signIn({ state: "waiting", url: URL }) }));
  await user.click(button("Details of notes"));
  const part = await screen.findByRole("region", { name: "Sign-in" });
  expect(part.textContent).toContain(URL);
  await user.click(within(part).getByRole("button", { name: "Cancel sign-in to notes" }));
  expect(calls("cancelSignIn")).toHaveLength(1);
});
