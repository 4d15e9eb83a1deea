import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter";
import "@fontsource/jetbrains-mono/400.css";
import "./styles.css";
import { App } from "./app";
import { wailsHost } from "./platform/wails";
import { Crash } from "./ui/crash";

const root = document.getElementById("root");
const host = wailsHost();
if (root) {
  createRoot(root).render(
    <Crash onCopy={host.copyText} onCrash={() => void host.ready().catch(() => undefined)}>
      <App host={host} />
    </Crash>,
  );
}
