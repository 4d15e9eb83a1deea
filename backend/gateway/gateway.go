// Package gateway holds service id → client and answers for the list of service ids that
// one request opens: status, tools, calls. An empty list opens none and is never filled in.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"patchbay/backend/tool"
)

// Offer is what a service has at one moment.
type Offer struct {
	Unavailable string      // why it cannot be used, "" when it can
	Tools       *tool.Table // nil is none; only tools whose Server is the service's id count
}

// Client is one service. Offer is called concurrently and answers at once from what the
// client knows; it never waits for the service.
type Client interface {
	Offer() Offer
}

// Service is a client under its id.
type Service struct {
	ID     string
	Client Client
}

// Status says of one service whether it can be used, and with how many tools.
type Status struct {
	ID          string
	Unavailable string // why it cannot be used, "" when it can
	Tools       int    // 0 while it cannot
}

// Gateway holds services in order. All methods may be called concurrently; a change counts
// from the next request on, and a call in flight is its client's to end.
type Gateway struct {
	mu       sync.Mutex
	services []Service // replaced, never changed in place: readers use it without the lock
}

// New returns a Gateway without services.
func New() *Gateway { return &Gateway{} }

// ServiceError refuses a service id that is unknown or unavailable.
type ServiceError struct {
	Service string
	Text    string
}

// Error says which service and why.
func (e *ServiceError) Error() string { return e.Text }

// Register adds a service behind the others; an id that is taken is an error.
func (g *Gateway) Register(id string, c Client) error {
	return g.change(func(now []Service) ([]Service, error) { return append(now, Service{ID: id, Client: c}), nil })
}

// Replace gives a registered id another client in the same place.
func (g *Gateway) Replace(id string, c Client) error {
	return g.at(id, func(now []Service, i int) []Service {
		now[i].Client = c
		return now
	})
}

// Remove takes a service out.
func (g *Gateway) Remove(id string) error {
	return g.at(id, func(now []Service, i int) []Service { return slices.Delete(now, i, i+1) })
}

// ReplaceAll swaps the whole gateway to services, in their order, in one step.
func (g *Gateway) ReplaceAll(services []Service) error {
	return g.change(func([]Service) ([]Service, error) { return slices.Clone(services), nil })
}

// Status lists every service in order.
func (g *Gateway) Status() []Status {
	services := g.list()
	all := make([]Status, len(services))
	for i, s := range services {
		entries, down := s.entries()
		all[i] = Status{ID: s.ID, Unavailable: down, Tools: len(entries)}
	}
	return all
}

// AvailableTools returns the tools of the named services, in the gateway's order whatever
// the list's. The first id that is unknown or unavailable is a *ServiceError: it is for
// ids that somebody named, before anything is sent.
func (g *Gateway) AvailableTools(ids []string) (*tool.Table, error) {
	services := g.list()
	table, down := open(services, ids)
	for _, id := range ids {
		switch why := down[id]; {
		case index(services, id) < 0:
			return nil, unknown(services, id)
		case why != "":
			return nil, &ServiceError{Service: id, Text: fmt.Sprintf("MCP unavailable: %s (%s)", id, why)}
		}
	}
	return table, nil
}

// Table is AvailableTools for the requests of a turn that has begun: what is not there now
// is left out, and is back in the table of the request after its return.
func (g *Gateway) Table(ids []string) *tool.Table {
	table, _ := open(g.list(), ids)
	return table
}

// CallTool routes a call to a service of the list. A tool that no service of the list
// offers is refused, with the listed services that are down.
func (g *Gateway) CallTool(ctx context.Context, ids []string, call tool.Call, onProgress func(tool.Progress)) tool.Result {
	table, down := open(g.list(), ids)
	if _, ok := table.Lookup(call.Name); !ok && len(down) > 0 {
		var missing []string
		for _, id := range ids {
			if why := down[id]; why != "" {
				missing = append(missing, fmt.Sprintf("%s (%s)", id, why))
				delete(down, id) // named once
			}
		}
		return tool.Failed(tool.NotOpen, fmt.Sprintf("Unknown tool: %s. Not available now: %s.", call.Name, strings.Join(missing, "; ")))
	}
	return table.Call(ctx, call, onProgress)
}

// notRegistered is why a service that nobody registered cannot be used.
const notRegistered = "unknown"

// open is the table of the listed services that can be used, and by id why the others
// cannot. Each is asked once, so that one that goes meanwhile is in the one or the other.
func open(services []Service, ids []string) (*tool.Table, map[string]string) {
	var opened []tool.Entry
	down := map[string]string{}
	for _, id := range ids {
		if index(services, id) < 0 {
			down[id] = notRegistered
		}
	}
	for _, s := range services {
		if !slices.Contains(ids, s.ID) {
			continue
		}
		entries, why := s.entries()
		if opened = append(opened, entries...); why != "" {
			down[s.ID] = why
		}
	}
	return tool.NewTable(opened...), down
}

// entries are the service's own tools: a client cannot open another service's, nor stand
// in for a built-in tool.
func (s Service) entries() (own []tool.Entry, down string) {
	offer := s.Client.Offer()
	if offer.Unavailable != "" || offer.Tools == nil {
		return nil, offer.Unavailable
	}
	return slices.DeleteFunc(offer.Tools.Entries(), func(e tool.Entry) bool { return e.Server != s.ID }), ""
}

func (g *Gateway) list() []Service {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.services
}

// change puts what f makes of a copy in force; on an error nothing changes.
func (g *Gateway) change(f func(now []Service) ([]Service, error)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	next, err := f(slices.Clone(g.services))
	if err != nil {
		return err
	}
	for i, s := range next {
		switch {
		case s.ID == "":
			return errors.New("an MCP service needs an id")
		case s.Client == nil:
			return &ServiceError{Service: s.ID, Text: "MCP service has no client: " + s.ID}
		case index(next[:i], s.ID) >= 0:
			return &ServiceError{Service: s.ID, Text: "MCP service is registered already: " + s.ID}
		}
	}
	g.services = next
	return nil
}

func (g *Gateway) at(id string, f func(now []Service, i int) []Service) error {
	return g.change(func(now []Service) ([]Service, error) {
		i := index(now, id)
		if i < 0 {
			return nil, unknown(now, id)
		}
		return f(now, i), nil
	})
}

func index(services []Service, id string) int {
	return slices.IndexFunc(services, func(s Service) bool { return s.ID == id })
}

// unknown names the service that differs only in case, where there is one.
func unknown(services []Service, id string) error {
	text := "Unknown MCP server: " + id
	for _, s := range services {
		if strings.EqualFold(s.ID, id) {
			text += ". Did you mean " + s.ID + "?"
			break
		}
	}
	return &ServiceError{Service: id, Text: text}
}
