import type { ServerTool, ToolOutcome } from "../../contract/types";
import { errorText } from "../../lib/run";
import { Cell } from "../../lib/store";
import type { Host } from "../../platform/host";
import { fieldOf, readSchema, startOf, type Field } from "../../ui/schema-form-model";

/** What a person has filled in to try a tool, and how the last call went. */
export interface Try {
  field: Field; value: unknown; mode: "form" | "json"; json: string; asked: boolean;
  running: { id: string; startedMs: number } | undefined; outcome: ToolOutcome | undefined; error: string;
}

/** The tries of one server's tools; they outlive the tab that shows them. */
export class Tries {
  private readonly cells = new Map<string, Cell<Try>>();
  constructor(private readonly host: Host, readonly server: string) {}

  /** The try of a tool; a tool whose schema changed begins anew. */
  of = (tool: ServerTool): Cell<Try> => {
    const key = `${tool.original}\n${tool.schema}`;
    let cell = this.cells.get(key);
    if (!cell) {
      const field = fieldOf(readSchema(tool.schema));
      cell = new Cell<Try>({ field, value: startOf(field, undefined, true) ?? {}, mode: "form", json: "", asked: false, running: undefined, outcome: undefined, error: "" });
      this.cells.set(key, cell);
    }
    return cell;
  };

  /** Calls the tool; one call of a tool at a time. */
  run = async (tool: ServerTool, args: string): Promise<void> => {
    const cell = this.of(tool);
    if (cell.get().running) return;
    const id = crypto.randomUUID();
    const put = (part: Partial<Try>) => cell.set({ ...cell.get(), ...part });
    put({ running: { id, startedMs: Date.now() }, outcome: undefined, error: "" });
    try {
      const outcome = await this.host.callTool(id, this.server, tool.original, args);
      put({ running: undefined, outcome });
    } catch (err) {
      put({ running: undefined, error: errorText(err) });
    }
  };

  /** Ends the running call of a tool; its answer then says so. */
  cancel = (tool: ServerTool): void => {
    const cell = this.of(tool);
    const { running } = cell.get();
    if (running) this.host.cancelTool(running.id).catch((err: unknown) => cell.set({ ...cell.get(), error: errorText(err) }));
  };

  /** Ends what still runs: nobody would see its answer. */
  close = (): void => {
    for (const cell of this.cells.values()) {
      const { running } = cell.get();
      if (running) this.host.cancelTool(running.id).catch(() => undefined);
    }
  };
}
