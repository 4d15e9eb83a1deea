import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Question } from "../../contract/types";
import { Approval } from "./approvals";

const question: Question = { id: "q", sessionId: "s1", callId: "c", server: "github", tool: "create_issue", why: "Safe mode asks for every write.", previewKind: "arguments", preview: '{"title":"Raise it"}', workspaceGrant: true, atMs: 0 };

function show(part: Partial<Question> = {}, busy = false) {
  const onAnswer = vi.fn();
  render(<Approval question={{ ...question, ...part }} busy={busy} onAnswer={onAnswer} />);
  return { onAnswer, group: screen.getByRole("group", { name: `Approve ${part.tool ?? question.tool}` }) };
}

test.each([["Allow once", "allow_once"], ["Allow for session", "allow_session"], ["Allow in workspace", "allow_workspace"], ["Reject", "reject"]])("%s answers %s", async (name, decision) => {
  const { onAnswer, group } = show();
  await userEvent.click(within(group).getByRole("button", { name }));
  expect(onAnswer.mock.calls).toEqual([[decision]]);
});

test("Ctrl+Enter allows once from inside the group, Enter alone and a busy one do nothing", () => {
  const { onAnswer, group } = show();
  fireEvent.keyDown(group, { key: "Enter" });
  expect(onAnswer).not.toHaveBeenCalled();
  fireEvent.keyDown(within(group).getByRole("button", { name: "Reject" }), { key: "Enter", ctrlKey: true });
  expect(onAnswer.mock.calls).toEqual([["allow_once"]]);
});

test("a busy one takes no answer", () => {
  const { onAnswer, group } = show({}, true);
  fireEvent.keyDown(group, { key: "Enter", metaKey: true });
  expect(onAnswer).not.toHaveBeenCalled();
  expect(within(group).getAllByRole("button").filter((each) => /Allow|Reject/.test(each.textContent ?? "")).every((each) => (each as HTMLButtonElement).disabled)).toBe(true);
});

test("a short reason is said, a long one folded behind its question", async () => {
  expect(show().group.textContent).toContain("Safe mode asks for every write.");
  const long = show({ tool: "other", why: "Safe mode asks for every MCP tool that is not granted. github does not say whether it changes anything." });
  await userEvent.click(within(long.group).getByText("Why am I asked?"));
  expect(long.group.querySelector("details")?.open).toBe(true);
});

test.each([
  ["arguments", '{"title":"Raise it"}', "title", "Raise it"], ["arguments", "no json", "no json", "no json"], ["arguments", "{}", "Without arguments", "Without"],
  ["command", "ls -l", "ls -l", "ls"], ["diff", "--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n", "x.go+1−1", "- a\n+ b"],
])("what it is about to do is shown as %s: %s", (previewKind, preview, one, two) => {
  const { group } = show({ previewKind, preview });
  expect(group.textContent).toContain(one);
  expect(group.textContent).toContain(two);
});
