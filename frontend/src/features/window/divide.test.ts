import { expect, test } from "vitest";
import type { Layout } from "../../contract/types";
import { divide } from "./divide";

const usual: Layout = { sessionsWidth: 0, boardWidth: 0, sessionsHidden: false, boardHidden: false, boardWide: false };

test.each<[string, number, Partial<Layout>, { sessions: number; board: number; wide: boolean }]>([
  ["the usual window", 1280, {}, { sessions: 216, board: 499, wide: false }],
  ["a large one gives the board more", 1920, {}, { sessions: 216, board: 749, wide: false }],
  ["what was chosen is kept", 1920, { sessionsWidth: 300, boardWidth: 600 }, { sessions: 300, board: 600, wide: false }],
  ["the board shrinks first", 1024, { boardWidth: 600 }, { sessions: 216, board: 448, wide: false }],
  ["then the sessions go", 900, {}, { sessions: 0, board: 380, wide: false }],
  ["the least window", 720, {}, { sessions: 0, board: 360, wide: false }],
  ["a wide board takes the middle", 1280, { boardWide: true }, { sessions: 216, board: 0, wide: true }],
  ["a hidden board is not wide", 1280, { boardWide: true, boardHidden: true }, { sessions: 216, board: 0, wide: false }],
  ["nothing but the conversation", 1280, { sessionsHidden: true, boardHidden: true }, { sessions: 0, board: 0, wide: false }],
  ["nonsense is bounded", 1280, { sessionsWidth: -5, boardWidth: 99999 }, { sessions: 168, board: 752, wide: false }],
])("%s", (_, width, part, want) => {
  expect(divide(width, { ...usual, ...part })).toEqual(want);
});
