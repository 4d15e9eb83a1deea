import type { Ask, AskAnswer } from "../../contract/types";
import { FormAsk } from "./ask-form";
import { LinkAsk } from "./ask-link";
import { SamplingAsk } from "./ask-sampling";

/** What every kind of question is told. */
export interface AskProps { ask: Ask; busy: boolean; onLink: (url: string) => void; onAnswer: (answer: AskAnswer) => void }

/** One question of a server, answered in the conversation it belongs to. What the server says is
 *  drawn as text. */
export function AskCard(props: AskProps) {
  switch (props.ask.kind) {
    case "form": return <FormAsk {...props} />;
    case "link": return <LinkAsk {...props} />;
    case "sampling": return props.ask.sampling ? <SamplingAsk {...props} sample={props.ask.sampling} /> : null;
  }
}
