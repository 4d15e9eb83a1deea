package mcpconn

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// missedBy are the notices that a stream of subscriptions/listen may have lost while it was
// cut: one for each thing it was opened for.
func missedBy(listen *jsonrpc.Request) []*jsonrpc.Request {
	var p struct {
		Notifications struct {
			Tools     bool     `json:"toolsListChanged"`
			Prompts   bool     `json:"promptsListChanged"`
			Resources bool     `json:"resourcesListChanged"`
			URIs      []string `json:"resourceSubscriptions"`
		} `json:"notifications"`
	}
	_ = json.Unmarshal(listen.Params, &p) // ours: it parses
	var missed []*jsonrpc.Request
	note := func(method string, params any) {
		raw, _ := json.Marshal(params) // strings
		missed = append(missed, &jsonrpc.Request{Method: method, Params: raw})
	}
	if p.Notifications.Tools {
		note("notifications/tools/list_changed", struct{}{})
	}
	if p.Notifications.Prompts {
		note("notifications/prompts/list_changed", struct{}{})
	}
	if p.Notifications.Resources {
		note("notifications/resources/list_changed", struct{}{})
	}
	for _, uri := range p.Notifications.URIs {
		note("notifications/resources/updated", map[string]string{"uri": uri})
	}
	return missed
}
