const FENCE = /^( *)(`{3,}|~{3,})(.*)$/;
const LIST = /^ {0,3}([-*+]|\d{1,9}[.)])( |$)/;
const ITEM = /^([-*+]|\d{1,9}[.)]) /;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]]+\]:\s*\S/;
const FOOTNOTE = /^ {0,3}\[\^[^\]]+\]:/;
const DELIMITER = /^ {0,3}\|[\s:|-]*-[\s:|-]*$/;

/** A longer block is cut at the next line, so that what is parsed again stays small. */
const CUT_CHARS = 4000;
/** A longer line without an end is cut at a space. */
const LINE_CHARS = 8000;
/** Finished lines of code, and finished rows of a table, are drawn in portions. */
const PORTION = 48;
/** Finished blocks come in groups, so that a long answer has few things to compare. */
const GROUP = 24;

/** One block of an answer. Code and tables come in portions of lines; a finished portion never
 *  changes. A finished block is the same object each time. */
export type Block =
  | { kind: "text"; text: string }
  | { kind: "code"; lang: string; portions: readonly string[]; open: boolean }
  | { kind: "table"; head: string; portions: readonly string[] };

/** An answer in blocks: finished ones in groups that never change, then those that still grow. */
export interface Blocks { groups: readonly (readonly Block[])[]; tail: readonly Block[] }

type Open = Block & { lines: string[]; size: number; fence: string; indent: number; list: boolean; done: string[] };

/** Splits Markdown that grows into blocks that read the same alone as together. Each call of take
 *  reads what was added and the block under way, never what is finished. What can only be known
 *  at the end, link definitions and footnotes, is put right once the text is whole. */
export class Splitter {
  private seen = 0;
  private groups: (readonly Block[])[] = [];
  private group: Block[] = [];
  private open: Open | undefined;
  private partial = "";
  private blank = false; // the last line was
  private definitions: string[] = [];
  private footnotes = false;

  /** text begins with what was taken before. */
  take(text: string, whole: boolean): Blocks {
    this.read(text.slice(this.seen));
    this.seen = text.length;
    if (whole && this.partial !== "") {
      this.line(this.partial);
      this.partial = "";
    }
    if (whole && this.footnotes) return { groups: [], tail: [{ kind: "text", text }] }; // numbered over the whole text
    const finished = this.group.length > 0 ? [...this.groups, this.group.slice()] : this.groups.slice();
    const tail = this.tail();
    if (!whole || this.definitions.length === 0) return { groups: finished, tail };
    const known = `\n\n${this.definitions.join("\n")}\n`;
    const define = (each: Block): Block => (each.kind === "text" && each.text.includes("[") ? { kind: "text", text: each.text + known }
      : each.kind === "table" && `${each.head}${each.portions.join("")}`.includes("[") ? { kind: "text", text: each.head + each.portions.join("") + known } : each);
    return { groups: finished.map((group) => group.map(define)), tail: tail.map(define) };
  }

  private read(added: string): void {
    let from = 0;
    for (let end = added.indexOf("\n"); end >= 0; end = added.indexOf("\n", from)) {
      this.line(this.partial + added.slice(from, end));
      this.partial = "";
      from = end + 1;
    }
    this.partial += added.slice(from);
    while (this.partial.length > LINE_CHARS && (this.open?.kind ?? "text") === "text") {
      const space = this.partial.lastIndexOf(" ", LINE_CHARS);
      const cut = space > LINE_CHARS / 2 ? space + 1 : LINE_CHARS + (/[\ud800-\udbff]/.test(this.partial.charAt(LINE_CHARS - 1)) ? 1 : 0);
      this.line(this.partial.slice(0, cut));
      this.finish();
      this.partial = this.partial.slice(cut);
    }
  }

  /** Takes one whole line. */
  private line(line: string): void {
    const blank = line.trim() === "";
    const { open } = this;
    if (open?.kind === "code") {
      if (closes(line, open.fence)) {
        open.open = false;
        this.finish();
        this.blank = true; // whatever comes begins a block
        return;
      }
      return this.portion(open, outdent(line, open.indent));
    }
    if (open?.kind === "table") {
      if (inTable(line)) return this.portion(open, line);
      this.finish();
    } else if (this.begins(line)) this.finish();
    this.note(line);
    this.blank = blank;
    const fence = opens(line);
    if (fence && this.ownFence(fence.indent)) {
      this.finish();
      this.open = { ...fresh(), kind: "code", lang: fence.lang, portions: [], open: true, fence: fence.mark, indent: fence.indent };
      return;
    }
    const block = (this.open ??= { ...fresh(), kind: "text", text: "" });
    if (fence && block.fence === "") block.fence = block.list || fence.indent <= 3 ? fence.mark : "";
    else if (block.fence !== "" && closes(line.trimStart(), block.fence)) block.fence = "";
    if (block.fence === "") block.list ||= LIST.test(line);
    block.lines.push(line);
    block.size += line.length + 1;
    this.tabulate(block, line);
  }

  /** A line of dashes under a line of as many cells makes a table of what follows. */
  private tabulate(block: Open, line: string): void {
    const header = block.lines[block.lines.length - 2];
    if (block.fence !== "" || block.list || !DELIMITER.test(line) || !header?.startsWith("|") || cells(line) !== cells(header)) return;
    if (/^ {0,3}[<>]/.test(block.lines[0] ?? "")) return; // raw HTML, a quotation
    block.lines = block.lines.slice(0, -2);
    if (block.lines.length > 0) this.finish();
    this.open = { ...fresh(), kind: "table", head: `${header}\n${line}\n`, portions: [] };
  }

  /** Whether a line begins a new block, given what stands before it. */
  private begins(line: string): boolean {
    const { open } = this;
    if (!open || line.trim() === "" || open.fence !== "" && open.kind === "text") return false;
    if (open.kind === "table") return !inTable(line);
    if (open.size > CUT_CHARS && (open.list ? ITEM.test(line) : !/^[ \t]/.test(line))) return true;
    return this.blank && !/^( {2,}|\t)/.test(line) && !(open.list && LIST.test(line));
  }

  /** Whether a fence here is a block of its own: not inside a list's item, nor in raw HTML. */
  private ownFence(indent: number): boolean {
    const { open } = this;
    if (!open) return indent <= 3;
    if (open.kind !== "text") return true;
    return open.fence === "" && !/^ {0,3}</.test(open.lines[0] ?? "") && (open.list ? indent === 0 : indent <= 3);
  }

  private note(line: string): void {
    if (this.open && this.open.fence !== "") return;
    if (DEFINITION.test(line)) this.definitions.push(line);
    this.footnotes ||= FOOTNOTE.test(line);
  }

  private portion(open: Open, line: string): void {
    open.lines.push(line);
    if (open.lines.length < PORTION) return;
    open.done.push(joined(open.lines));
    open.lines = [];
  }

  /** Ends the block under way. */
  private finish(): void {
    const { open } = this;
    if (!open) return;
    this.open = undefined;
    this.blank = false;
    this.group.push(settled(open, open.lines));
    if (this.group.length < GROUP) return;
    this.groups.push(this.group);
    this.group = [];
  }

  /** What still grows: the block under way with the line that has no end yet, or both apart. */
  private tail(): Block[] {
    const { open, partial } = this;
    if (partial === "") return open ? [settled(open, open.lines)] : [];
    if (open?.kind === "code") {
      if (closes(partial, open.fence)) return [settled({ ...open, open: false }, open.lines)];
      const closing = partial.trim() !== "" && open.fence.startsWith(partial.trim());
      return [settled(open, closing ? open.lines : [...open.lines, outdent(partial, open.indent)])];
    }
    const apart = this.begins(partial);
    const fence = opens(partial);
    if (fence && (apart || this.ownFence(fence.indent))) {
      const code: Block = { kind: "code", lang: fence.lang, portions: [], open: true };
      return open ? [settled(open, open.lines), code] : [code];
    }
    if (!open || apart) return [...(open ? [settled(open, open.lines)] : []), { kind: "text", text: partial }];
    return [settled(open, [...open.lines, partial], true)];
  }
}

/** Whether a line goes on with the table above it: rows need no bars, but other blocks end it. */
function inTable(line: string): boolean {
  return line.trim() !== "" && !/^( {4}|\t| {0,3}(#|>|<|`{3}|~{3}|[-*+] |\d{1,9}[.)] |([-*_] *){3,}$))/.test(line);
}

