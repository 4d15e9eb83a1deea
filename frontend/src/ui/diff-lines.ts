/** One line of a change. "@" is where a part of it begins. */
export interface DiffLine { sign: "+" | "-" | " " | "@"; text: string }

/** What a change does to one file. */
export interface FileDiff { path: string; what: string; lines: DiffLine[]; added: number; removed: number }

const GIT = /^(diff --git |index [0-9a-f]+\.\.|(new|deleted) file mode |old mode |new mode |similarity index |\\ No newline)/;
const PATCH = /^\*\*\* (Update|Add|Delete) File: (.+)$/;
const WORDS: Record<string, string> = { Update: "", Add: "new file", Delete: "deleted" };

/** Reads a change: unified, or with the "*** Update File:" lines of a patch. Text before the first
 *  file is one without a path. */
export function diffFiles(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  const open = (path: string, what = "") => { files.push({ path, what, lines: [], added: 0, removed: 0 }); };
  const lines = text.replace(/\n$/, "").split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const patch = PATCH.exec(line);
    if (patch) open(patch[2] ?? "", WORDS[patch[1] ?? ""] ?? "");
    else if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      const [from, to] = [named(line), named(lines[++at] ?? "")];
      open(to === "/dev/null" ? from : to, to === "/dev/null" ? "deleted" : from === "/dev/null" ? "new file" : from !== to ? `was ${from}` : "");
    } else if (line.startsWith("*** Move to: ")) move(files[files.length - 1], line.slice(13));
    else if (/^\*\*\* (Begin|End)/.test(line) || GIT.test(line)) continue;
    else {
      if (files.length === 0) open("");
      take(files[files.length - 1], line);
    }
  }
  return files;
}

/** Whether a text is a change that diffFiles reads. */
export function isDiff(text: string): boolean {
  return /^\*\*\* (Begin Patch|(Update|Add|Delete) File: )/.test(text) || /^(diff --git .*\n(.*\n){0,4})?--- .+\n\+\+\+ .+\n@@ /.test(text);
}

function named(line: string): string {
  return line.slice(4).replace(/\t.*$/, "").replace(/^[ab]\//, "");
}

function move(file: FileDiff | undefined, to: string): void {
  if (!file) return;
  file.what = `was ${file.path}`;
  file.path = to;
}

function take(file: FileDiff | undefined, line: string): void {
  if (!file) return;
  const sign = line.charAt(0);
  if (line.startsWith("@@")) file.lines.push({ sign: "@", text: line.replace(/^@@ ?/, "").replace(/^-\d+(,\d+)? \+\d+(,\d+)? @@ ?/, "") });
  else if (sign === "+" || sign === "-") {
    file.lines.push({ sign, text: line.slice(1) });
    if (sign === "+") file.added++;
    else file.removed++;
  } else file.lines.push({ sign: " ", text: sign === " " ? line.slice(1) : line });
}
