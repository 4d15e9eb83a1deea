import { useEffect } from "react";
import type { Host } from "../../platform/host";

/** Tells the application whether the window has the person's attention. */
export function useAttention(host: Host): void {
  useEffect(() => {
    const tell = () => void host.focused(document.hasFocus()).catch(() => {}); // only notifications depend on it
    tell();
    window.addEventListener("focus", tell);
    window.addEventListener("blur", tell);
    return () => {
      window.removeEventListener("focus", tell);
      window.removeEventListener("blur", tell);
    };
  }, [host]);
}