function outdent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && line[at] === " ") at++;
  return line.slice(at);
}

/** Code in the portions that are drawn apart. */
export function portioned(code: string): string[] {
  if (code === "") return [];
  const lines = code.replace(/\n$/, "").split("\n");
  return Array.from({ length: Math.ceil(lines.length / PORTION) }, (_, at) => joined(lines.slice(at * PORTION, (at + 1) * PORTION)));
}

function fresh(): Omit<Open, keyof Block> & { lines: string[] } {
  return { lines: [], size: 0, fence: "", indent: 0, list: false, done: [] };
}

/** A block as it stands; bare leaves the end of its last line away. */
function settled(open: Open, lines: string[], bare = false): Block {
  const rest = bare ? lines.join("\n") : joined(lines);
  const portions = lines.length > 0 ? [...open.done, rest] : open.done.slice();
  switch (open.kind) {
    case "text": return { kind: "text", text: rest };
    case "code": return { kind: "code", lang: open.lang, portions, open: open.open };
    case "table": return { kind: "table", head: open.head, portions };
  }
}

/** Lines with their ends. Joined anew, so that a finished block does not hold the whole text. */
function joined(lines: string[]): string {
  return [...lines, ""].join("\n");
}

function opens(line: string): { mark: string; lang: string; indent: number } | undefined {
  const found = FENCE.exec(line);
  const mark = found?.[2] ?? "";
  const info = found?.[3] ?? "";
  if (mark === "" || mark.startsWith("`") && info.includes("`")) return undefined;
  return { mark, lang: info.trim().split(/\s/)[0] ?? "", indent: found?.[1]?.length ?? 0 };
}

function closes(line: string, fence: string): boolean {
  const found = FENCE.exec(line);
  return found !== null && (found[1]?.length ?? 0) <= 3 && (found[2] ?? "").startsWith(fence) && (found[3] ?? "").trim() === "";
}

function cells(row: string): number {
  return row.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).length;
}
