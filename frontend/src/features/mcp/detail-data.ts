import { useCallback, useEffect, useRef, useState } from "react";
import type { ServerDetail, ServerRow } from "../../contract/types";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";

/** What is known of a server beside its row. */
export interface DetailData { detail: ServerDetail | undefined; error: string; reload: () => void }

/** Reads the detail, and again when the row has moved on; the answer that was asked for last wins. */
export function useDetail(host: Host, name: string, row: ServerRow | undefined): DetailData {
  const [detail, setDetail] = useState<ServerDetail>();
  const [error, setError] = useState("");
  const asked = useRef(0);
  const reload = useCallback(() => {
    const at = ++asked.current;
    host.serverDetail(name).then(
      (next) => { if (at === asked.current) { setDetail(next); setError(""); } },
      (err: unknown) => { if (at === asked.current) setError(errorText(err)); });
  }, [host, name]);
  useEffect(() => { setDetail(undefined); }, [name]);
  useEffect(() => {
    reload();
    return () => { asked.current++; };
  }, [reload, row?.state, row?.toolCount, row?.sinceMs]);
  return { detail, error, reload };
}

/** Which of the two files a path is. */
export function fileKind(path: string): "store" | "workspace" {
  return /(^|[\\/])workspace\.json$/.test(path) ? "workspace" : "store";
}
