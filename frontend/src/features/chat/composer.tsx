import { useRef, useState } from "react";

/** How long after the end of a composition an Enter still belongs to it. */
const IME_TAIL_MS = 60;

/** Where a message is written. Enter sends, Shift+Enter makes a line, and the Enter or Escape
 *  that ends an input method's choice does neither: WebKit sends it after compositionend with
 *  keyCode 229, Chrome before it with isComposing. */
export function Composer({ running, disabled, onSend, onStop, children }: {
  running: boolean; disabled: string; onSend: (text: string) => Promise<boolean>; onStop: () => void; children?: React.ReactNode;
}) {
  const [text, setText] = useState("");
  const [sending, setSending] = useState(false);
  const composing = useRef(false);
  const ended = useRef(-Infinity);
  const send = async () => {
    const message = text.trim();
    if (message === "" || disabled || running || sending) return;
    setSending(true);
    if (await onSend(message)) setText((now) => (now === text ? "" : now));
    setSending(false);
  };
  return (
    <form className="composer" onSubmit={(e) => { e.preventDefault(); void send(); }}>
      {children}
      <div className="row">
        <textarea aria-label="Message" rows={Math.min(8, text.split("\n").length)} value={text}
          placeholder={disabled || "Message"} disabled={disabled !== ""}
          onChange={(e) => setText(e.target.value)}
          onCompositionStart={() => { composing.current = true; }}
          onCompositionEnd={(e) => { composing.current = false; ended.current = e.timeStamp; }}
          onKeyDown={(e) => {
            if (e.key !== "Enter" || e.shiftKey) return;
            if (composing.current || e.nativeEvent.isComposing || e.keyCode === 229) return;
            const since = e.timeStamp - ended.current;
            if (since >= 0 && since < IME_TAIL_MS) return;
            e.preventDefault();
            void send();
          }} />
        {running ? <button type="button" className="btn" onClick={onStop}>Stop</button> : null}
        <button type="submit" className="btn primary" disabled={running || sending || disabled !== "" || text.trim() === ""}>Send</button>
      </div>
    </form>
  );
}
