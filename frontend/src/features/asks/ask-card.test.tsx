import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Ask, AskedSample } from "../../contract/types";
import { ask } from "../../platform/fake";
import { answer } from "./answers";
import { AskCard } from "./ask-card";
import { partsOf } from "./ask-link";

const schema = JSON.stringify({ type: "object", properties: { name: { type: "string", title: "Name", minLength: 2 }, size: { type: "string", enum: ["s", "l"], default: "l" } }, required: ["name"] });
const content = { kind: "text", text: "Say it", mimeType: "", url: "", uri: "", name: "", json: "" };
const sample: AskedSample = { stage: "requested", model: "qwen", system: "Be short.", messages: [{ role: "user", content }, { role: "user", content: { ...content, kind: "image", text: "", mimeType: "image/png", url: "http://evil.test/x.png" } }], maxTokens: 1000, stop: [], hints: ["small"], text: "" };

function show(part: Partial<Ask>, busy = false) {
  const onAnswer = vi.fn();
  const onLink = vi.fn();
  const view = render(<AskCard ask={ask({ id: "a", server: "srv", ...part })} busy={busy} onLink={onLink} onAnswer={onAnswer} />);
  const again = (next: Partial<Ask>) => view.rerender(<AskCard ask={ask({ id: "a", server: "srv", ...next })} busy={false} onLink={onLink} onAnswer={onAnswer} />);
  return { onAnswer, onLink, again, group: screen.getByRole("group", { name: "srv asks" }) };
}
const button = (name: string) => screen.getByRole("button", { name });

test("a form is checked, then sent with its defaults", async () => {
  const { onAnswer, group } = show({ kind: "form", message: "<b>Who</b>?", schema });
  expect(group.textContent).toContain("<b>Who</b>?");
  await userEvent.click(button("Accept"));
  expect(onAnswer).not.toHaveBeenCalled();
  expect(group.textContent).toContain("Name needs a value");
  await userEvent.type(screen.getByLabelText(/^Name/), "Ada");
  fireEvent.keyDown(screen.getByLabelText(/^Name/), { key: "Enter", ctrlKey: true });
  expect(onAnswer).toHaveBeenCalledTimes(1);
  const [[sent]] = onAnswer.mock.calls as [[ReturnType<typeof answer>]];
  expect([sent.action, JSON.parse(sent.content)]).toEqual(["accept", { name: "Ada", size: "l" }]);
});

test.each([["Decline", "decline"], ["Cancel", "cancel"]])("%s needs no form that is right", async (name, action) => {
  const { onAnswer } = show({ kind: "form", message: "?", schema });
  await userEvent.click(button(name));
  expect(onAnswer.mock.calls).toEqual([[answer(action as "decline")]]);
});

test("a form without fields is a question of yes and no; a busy one takes no answer", async () => {
  const { onAnswer } = show({ kind: "form", message: "Delete it?", schema: '{"type":"object","properties":{}}' });
  await userEvent.click(button("Accept"));
  expect(onAnswer.mock.calls).toEqual([[answer("accept", { content: "{}" })]]);
});

test("a busy card takes no answer", () => {
  const { group } = show({ kind: "form", message: "?", schema }, true);
  expect(within(group).getAllByRole<HTMLButtonElement>("button").every((each) => each.disabled)).toBe(true);
});

test("a link is shown whole with its host apart, opened by a click only, then done", async () => {
  const { onAnswer, onLink, group } = show({ kind: "link", message: "Sign in", url: "https://example.com/in?x=1" });
  expect(screen.getByLabelText("Link").innerHTML).toBe("https://<b>example.com</b>/in?x=1");
  expect(group.querySelector("a, iframe, img")).toBeNull();
  expect(onLink).not.toHaveBeenCalled();
  await userEvent.click(button("Open link"));
  expect(onLink.mock.calls).toEqual([["https://example.com/in?x=1"]]);
  expect(onAnswer).not.toHaveBeenCalled();
  await userEvent.click(button("Done"));
  expect(onAnswer.mock.calls).toEqual([[answer("accept")]]);
});

test.each([
  ["https://example.com/a", "example.com", ""], ["https://example.com:8443/a", "example.com:8443", ""], ["http://example.com/", "example.com", "not encrypted"],
  ["https://good.com@evil.test/", "evil.test", "before @"], ["https://аpple.com/", "xn--pple-43d.com", "another script"], ["https://EXAMPLE.com/", "example.com", ""], ["nothing", "", "no address"],
])("the host of %s is %s", (url, host, odd) => {
  const parts = partsOf(url);
  expect(parts.host).toBe(host);
  expect(parts.odd).toContain(odd);
  expect(parts.odd === "").toBe(odd === "");
});

test("a sampling shows what is sent, and may be changed", async () => {
  const { onAnswer, group } = show({ kind: "sampling", sampling: sample });
  for (const text of ["qwen answers", "at most 1,000 tokens", "the server prefers small", "Be short.", "Say it", "image image/png"]) expect(group.textContent).toContain(text);
  expect(group.querySelector("img")).toBeNull();
  await userEvent.click(button("Edit"));
  const field = screen.getByLabelText("Message of user");
  await userEvent.clear(field);
  await userEvent.type(field, "Say that");
  await userEvent.click(button("Allow once"));
  expect(onAnswer.mock.calls).toEqual([[answer("accept", { edited: true, system: "Be short.", messages: ["Say that", ""] })]]);
});

test.each([["Allow once", answer("accept")], ["Allow for session", answer("accept", { forSession: true })], ["Reject", answer("decline")]])("sampling: %s", async (name, want) => {
  const { onAnswer } = show({ kind: "sampling", sampling: sample });
  await userEvent.click(button(name));
  expect(onAnswer.mock.calls).toEqual([[want]]);
});

test("while the model answers it can be rejected; then what goes back is read, and may be changed", async () => {
  const { onAnswer, again, group } = show({ kind: "sampling", sampling: { ...sample, stage: "answering" } });
  expect(screen.getByRole("status").textContent).toBe("qwen is answering…");
  await userEvent.click(button("Reject"));
  again({ kind: "sampling", sampling: { ...sample, stage: "review", text: "It." } });
  expect(group.textContent).toContain("It.");
  await userEvent.click(button("Send answer"));
  await userEvent.click(button("Edit"));
  await userEvent.type(screen.getByLabelText("Message of assistant"), " Done.");
  await userEvent.click(button("Send answer"));
  expect(onAnswer.mock.calls).toEqual([[answer("decline")], [answer("accept")], [answer("accept", { edited: true, text: "It. Done." })]]);
});
