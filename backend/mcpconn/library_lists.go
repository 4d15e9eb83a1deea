package mcpconn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxEntries is the most that a list of resources or prompts holds.
const maxEntries = 20_000

// shelf keeps what a connection's server has beside its tools.
type shelf struct {
	resources cached[Resource]
	templates cached[ResourceTemplate]
	prompts   cached[Prompt]
	news      chan struct{} // capacity 1: one of the two below is set

	mu               sync.Mutex
	resourcesChanged bool // not told yet
	promptsChanged   bool
	followed         map[string]bool // subscribed resources, by URI
	muted            map[string]bool // left ones that the server still tells of
}

func newShelf() *shelf {
	return &shelf{news: make(chan struct{}, 1), followed: map[string]bool{}, muted: map[string]bool{}}
}

// listKind is one of the three lists.
type listKind[T any] struct {
	method, field string
	capability    string
	what          string
	optional      bool // a server that declares the capability may still not know the method
	send          func(ctx context.Context, session *mcp.ClientSession, cursor string) (any, error)
	decode        func(raw json.RawMessage) (entry T, ok bool)
}

// Resources is the list of resources.
func (c *conn) Resources(ctx context.Context) ([]Resource, error) {
	return kept(ctx, c, &c.shelf.resources, c.resourcesStale, listKind[Resource]{
		method: "resources/list", field: "resources", capability: "resources", what: "list its resources", decode: decodeListedResource,
		send: func(ctx context.Context, s *mcp.ClientSession, cursor string) (any, error) {
			return s.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		},
	})
}

// ResourceTemplates is the list of resource templates.
func (c *conn) ResourceTemplates(ctx context.Context) ([]ResourceTemplate, error) {
	return kept(ctx, c, &c.shelf.templates, c.resourcesStale, listKind[ResourceTemplate]{
		method: "resources/templates/list", field: "resourceTemplates", capability: "resources", what: "list its resource templates",
		optional: true, decode: decodeTemplate,
		send: func(ctx context.Context, s *mcp.ClientSession, cursor string) (any, error) {
			return s.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
		},
	})
}

// Prompts is the list of prompts.
func (c *conn) Prompts(ctx context.Context) ([]Prompt, error) {
	return kept(ctx, c, &c.shelf.prompts, c.promptsStale, listKind[Prompt]{
		method: "prompts/list", field: "prompts", capability: "prompts", what: "list its prompts", decode: decodePrompt,
		send: func(ctx context.Context, s *mcp.ClientSession, cursor string) (any, error) {
			return s.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
		},
	})
}

// Forget drops what is kept of the lists.
func (c *conn) Forget() {
	c.shelf.resources.drop()
	c.shelf.templates.drop()
	c.shelf.prompts.drop()
}

// declares reports whether the server said at the handshake that it has a capability.
func (c *conn) declares(capability string) bool {
	return slices.Contains(c.Info().Capabilities, capability)
}

// kept is a list from the cache, or read now.
func kept[T any](ctx context.Context, c *conn, cache *cached[T], stale func(), kind listKind[T]) ([]T, error) {
	if c.life.Err() != nil {
		return nil, c.cutShort(context.Cause(c.life), request{})
	}
	if !c.declares(kind.capability) {
		return nil, nil
	}
	list, err := cache.get(ctx, stale, func() ([]T, lifetime, error) { return readList(ctx, c, kind) })
	if err != nil && err == context.Cause(ctx) { // while another read it
		err = c.cutShort(err, request{what: kind.what})
	}
	return list, err
}

// lifetime is how long a list stays current: by what the server says. Zero means
// until the server says that it changed.
type lifetime struct {
	ttl  time.Duration
	none bool // it is not to be kept at all
}

