const FENCE = /^ *(`{3,}|~{3,})(.*)$/;
const LIST = /^ {0,3}([-*+]|\d{1,9}[.)])( |$)/;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]]+\]:\s*\S/;
const FOOTNOTE = /^ {0,3}\[\^[^\]]+\]:/m;

/** Splits Markdown into blocks that read the same alone as together, so that while an answer
 *  grows only its last block is parsed again. Joined with nothing they are the text, but for
 *  link definitions, which are repeated in each block that could refer to one. */
export function blocks(text: string): string[] {
  if (FOOTNOTE.test(text)) return [text]; // footnotes are numbered over the whole text
  const found: string[] = [];
  const definitions: string[] = [];
  let block: string[] = [];
  let fence = "";
  let list = false; // the block has a list, and its items may stand apart
  let blank = false; // the last line was
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line);
    if (fence === "" && blank && line.trim() !== "" && !/^( {2,}|\t)/.test(line) && !(list && LIST.test(line))) {
      found.push(block.join("\n") + "\n");
      block = [];
      list = false;
    }
    if (fence === "") {
      list ||= LIST.test(line);
      if (DEFINITION.test(line)) definitions.push(line);
    }
    if (mark?.[1]) {
      if (fence === "") fence = mark[1].startsWith("`") && mark[2]?.includes("`") ? "" : mark[1];
      else if (mark[1].startsWith(fence) && mark[2]?.trim() === "") fence = "";
    }
    blank = line.trim() === "";
    block.push(line);
  }
  found.push(block.join("\n"));
  if (definitions.length === 0) return found;
  const known = `\n\n${definitions.join("\n")}\n`;
  return found.map((each) => (each.includes("[") ? each + known : each));
}
