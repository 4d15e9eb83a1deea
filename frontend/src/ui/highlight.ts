import type { HighlighterCore, LanguageInput } from "@shikijs/core";

/** A piece of code in one colour, a CSS variable of styles.css; "" is the text's own. */
export interface Piece { text: string; color: string }

/** Longer code stays plain: colouring it would hold up the page. */
const LIMIT_CHARS = 20_000;

const LANGS: Record<string, () => LanguageInput> = {
  bash: () => import("@shikijs/langs/bash"), c: () => import("@shikijs/langs/c"), css: () => import("@shikijs/langs/css"),
  diff: () => import("@shikijs/langs/diff"), go: () => import("@shikijs/langs/go"), html: () => import("@shikijs/langs/html"),
  java: () => import("@shikijs/langs/java"), javascript: () => import("@shikijs/langs/javascript"), json: () => import("@shikijs/langs/json"),
  python: () => import("@shikijs/langs/python"), rust: () => import("@shikijs/langs/rust"), sql: () => import("@shikijs/langs/sql"),
  toml: () => import("@shikijs/langs/toml"), tsx: () => import("@shikijs/langs/tsx"), typescript: () => import("@shikijs/langs/typescript"),
  yaml: () => import("@shikijs/langs/yaml"),
};
const ALIAS: Record<string, string> = {
  sh: "bash", shell: "bash", zsh: "bash", console: "bash", golang: "go", js: "javascript", jsx: "tsx", ts: "typescript", py: "python", rs: "rust",
  yml: "yaml", jsonc: "json", patch: "diff", h: "c", xml: "html", svg: "html",
};

/** So many lines are coloured before the page may draw a frame. */
const PORTION_LINES = 25;

/** Colours portion after portion; what a line means is carried from one to the next. */
async function inPortions(core: HighlighterCore, code: string, lang: string): Promise<Piece[][]> {
  const lines = code.split("\n");
  const coloured: Piece[][] = [];
  let grammarState: ReturnType<HighlighterCore["getLastGrammarState"]> | undefined;
  for (let at = 0; at < lines.length; at += PORTION_LINES) {
    if (at > 0) await new Promise((next) => setTimeout(next));
    const tokens = core.codeToTokensBase(lines.slice(at, at + PORTION_LINES).join("\n"), { lang, theme: "css-variables", ...(grammarState ? { grammarState } : {}) });
    grammarState = core.getLastGrammarState(tokens);
    coloured.push(...tokens.map((line) => line.map((each) => ({ text: each.content, color: each.color === "var(--code-foreground)" ? "" : each.color ?? "" }))));
  }
  return coloured;
}

/** Colours code, with a highlighter that is loaded the first time somebody needs it. */
export class Highlighter {
  private core: Promise<HighlighterCore> | undefined;

  /** The lines of code in colours, or undefined where it stays plain: an unknown language, too
   *  long, or a highlighter that could not be loaded. */
  colour = async (code: string, lang: string): Promise<Piece[][] | undefined> => {
    const name = ALIAS[lang] ?? lang;
    const load = Object.hasOwn(LANGS, name) ? LANGS[name] : undefined;
    if (!load || code.length > LIMIT_CHARS) return undefined;
    try {
      this.core ??= this.start();
      const core = await this.core;
      await core.loadLanguage(load());
      return await inPortions(core, code, name);
    } catch (err) {
      console.info("code stays plain", err);
      return undefined;
    }
  };

  private async start(): Promise<HighlighterCore> {
    const [core, engine] = await Promise.all([import("@shikijs/core"), import("@shikijs/engine-javascript")]);
    return core.createHighlighterCore({
      themes: [core.createCssVariablesTheme({ name: "css-variables", variablePrefix: "--code-" })],
      langs: [], engine: engine.createJavaScriptRegexEngine({ forgiving: true }),
    });
  }
}
