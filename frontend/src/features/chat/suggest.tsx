import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import type { MCPSnapshot } from "../../contract/types";
import { errorText } from "../../lib/run";
import type { Store } from "../../lib/store";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { matching, ofPrompts, ofResources, openServers, type Offer, type Suggestion, type Token } from "./suggestions";

/** Takes a key before the field does; true when it was meant for the list. */
export type Keys = RefObject<((e: KeyboardEvent) => boolean) | undefined>;

/** For so long an Enter waits for what is still being read: who types "@name" and Enter in one go
 *  means the resource, not to send the message. */
const HOLD_MS = 1500;

/** The list above the message: resources of the lit servers for "@", their prompts for "/". The
 *  focus stays in the field, whose keys arrive through keys; active is told the chosen option's id. */
export function Suggest({ id, token, mcp, host, kept, keys, onActive, onChoose, onClose }: {
  id: string; token: Token; mcp: Store<MCPSnapshot>; host: Host; kept: Map<string, Offer>; keys: Keys;
  onActive: (id: string) => void; onChoose: (suggestion: Suggestion) => void; onClose: () => void;
}) {
  const { offers, reading } = useOffers(token.trigger, mcp, host, kept);
  const [since] = useState(() => Date.now());
  const groups = useMemo(() => matching(offers, token.query), [offers, token.query]);
  const all = useMemo(() => groups.flatMap((each) => each.suggestions), [groups]);
  const [at, setAt] = useState(0);
  useEffect(() => setAt(0), [token.query, all.length]);
  const active = Math.min(at, all.length - 1);
  const chosen = all[active];
  const optionId = chosen ? `${id}-${active}` : "";
  useEffect(() => { onActive(optionId); return () => onActive(""); }, [onActive, optionId]);
  const take = useRef<(e: KeyboardEvent) => boolean>(undefined);
  take.current = (e) => {
    if (e.key === "Escape") { onClose(); return true; }
    if (e.shiftKey || e.ctrlKey || e.altKey || e.metaKey) return false;
    if (!chosen) return e.key === "Enter" && reading && Date.now() - since < HOLD_MS;
    switch (e.key) {
      case "ArrowDown": setAt((active + 1) % all.length); return true;
      case "ArrowUp": setAt((active + all.length - 1) % all.length); return true;
      case "Enter": case "Tab": onChoose(chosen); return true;
      default: return false;
    }
  };
  useEffect(() => {
    keys.current = (e) => take.current?.(e) ?? false;
    return () => { keys.current = undefined; };
  }, [keys]);
  const errors = offers.filter((each) => each.error !== "");
  const note = noteOf(token, offers, reading, all.length);
  if (all.length === 0 && errors.length === 0 && note === "") return null;
  let place = -1;
  return (
    <div className="suggestions">
      {all.length > 0 ? (
        <div role="listbox" id={id} aria-label={token.trigger === "@" ? "Resources" : "Prompts"} className="suggestion-list">
          {groups.map(({ server, suggestions }) => (
            <div key={server} role="group" aria-label={server}>
              <div className="suggestion-group" aria-hidden="true">{server}</div>
              {suggestions.map((each) => {
                const index = ++place;
                return <Option key={each.key} id={`${id}-${index}`} suggestion={each} active={index === active} onChoose={() => onChoose(each)} />;
              })}
            </div>
          ))}
        </div>
      ) : null}
      {note ? <p className="muted suggestion-note" role="status">{note}</p> : null}
      {errors.map((each) => <p key={each.server} className="error suggestion-note">{each.error}</p>)}
    </div>
  );
}

function Option({ id, suggestion, active, onChoose }: { id: string; suggestion: Suggestion; active: boolean; onChoose: () => void }) {
  return (
    <div id={id} role="option" aria-selected={active} className="suggestion" ref={active ? intoView : undefined} onMouseDown={(e) => { e.preventDefault(); onChoose(); }}>
      <span className="suggestion-title">{suggestion.kind === "prompt" ? `/${suggestion.title}` : suggestion.title}</span>
      <span className="suggestion-detail muted">{suggestion.detail}</span>
    </div>
  );
}

function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView?.({ block: "nearest" });
}

/** What stands in the place of options, "" when a word that finds nothing is just a word. */
function noteOf(token: Token, offers: readonly Offer[], reading: boolean, shown: number): string {
  if (shown > 0 || token.query !== "") return "";
  if (reading) return "Reading…";
  const what = token.trigger === "@" ? "resources" : "prompts";
  if (offers.length === 0) return `No server is connected and lit. Light a service above the message to use its ${what}.`;
  return offers.every((each) => each.error === "") ? `The lit servers offer no ${what}.` : "";
}

/** What the lit servers offer, in table order, each as soon as it has answered. kept holds what they
 *  said before, by revision. */
function useOffers(trigger: Token["trigger"], mcp: Store<MCPSnapshot>, host: Host, kept: Map<string, Offer>): { offers: readonly Offer[]; reading: boolean } {
  const snapshot = useStore(mcp);
  const servers = useMemo(() => openServers(snapshot), [snapshot]);
  const key = servers.map((each) => `${each.name}\n${each.rev}`).join("\n\n");
  const [known, setKnown] = useState<ReadonlyMap<string, Offer>>(() => new Map(servers.flatMap(({ name, rev }) => {
    const offer = kept.get(`${trigger}${name}\n${rev}`);
    return offer ? [[name, offer] as const] : [];
  })));
  const latest = useRef(servers);
  latest.current = servers;
  useEffect(() => {
    let over = false;
    for (const { name, rev } of latest.current) {
      const take = (offer: Offer) => {
        if (over) return;
        if (offer.error === "") kept.set(`${trigger}${name}\n${rev}`, offer);
        setKnown((now) => new Map(now).set(name, offer));
      };
      const read = trigger === "@" ? host.serverResources(name).then(({ resources }) => ofResources(name, resources)) : host.serverPrompts(name).then((prompts) => ofPrompts(name, prompts));
      read.then((suggestions) => take({ server: name, suggestions, error: "" }), (err: unknown) => take({ server: name, suggestions: [], error: errorText(err) }));
    }
    return () => { over = true; };
  }, [trigger, key, host, kept]);
  const offers = servers.flatMap(({ name }) => known.get(name) ?? []);
  return { offers, reading: offers.length < servers.length };
}
