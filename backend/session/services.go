package session

import (
	"cmp"
	"fmt"
	"slices"

	"patchbay/backend/gateway"
	"patchbay/backend/mcpconf"
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

// allow is the allowlist of a turn, fixed when it starts: the named services, or what is
// lit. In a workspace that is a rule, which late servers join; in a plain chat each was lit
// by hand, so one that cannot be opened is an error before anything is sent.
func (s *Session) allow(named *[]string) ([]string, error) {
	if named != nil {
		_, err := s.services().AvailableTools(*named)
		return *named, err
	}
	snap, _ := s.runtime.Now()
	if s.conf != nil {
		return s.litOf(snap.Rows), nil
	}
	return s.litByHand(snap.Rows)
}

// litByHand is what a plain chat opens. It goes by the clicks: the rows may be a moment late.
func (s *Session) litByHand(rows []mcphost.Row) ([]string, error) {
	want, _ := s.wanted.Get()
	var names []string
	for _, name := range want.enabled {
		at := slices.IndexFunc(rows, func(r mcphost.Row) bool { return r.Name == name })
		if at >= 0 && rows[at].State == mcphost.Missing || want.paused.Has(name) {
			continue
		}
		names = append(names, name)
		if at < 0 || rows[at].State != mcphost.Connected {
			why := "still starting"
			if at >= 0 && rows[at].Enabled && !rows[at].Paused {
				why = unavailable(rows[at])
			}
			return nil, &gateway.ServiceError{Service: name, Text: fmt.Sprintf(
				"%s is switched on for this chat but not available (%s). Wait until it is connected, or switch it off, then send again.", name, why)}
		}
	}
	return names, nil
}

// Lit reports whether the next message opens the server of a row, connected yet or not.
func (s *Session) Lit(r mcphost.Row) bool {
	want, _ := s.wanted.Get()
	return r.Enabled && r.Trusted && !r.Paused && r.State != mcphost.Missing && !want.off.Has(r.Name)
}

func (s *Session) litOf(rows []mcphost.Row) []string {
	var names []string
	for _, r := range rows {
		if s.Lit(r) {
			names = append(names, r.Name)
		}
	}
	return names
}

// Light says whether this session's messages open a server. In a workspace it keeps running
// either way; in a plain chat, where nothing else wants it, it starts or stops with it.
func (s *Session) Light(name string, lit bool) error {
	switch {
	case s.conf == nil && lit:
		return s.Enable(name)
	case s.conf == nil && !s.IsEnabled(name):
		return s.checkDefined(name) // it is off
	case s.conf == nil:
		return s.Disable(name)
	case !s.IsEnabled(name):
		return cmp.Or(s.checkDefined(name), error(&mcpconf.NotEnabledError{Name: name}))
	}
	s.wanted.Update(func(w wanted) wanted {
		if w.off = w.off.With(name); lit {
			w.off = w.off.Without(name)
		}
		return w
	})
	s.kick() // readers show it, before Start too
	return nil
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
