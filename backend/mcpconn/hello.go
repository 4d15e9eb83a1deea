package mcpconn

import (
	"encoding/json"

	"patchbay/backend/mcpconf"
)

// FirstMessage is the JSON-RPC request by which a person tries a server in a terminal:
// initialize, which nearly every server answers, or server/discover where the definition
// pins the stateless revision (MCP, basic/lifecycle).
func FirstMessage(def mcpconf.Definition) string {
	client := map[string]any{"name": "terminal", "version": "1"}
	message := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize"}
	revision := legacyRevision
	if def.Protocol != "" && def.Protocol != "auto" {
		revision = def.Protocol
	}
	message["params"] = map[string]any{"protocolVersion": revision, "capabilities": map[string]any{}, "clientInfo": client}
	if revision >= modernRevision {
		message["method"] = "server/discover"
		message["params"] = map[string]any{"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    revision,
			"io.modelcontextprotocol/clientInfo":         client,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}}
	}
	text, err := json.Marshal(message)
	if err != nil {
		return "" // maps of strings always encode
	}
	return string(text)
}