// readList reads a list page by page, with the guards of tools/list.
func readList[T any](ctx context.Context, c *conn, kind listKind[T]) ([]T, lifetime, error) {
	ctx, stop := c.within(ctx, relistLimit)
	defer stop()
	server, all, seen, life := c.target.Definition.Name, []T{}, map[string]bool{}, lifetime{}
	size, left := 0, 0
	for cursor, pages := "", 1; ; pages++ {
		raw, err := c.fetch(ctx, request{what: kind.what, limit: relistLimit, instead: `{"` + kind.field + `":[]}`,
			send: func(ctx context.Context, s *mcp.ClientSession) (any, error) { return kind.send(ctx, s, cursor) }})
		switch {
		case err != nil && kind.optional && unknownMethod(err):
			return all, life, nil
		case err != nil:
			return nil, life, err
		}
		page, err := decodeEntries(raw, kind)
		if err != nil {
			return nil, life, fmt.Errorf("MCP server %s answered %s %w", server, kind.method, err)
		}
		all, left, size = append(all, page.entries...), left+page.left, size+len(raw)
		life = c.shorter(life, page.ttl, kind.capability)
		switch {
		case page.next == "":
			if left > 0 {
				c.obs.Log("warning", fmt.Sprintf("%s: %d malformed %s left out", kind.method, left, plural(left, "entry was", "entries were")))
			}
			return all, life, nil
		case seen[page.next]:
			return nil, life, fmt.Errorf("%s of MCP server %s repeats its cursor after %d pages", kind.method, server, pages)
		case pages >= maxPages || len(all) > maxEntries || size > maxListBytes:
			return nil, life, fmt.Errorf("%s of MCP server %s does not end: %d entries on %d pages so far", kind.method, server, len(all), pages)
		}
		seen[page.next] = true
		cursor = page.next
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// shorter takes a page's ttlMs into account (MCP 2026-07-28, caching): a positive one is a
// limit, 0 forbids to keep the list unless the server tells of changes.
func (c *conn) shorter(life lifetime, ttlMs *float64, capability string) lifetime {
	if ttlMs == nil || c.Info().Protocol < modernRevision {
		return life
	}
	ttl := time.Duration(min(*ttlMs, float64(24*time.Hour/time.Millisecond))) * time.Millisecond
	switch {
	case ttl <= 0:
		life.none = life.none || !c.declares(capability+".listChanged")
	case life.ttl == 0 || ttl < life.ttl:
		life.ttl = ttl
	}
	return life
}

// page is one page of a list.
type page[T any] struct {
	entries []T
	left    int // malformed ones
	next    string
	ttl     *float64
}

// decodeEntries decodes a page entry by entry, so that a malformed one loses no other.
func decodeEntries[T any](raw json.RawMessage, kind listKind[T]) (page[T], error) {
	var out page[T]
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return out, fmt.Errorf("with something that is no list")
	}
	var items []json.RawMessage
	if json.Unmarshal(fields[kind.field], &items) != nil || items == nil {
		return out, fmt.Errorf("without a list of %s", kind.field)
	}
	for _, item := range items {
		if entry, ok := kind.decode(item); ok {
			out.entries = append(out.entries, entry)
		} else if !bytes.Equal(bytes.TrimSpace(item), []byte("null")) {
			out.left++
		}
	}
	_ = json.Unmarshal(fields["nextCursor"], &out.next) // what is no text ends the list
	_ = json.Unmarshal(fields["ttlMs"], &out.ttl)       // what is no number says nothing
	return out, nil
}

// fields are those of a listed entry; what is no text counts as absent.
type fields map[string]json.RawMessage

func entryFields(raw json.RawMessage) fields {
	var f fields
	_ = json.Unmarshal(raw, &f) // what is no object has no fields
	return f
}

func (f fields) text(name string) string {
	var text string
	_ = json.Unmarshal(f[name], &text)
	return text
}

func decodeListedResource(raw json.RawMessage) (Resource, bool) {
	f := entryFields(raw)
	r := Resource{URI: f.text("uri"), Name: f.text("name"), Title: f.text("title"), Description: f.text("description"), MIMEType: f.text("mimeType")}
	var size float64
	if json.Unmarshal(f["size"], &size) == nil && size > 0 {
		r.Size = int64(min(size, 1<<53))
	}
	return r, r.URI != ""
}

func decodeTemplate(raw json.RawMessage) (ResourceTemplate, bool) {
	f := entryFields(raw)
	t := ResourceTemplate{URITemplate: f.text("uriTemplate"), Name: f.text("name"), Title: f.text("title"), Description: f.text("description"), MIMEType: f.text("mimeType")}
	return t, t.URITemplate != ""
}

func decodePrompt(raw json.RawMessage) (Prompt, bool) {
	f := entryFields(raw)
	p := Prompt{Name: f.text("name"), Title: f.text("title"), Description: f.text("description")}
	var arguments []json.RawMessage
	_ = json.Unmarshal(f["arguments"], &arguments) // what is no list is none
	for _, each := range arguments {
		a := entryFields(each)
		argument := PromptArgument{Name: a.text("name"), Title: a.text("title"), Description: a.text("description")}
		_ = json.Unmarshal(a["required"], &argument.Required)
		if argument.Name != "" {
			p.Arguments = append(p.Arguments, argument)
		}
	}
	return p, p.Name != ""
}
