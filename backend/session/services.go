package session

import (
	"fmt"

	"patchbay/backend/gateway"
	"patchbay/backend/mcphost"
	"patchbay/backend/tool"
)

// service is one server of a pass as the gateway's client.
type service struct {
	row   mcphost.Row
	tools *tool.Table // of every server of the pass
}

// Offer is the server's tools when it is connected.
func (s service) Offer() gateway.Offer {
	if s.row.State != mcphost.Connected {
		return gateway.Offer{Unavailable: unavailable(s.row)}
	}
	return gateway.Offer{Tools: s.tools.Servers([]string{s.row.Name})}
}

// services is the gateway over the session's servers as one pass left them: rows and tools
// belong together.
func (s *Session) services() *gateway.Gateway {
	snap, tools := s.runtime.Now()
	all := make([]gateway.Service, 0, len(snap.Rows))
	for _, r := range snap.Rows {
		all = append(all, gateway.Service{ID: r.Name, Client: service{row: r, tools: tools}})
	}
	g := gateway.New()
	if err := g.ReplaceAll(all); err != nil { // names of rows are unique and not blank
		s.owners.Logger.Error("open the gateway", "error", err)
	}
	return g
}

// allow is the allowlist of a turn, fixed when it starts: the named services, or the rule
// "what this session opens", which late servers join.
func (s *Session) allow(named *[]string) ([]string, error) {
	if named == nil {
		snap, _ := s.runtime.Now()
		return opened(snap.Rows), nil
	}
	_, err := s.services().AvailableTools(*named)
	return *named, err
}

// opened lists the servers that this session wants, connected yet or not.
func opened(rows []mcphost.Row) []string {
	var names []string
	for _, r := range rows {
		if r.Enabled && r.Trusted && !r.Paused && r.State != mcphost.Missing {
			names = append(names, r.Name)
		}
	}
	return names
}

func unavailable(r mcphost.Row) string {
	switch {
	case r.State == mcphost.Busy:
		return fmt.Sprintf("still starting: %s", r.Stage)
	case r.Error != "":
		return r.Error
	case r.Reason != "":
		return r.Reason
	}
	return string(r.State)
}

// table is what the next request of a turn may offer: the built-in tools and those of the
// allowlist that are connected now.
func (s *Session) table(allow []string) *tool.Table {
	var builtins []tool.Entry
	if s.builtins != nil {
		builtins = s.builtins.Entries()
	}
	return s.services().Table(allow).Behind(builtins)
}
