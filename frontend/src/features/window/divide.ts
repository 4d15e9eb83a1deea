import type { Layout } from "../../contract/types";

/** What a pane may be, in pixels. */
export const SESSIONS = { least: 168, usual: 216, most: 380 } as const;
export const BOARD = { least: 380, usual: 500, most: 900 } as const;
/** The conversation gets no less than this while the board is beside it. */
const MAIN_LEAST = 360;

/** The panes of a window of some width: 0 is a pane that is not shown. */
export interface Panes { sessions: number; board: number; wide: boolean }

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** Divides the window. What the person chose is kept as far as it fits: the board shrinks first,
 *  then the sessions go, then the board. */
export function divide(width: number, layout: Layout): Panes {
  let sessions = layout.sessionsHidden ? 0 : clamp(layout.sessionsWidth || SESSIONS.usual, SESSIONS.least, SESSIONS.most);
  const wide = layout.boardWide && !layout.boardHidden;
  if (wide) return { sessions: width < 820 ? 0 : sessions, board: 0, wide };
  let board = layout.boardHidden ? 0 : clamp(layout.boardWidth || usualBoard(width), BOARD.least, BOARD.most);
  const left = () => width - sessions - board - MAIN_LEAST;
  if (board && left() < 0) board = Math.max(BOARD.least, board + left());
  if (sessions && left() < 0) {
    board = layout.boardHidden ? 0 : clamp(layout.boardWidth || usualBoard(width), BOARD.least, Math.max(BOARD.least, width - MAIN_LEAST));
    sessions = 0;
  }
  if (board && left() < 0) board = clamp(board + left(), 320, BOARD.most);
  return { sessions, board, wide };
}

/** Without a choice the board takes its share of a large window. */
function usualBoard(width: number): number {
  return clamp(Math.round(width * 0.39), BOARD.least, 760);
}
