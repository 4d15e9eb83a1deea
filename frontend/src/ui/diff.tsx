import { useMemo, useState } from "react";
import { diffFiles, type FileDiff } from "./diff-lines";

/** More lines of a file are folded. */
const FOLD_LINES = 40;
/** More are not drawn at all. */
const MOST_LINES = 3000;

/** A change of files: paths, counts, and each line with its sign; the colour says the same again. */
export function Diff({ text, label }: { text: string; label: string }) {
  const files = useMemo(() => diffFiles(text), [text]);
  return <div className="diff" role="group" aria-label={label}>{files.map((each, at) => <One key={at} file={each} />)}</div>;
}

function One({ file }: { file: FileDiff }) {
  const [all, setAll] = useState(false);
  const long = file.lines.length > FOLD_LINES + 10;
  const shown = file.lines.slice(0, long && !all ? FOLD_LINES : MOST_LINES);
  return (
    <div className="diff-file">
      {file.path ? <div className="diff-head mono"><span className="diff-path">{file.path}</span>{file.what ? <span className="muted">{file.what}</span> : null}
        <span className="grow" /><span className="plus" title={`${file.added} lines added`}>+{file.added}</span><span className="minus" title={`${file.removed} lines removed`}>−{file.removed}</span></div> : null}
      {shown.length > 0 ? <pre tabIndex={0}>{shown.map((each, at) => each.sign === "@"
        ? at > 0 || each.text ? <span key={at} className="diff-line at">⋯ {each.text}{"\n"}</span> : null
        : <span key={at} className={`diff-line ${each.sign === "+" ? "plus" : each.sign === "-" ? "minus" : ""}`}>{each.sign} {each.text}{"\n"}</span>)}</pre> : null}
      {long ? <button type="button" className="fold-more" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Show less" : `Show all ${file.lines.length.toLocaleString("en")} lines`}</button> : null}
      {all && file.lines.length > MOST_LINES ? <span className="muted">the first {MOST_LINES.toLocaleString("en")} are shown</span> : null}
    </div>
  );
}
