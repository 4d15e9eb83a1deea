import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter";
import "@fontsource/jetbrains-mono/400.css";
import "../styles.css";
import { App } from "../app";
import { scenario } from "./scenario";

const query = new URLSearchParams(location.search);
const root = document.getElementById("root");
const fake = scenario(query);
Object.assign(window, { fake }); // to publish things by hand
if (root) createRoot(root).render(<App host={fake.host()} />);

// Steps in their order, each once what it names is there: press=NAME a button, tab or folded
// line, fill=LABEL|TEXT a field.
const steps = [...query].filter(([kind]) => kind === "press" || kind === "fill");
const stepping = setInterval(() => {
  const [kind, what = ""] = steps[0] ?? [];
  if (kind === undefined) return clearInterval(stepping);
  if (kind === "press" ? press(what) : fill(what)) steps.shift();
}, 50);

function press(name: string): boolean {
  const target = [...document.querySelectorAll<HTMLElement>("button, [role=tab], summary, label.segment")].find((each) => (each.ariaLabel ?? each.textContent?.trim()) === name);
  // Tabs listen to the mouse button going down.
  target?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, button: 0 }));
  target?.click();
  return target !== undefined;
}

function fill(what: string): boolean {
  const [label = "", text = ""] = what.split("|");
  const target = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")].find((each) => each.ariaLabel === label || [...(each.labels ?? [])].some((one) => one.textContent?.trim() === label));
  if (!target) return false;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target) as object, "value")?.set?.call(target, text);
  target.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
}
