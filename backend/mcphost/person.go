package mcphost

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"patchbay/backend/mcpconn"
)

// Person answers what servers ask of the person at the keyboard. Its methods wait for the
// person without a limit and end with ctx.
type Person interface {
	Elicit(ctx context.Context, from Asking, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error)
	Sample(ctx context.Context, from Asking, req mcpconn.Sampling) (mcpconn.SampleAnswer, error)
}

// Asking says who asks and for whom.
type Asking struct {
	Server  string
	Key     string   // of the connection: an edited definition has another one
	Calling []string // sessions whose calls run on the connection; none when the server asks by itself
	Viewers []string // every session that uses it
}

// linkPerson is the person as a connection sees them.
type linkPerson struct{ link *link }

// Elicit asks on behalf of the connection's server.
func (p linkPerson) Elicit(ctx context.Context, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
	p.link.questions.Add(1)
	return p.link.host.opts.Person.Elicit(ctx, p.link.asking(), req)
}

// Sample asks on behalf of the connection's server.
func (p linkPerson) Sample(ctx context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
	p.link.questions.Add(1)
	return p.link.host.opts.Person.Sample(ctx, p.link.asking(), req)
}

// person is who answers the servers of l, nil when nobody does.
func (l *link) person() mcpconn.Person {
	if l.host.opts.Person == nil {
		return nil
	}
	return linkPerson{l}
}

func (l *link) asking() Asking {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := Asking{Server: l.name, Key: l.berth.key(), Calling: slices.Sorted(maps.Keys(l.calling))}
	for _, rt := range l.views {
		a.Viewers = append(a.Viewers, rt.opts.Session)
	}
	return a
}

// callBegins notes that a call of a session runs, until the returned function is called.
func (l *link) callBegins(session string) (ends func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calling[session]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.calling[session]--; l.calling[session] == 0 {
			delete(l.calling, session)
		}
	}
}

// levelLimit bounds the setting of a log level on a connection that was made anew.
const levelLimit = 15 * time.Second

// SetLogLevel asks a connected server for log messages of a level (RFC 5424 words) and
// above. It holds until the definition changes, through reconnects too.
func (rt *Runtime) SetLogLevel(ctx context.Context, server, level string) error {
	l := rt.current.Load().servers[server].link
	if l == nil {
		return fmt.Errorf("MCP server %s is %w", server, ErrNotConnected)
	}
	conn := l.snapshot().conn
	if conn == nil {
		return fmt.Errorf("MCP server %s is %w", server, ErrNotConnected)
	}
	if err := conn.SetLogLevel(ctx, level); err != nil {
		return err
	}
	l.mu.Lock()
	l.level = level
	l.mu.Unlock()
	return nil
}

// LogLevel is the level that SetLogLevel asked a server for, "" for none.
func (rt *Runtime) LogLevel(server string) string {
	l := rt.current.Load().servers[server].link
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.level
}

// keepLevel asks a new connection for the level that was asked for before.
func (l *link) keepLevel(conn mcpconn.Conn) {
	l.mu.Lock()
	level := l.level
	l.mu.Unlock()
	if level == "" {
		return
	}
	l.host.wg.Go(func() { // ends with the connection
		ctx, cancel := context.WithTimeout(context.Background(), levelLimit)
		defer cancel()
		if err := conn.SetLogLevel(ctx, level); err != nil {
			l.host.opts.Logger.Debug("keep the log level", "server", l.name, "error", err)
		}
	})
}
