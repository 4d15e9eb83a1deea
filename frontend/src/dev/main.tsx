import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter";
import "@fontsource/jetbrains-mono/400.css";
import "../styles.css";
import { App } from "../app";
import { scenario } from "./scenario";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App host={scenario(new URLSearchParams(location.search)).host()} />);
