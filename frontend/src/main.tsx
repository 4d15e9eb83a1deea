import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter";
import "@fontsource/jetbrains-mono/400.css";
import "./styles.css";
import { App } from "./app";
import { wailsHost } from "./platform/wails";
import { Stores } from "./stores";
import { Crash } from "./ui/crash";

/** What the window shows first is asked for at once and drawn when it is there: once, not empty
 *  and again. An application that is slower than this shows the empty window meanwhile. */
const PATIENCE_MS = 300;

const root = document.getElementById("root");
const host = wailsHost();
const stores = new Stores(host);
stores.start();
if (root) void Promise.race([stores.first, new Promise((late) => setTimeout(late, PATIENCE_MS))])
  .then(() => createRoot(root).render(
    <Crash onCopy={host.copyText} onCrash={() => void host.ready().catch(() => undefined)}><App host={host} early={stores} /></Crash>));
