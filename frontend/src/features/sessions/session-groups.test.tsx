import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { SessionInfo } from "../../contract/types";
import { SessionGroups } from "./session-groups";

const list = (count: number) => Array.from({ length: count }, (_, at): SessionInfo => ({ id: `s${at}`, title: `Session ${at}`, workspace: at % 2 ? "/home/dev/odd" : "", updatedMs: 1, running: false, readOnly: false }));

test("of thousands of sessions a bounded part is in the page, under the names of their workspaces", () => {
  render(<SessionGroups sessions={list(3000)}>{(each) => <li key={each.id}>{each.title}</li>}</SessionGroups>);
  expect(screen.getAllByRole("heading").map((each) => each.textContent)).toEqual(["odd"]);
  expect(screen.getByText("Session 1")).toBeTruthy();
  expect(screen.getAllByRole("listitem").length).toBeLessThan(100);
});

test("a few sessions are all in the page, plain chats last", () => {
  render(<SessionGroups sessions={list(40)}>{(each) => <li key={each.id}>{each.title}</li>}</SessionGroups>);
  expect(screen.getAllByRole("heading").map((each) => each.textContent)).toEqual(["odd", "No workspace"]);
  expect(screen.getAllByRole("listitem")).toHaveLength(40);
});
