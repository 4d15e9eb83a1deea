package mcpconn

import (
	"encoding/json"
	"slices"

	"patchbay/backend/mcpconf"
)

// Deprecated is something that revision 2026-07-28 deprecates and that a server leans on
// (MCP 2026-07-28, changelog).
type Deprecated string

// What can be leaned on.
const (
	LeansOnRoots        Deprecated = "roots"                // it asked for roots/list
	LeansOnSampling     Deprecated = "sampling"             // it asked for sampling/createMessage
	LeansOnLogging      Deprecated = "logging"              // it sent notifications/message
	LeansOnSSE          Deprecated = "sse"                  // it is reached by the HTTP+SSE transport
	LeansOnRegistration Deprecated = "dynamic_registration" // its authorization server was told of this client that way
)

// AllDeprecated lists every Deprecated.
var AllDeprecated = []Deprecated{LeansOnRoots, LeansOnSampling, LeansOnLogging, LeansOnSSE, LeansOnRegistration}

// deprecatedMethods are messages of a server that show what it leans on.
var deprecatedMethods = map[string]Deprecated{
	"roots/list":             LeansOnRoots,
	"sampling/createMessage": LeansOnSampling,
	"notifications/message":  LeansOnLogging,
}

// leanOn notes, once, what a server leans on.
func (c *conn) leanOn(feature Deprecated) {
	c.mu.Lock()
	known := slices.Contains(c.leans, feature)
	if !known {
		c.leans = append(c.leans, feature)
	}
	c.mu.Unlock()
	if !known {
		c.obs.LeansOn(feature)
	}
}

// asksBy hears the method of a message that the server sent of its own accord.
func (c *conn) asksBy(method string) {
	if feature, ok := deprecatedMethods[method]; ok {
		c.leanOn(feature)
	}
}

// asksIn hears a result that asks for something before it is complete (MCP 2026-07-28,
// multi round-trip requests).
func (t *tap) asksIn(result json.RawMessage) {
	var asked struct {
		Requests map[string]struct {
			Method string `json:"method"`
		} `json:"inputRequests"`
	}
	_ = json.Unmarshal(result, &asked) // what cannot be read asks for nothing
	for _, each := range asked.Requests {
		t.asks(each.Method)
	}
}

// leansByTransport is what the choice of a transport says.
func (c *conn) leansByTransport() {
	if c.target.Definition.Type == mcpconf.SSE {
		c.leanOn(LeansOnSSE)
	}
	if c.a.signs() && c.a.d.opts.Auth.Registered(c.target.Definition) {
		c.leanOn(LeansOnRegistration)
	}
}
