package mcphost

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

// LibraryRow is what a row says of what its server has beside tools.
type LibraryRow struct {
	Rev       uint64 // grows when lists, a subscribed resource or a subscription change
	Resources int    // as last listed, -1 before; templates are not counted
	Prompts   int
}

// libraryState is what a link keeps of its server's library. The maps are replaced, never
// changed in place.
type libraryState struct {
	rev       uint64
	resources *int // nil before the first list of a connection
	prompts   *int
	followed  map[string]bool // subscribed to, across reconnects
	updated   map[string]bool // followed ones that changed since they were read
}

func (s libraryState) row() LibraryRow {
	row := LibraryRow{Rev: s.rev, Resources: -1, Prompts: -1}
	if s.resources != nil {
		row.Resources = *s.resources
	}
	if s.prompts != nil {
		row.Prompts = *s.prompts
	}
	return row
}

// toggled is a copy of a set with or without one member.
func toggled(set map[string]bool, uri string, on bool) map[string]bool {
	next := maps.Clone(set)
	if delete(next, uri); on {
		if next == nil {
			next = map[string]bool{}
		}
		next[uri] = true
	}
	return next
}

// ResourcesChanged makes readers list the resources again.
func (o observer) ResourcesChanged() { o.heard(func(s *linkState) { s.library.rev++ }) }

// PromptsChanged makes readers list the prompts again.
func (o observer) PromptsChanged() { o.heard(func(s *linkState) { s.library.rev++ }) }

// ResourceUpdated marks a resource as changed. Servers may tell of a part of what was
// subscribed to (MCP, server/resources, subscriptions).
func (o observer) ResourceUpdated(uri string) {
	o.heard(func(s *linkState) {
		s.library.rev++
		if len(s.library.updated) < maxUpdated {
			s.library.updated = toggled(s.library.updated, uri, true)
		}
	})
}

// maxUpdated bounds what a server can make a link remember.
const maxUpdated = 1000

// followAgain subscribes a new connection to what the one before it was subscribed to.
func (l *link) followAgain(conn mcpconn.Conn, uris []string) {
	l.host.wg.Go(func() {
		for _, uri := range uris {
			if err := conn.Subscribe(context.Background(), uri, true); err != nil {
				observer{l, l.snapshot().gen}.Log("warning", err.Error())
			}
			l.change(func(s *linkState) { // what happened between the two was not told
				s.library.rev++
				s.library.updated = toggled(s.library.updated, uri, true)
			})
		}
	})
}

// Library is what a connected server has beside its tools, in one session. Its methods end
// with ctx and when the server leaves the session's surface, and their errors are sentences.
type Library struct{ view *presence }

// Library returns a connected server's library; the error, ErrNotConnected, says that there
// is none now.
func (rt *Runtime) Library(name string) (Library, error) {
	k := rt.current.Load().servers[name]
	if k.view == nil {
		return Library{}, fmt.Errorf("MCP server %s is %w", name, ErrNotConnected)
	}
	return Library{k.view}, nil
}

// inPresence runs f with a context that ends with the presence.
func inPresence[T any](ctx context.Context, p *presence, f func(context.Context) (T, error)) (T, error) {
	bound, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(p.gone, func() { cancel(context.Cause(p.gone)) })
	defer stop()
	var out T
	err := p.gone.Err()
	if err == nil {
		out, err = f(bound)
	}
	if err != nil && p.gone.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("MCP server %s: %w", p.server, context.Cause(p.gone))
	}
	return out, err
}

// note changes what the link keeps, and tells its views.
func (b Library) note(edit func(*libraryState)) {
	conn := b.view.conn
	b.view.link.change(func(s *linkState) {
		if s.conn == conn {
			edit(&s.library)
		}
	})
}

// Resources lists the resources.
func (b Library) Resources(ctx context.Context) ([]mcpconn.Resource, error) {
	list, err := inPresence(ctx, b.view, b.view.conn.Resources)
	if n := len(list); err == nil {
		b.count(func(s *libraryState) **int { return &s.resources }, n)
	}
	return list, err
}

// count notes the length of a list where it is new.
func (b Library) count(of func(*libraryState) **int, n int) {
	s := b.view.link.snapshot().library
	if known := *of(&s); known == nil || *known != n {
		b.note(func(s *libraryState) { *of(s) = &n })
	}
}

// Templates lists the resource templates.
func (b Library) Templates(ctx context.Context) ([]mcpconn.ResourceTemplate, error) {
	return inPresence(ctx, b.view, b.view.conn.ResourceTemplates)
}

// Read returns the parts of a resource; what is read is no longer marked as changed.
func (b Library) Read(ctx context.Context, uri string) ([]tool.Content, error) {
	parts, err := inPresence(ctx, b.view, func(ctx context.Context) ([]tool.Content, error) {
		if b.view.link.snapshot().library.updated[uri] {
			b.note(func(s *libraryState) { s.updated = toggled(s.updated, uri, false); s.rev++ })
		}
		return b.view.conn.ReadResource(ctx, uri)
	})
	return parts, err
}

// Subscribe says whether changes of a resource are told: the revision of the row grows with
// each. It lasts over reconnects, for every session on the connection.
func (b Library) Subscribe(ctx context.Context, uri string, on bool) error {
	_, err := inPresence(ctx, b.view, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.view.conn.Subscribe(ctx, uri, on)
	})
	if err == nil {
		b.note(func(s *libraryState) {
			s.followed = toggled(s.followed, uri, on)
			s.updated = toggled(s.updated, uri, false)
			s.rev++
		})
	}
	return err
}

// Followed are the resources that are subscribed to, and those that changed since they were
// last read.
func (b Library) Followed() (uris, changed []string) {
	s := b.view.link.snapshot().library
	return slices.Sorted(maps.Keys(s.followed)), slices.Sorted(maps.Keys(s.updated))
}

// CanSubscribe reports whether the server tells of changes.
func (b Library) CanSubscribe() bool {
	return slices.Contains(b.view.conn.Info().Capabilities, "resources.subscribe")
}

// Prompts lists the prompts.
func (b Library) Prompts(ctx context.Context) ([]mcpconn.Prompt, error) {
	list, err := inPresence(ctx, b.view, b.view.conn.Prompts)
	if n := len(list); err == nil {
		b.count(func(s *libraryState) **int { return &s.prompts }, n)
	}
	return list, err
}

// Prompt expands a prompt.
func (b Library) Prompt(ctx context.Context, name string, arguments map[string]string) (mcpconn.PromptText, error) {
	return inPresence(ctx, b.view, func(ctx context.Context) (mcpconn.PromptText, error) {
		return b.view.conn.GetPrompt(ctx, name, arguments)
	})
}

// Complete asks for values of an argument.
func (b Library) Complete(ctx context.Context, req mcpconn.CompleteRequest) (mcpconn.Completion, error) {
	return inPresence(ctx, b.view, func(ctx context.Context) (mcpconn.Completion, error) {
		return b.view.conn.Complete(ctx, req)
	})
}

// Forget makes the lists be read anew.
func (b Library) Forget() {
	b.view.conn.Forget()
	b.note(func(s *libraryState) { s.rev++ })
}
