package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"patchbay/backend/gateway"
	"patchbay/backend/tool"
)

// client is a service whose offer a test changes.
type client struct{ now atomic.Pointer[gateway.Offer] }

func (c *client) Offer() gateway.Offer { return *c.now.Load() }

func (c *client) set(o gateway.Offer) *client {
	c.now.Store(&o)
	return c
}

// offering is a client of server with tools that answer by their owner.
func offering(server string, names ...string) *client {
	return new(client).set(gateway.Offer{Tools: tools(server, names...)})
}

func down(why string, names ...string) *client {
	return new(client).set(gateway.Offer{Unavailable: why, Tools: tools("b", names...)})
}

func tools(server string, names ...string) *tool.Table {
	var entries []tool.Entry
	for _, name := range names {
		entries = append(entries, tool.Entry{
			Spec: tool.Spec{Server: server, Name: name},
			Invoke: func(_ context.Context, call tool.Call, _ func(tool.Progress)) tool.Result {
				return tool.OKText(server + ":" + call.Name)
			},
		})
	}
	return tool.NewTable(entries...)
}

func with(t *testing.T, services ...gateway.Service) *gateway.Gateway {
	t.Helper()
	g := gateway.New()
	for _, s := range services {
		if err := g.Register(s.ID, s.Client); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func listed(table *tool.Table) string {
	var names []string
	for _, s := range table.Specs() {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

func TestAvailableTools(t *testing.T) {
	g := with(t, gateway.Service{ID: "b", Client: offering("b", "b1", "b2")}, gateway.Service{ID: "a", Client: offering("a", "a1")},
		gateway.Service{ID: "off", Client: down("paused", "x")}, gateway.Service{ID: "bare", Client: new(client).set(gateway.Offer{})})
	tests := []struct {
		name    string
		ids     []string
		want    string
		wantErr string
		service string
	}{
		{name: "no list opens none"},
		{name: "an empty list opens none", ids: []string{}},
		{name: "one", ids: []string{"a"}, want: "a1"},
		{name: "order is the gateway's", ids: []string{"a", "b", "a"}, want: "b1 b2 a1"},
		{name: "a service without tools", ids: []string{"bare"}},
		{name: "unknown", ids: []string{"a", "zzz"}, wantErr: "Unknown MCP server: zzz", service: "zzz"},
		{name: "another case", ids: []string{"A"}, wantErr: "Unknown MCP server: A. Did you mean a?", service: "A"},
		{name: "no name", ids: []string{""}, wantErr: "Unknown MCP server: "},
		{name: "unavailable", ids: []string{"a", "off"}, wantErr: "MCP unavailable: off (paused)", service: "off"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table, err := g.AvailableTools(tt.ids)
			if tt.wantErr != "" {
				var refused *gateway.ServiceError
				if !errors.As(err, &refused) || err.Error() != tt.wantErr || refused.Service != tt.service || table != nil {
					t.Fatalf("error %v, want %s", err, tt.wantErr)
				}
				return
			}
			if err != nil || listed(table) != tt.want {
				t.Errorf("got %q, %v; want %q", listed(table), err, tt.want)
			}
		})
	}
	if got := listed(g.Table([]string{"off", "a", "zzz"})); got != "a1" {
		t.Errorf("the table of a turn that has begun: %q", got)
	}
}

func TestCallTool(t *testing.T) {
	g := with(t, gateway.Service{ID: "a", Client: offering("a", "a1")}, gateway.Service{ID: "b", Client: offering("b", "b1")},
		gateway.Service{ID: "off", Client: down("paused")})
	tests := []struct {
		name, call string
		ids        []string
		want       string
		reason     tool.Reason
	}{
		{"open", "b1", []string{"b"}, "b:b1", tool.ReasonNone},
		{"off the list", "a1", []string{"b"}, "Unknown tool: a1. It is not open in this request.", tool.NotOpen},
		{"an empty list", "a1", nil, "Unknown tool: a1. It is not open in this request.", tool.NotOpen},
		{"of no service", "c1", []string{"a", "b"}, "Unknown tool: c1. It is not open in this request.", tool.NotOpen},
		{"beside one that is down", "a1", []string{"a", "off"}, "a:a1", tool.ReasonNone},
		{"of one that nobody registered", "x", []string{"a", "gone"}, "Unknown tool: x. Not available now: gone (unknown).", tool.NotOpen},
		{"of one that is down", "x", []string{"a", "off"}, "Unknown tool: x. Not available now: off (paused).", tool.NotOpen},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := g.CallTool(t.Context(), tt.ids, tool.Call{Name: tt.call}, nil)
			if r.Content[0].Text != tt.want || r.Reason != tt.reason || r.OK != (tt.reason == "") {
				t.Errorf("got %+v, want %q", r, tt.want)
			}
		})
	}
}

// A client's word about whose tools it has opens nothing else.
func TestClientOffersOnlyItsOwnTools(t *testing.T) {
	both := tool.NewTable(append(tools("a", "a1").Entries(), append(tools("b", "secret").Entries(), tools("", "bash").Entries()...)...)...)
	g := with(t, gateway.Service{ID: "a", Client: new(client).set(gateway.Offer{Tools: both})})
	table, err := g.AvailableTools([]string{"a"})
	if err != nil || listed(table) != "a1" {
		t.Errorf("got %q, %v", listed(table), err)
	}
	for _, name := range []string{"secret", "bash"} {
		if r := g.CallTool(t.Context(), []string{"a"}, tool.Call{Name: name}, nil); r.Reason != tool.NotOpen {
			t.Errorf("%s answers: %+v", name, r)
		}
	}
}

// fickle is available the first time it is asked, and never again.
type fickle struct {
	asked atomic.Int32
}

func (f *fickle) Offer() gateway.Offer {
	if f.asked.Add(1) == 1 {
		return gateway.Offer{Tools: tools("a", "a1")}
	}
	return gateway.Offer{Unavailable: "lost"}
}

// A service that goes while it is looked at is in the answer or is the error; it does not
// vanish from it.
func TestAServiceThatGoesMeanwhileDoesNotVanish(t *testing.T) {
	g := with(t, gateway.Service{ID: "a", Client: new(fickle)})
	table, err := g.AvailableTools([]string{"a"})
	if err == nil && listed(table) != "a1" {
		t.Errorf("%q and no error", listed(table))
	}
	if table, err := g.AvailableTools([]string{"a"}); err == nil || err.Error() != "MCP unavailable: a (lost)" {
		t.Errorf("%v, %v", table, err)
	}
}

func TestRegistration(t *testing.T) {
	g := with(t, gateway.Service{ID: "a", Client: offering("a", "a1")}, gateway.Service{ID: "b", Client: offering("b", "b1")})
	fails := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	fails(g.Register("a", offering("a")), "MCP service is registered already: a")
	fails(g.Register("", offering("")), "an MCP service needs an id")
	fails(g.Register("c", nil), "MCP service has no client: c")
	fails(g.Replace("c", offering("c")), "Unknown MCP server: c")
	fails(g.Replace("a", nil), "MCP service has no client: a")
	fails(g.Remove("c"), "Unknown MCP server: c")
	fails(g.ReplaceAll([]gateway.Service{{ID: "x", Client: offering("x")}, {ID: "x", Client: offering("x")}}), "MCP service is registered already: x")
	wantStatus(t, g, "a 1, b 1")

	if err := g.Replace("a", offering("a", "a1", "a2")); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, g, "a 2, b 1") // in the same place
	if err := g.Remove("a"); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, g, "b 1")
	services := []gateway.Service{{ID: "c", Client: down("timeout", "x")}, {ID: "b", Client: offering("b", "b1")}}
	if err := g.ReplaceAll(services); err != nil {
		t.Fatal(err)
	}
	services[1].ID = "changed" // the list is the gateway's own
	wantStatus(t, g, "c 0 (timeout), b 1")
}

