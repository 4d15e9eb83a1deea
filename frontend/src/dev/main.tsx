import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter";
import "@fontsource/jetbrains-mono/400.css";
import "../styles.css";
import { App } from "../app";
import { scenario } from "./scenario";

const query = new URLSearchParams(location.search);
const root = document.getElementById("root");
if (root) createRoot(root).render(<App host={scenario(query).host()} />);

// ?press=NAME presses the button of that name once it is there.
const press = query.get("press");
const looking = setInterval(() => {
  const button = [...document.querySelectorAll("button")].find((each) => (each.ariaLabel ?? each.textContent?.trim()) === press);
  if (press && !button) return;
  clearInterval(looking);
  button?.click();
}, 50);