func wantStatus(t *testing.T, g *gateway.Gateway, want string) {
	t.Helper()
	var all []string
	for _, s := range g.Status() {
		text := fmt.Sprintf("%s %d", s.ID, s.Tools)
		if s.Unavailable != "" {
			text += " (" + s.Unavailable + ")"
		}
		all = append(all, text)
	}
	if got := strings.Join(all, ", "); got != want {
		t.Errorf("status %q, want %q", got, want)
	}
}

// A service that comes and goes while others read and call: a reader sees whole states, and
// what is not on its list never.
func TestConcurrentChanges(t *testing.T) {
	g := with(t, gateway.Service{ID: "a", Client: offering("a", "a1")}, gateway.Service{ID: "hidden", Client: offering("hidden", "h1")})
	moving := offering("b", "b1", "b2")
	var readers, writers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				if got := listed(g.Table([]string{"b", "a"})); got != "a1" && got != "a1 b1 b2" && got != "a1 b3" {
					t.Errorf("a table of %q", got)
					return
				}
				if r := g.CallTool(t.Context(), []string{"a", "b"}, tool.Call{Name: "h1"}, nil); r.OK {
					t.Error("a tool off the list answered")
					return
				}
				if r := g.CallTool(t.Context(), []string{"a"}, tool.Call{Name: "a1"}, nil); !r.OK {
					t.Errorf("a1: %+v", r)
					return
				}
				g.Status()
			}
		})
	}
	writers.Go(func() {
		for range 300 {
			if err := errors.Join(g.Register("b", moving), g.Replace("b", offering("b", "b3")), g.Replace("b", moving), g.Remove("b")); err != nil {
				t.Error(err)
			}
		}
	})
	writers.Go(func() {
		for range 300 {
			moving.set(gateway.Offer{Unavailable: "lost"})
			moving.set(gateway.Offer{Tools: tools("b", "b1", "b2")})
		}
	})
	writers.Wait()
	close(done)
	readers.Wait()
	wantStatus(t, g, "a 1, hidden 1")
}
