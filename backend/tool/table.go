package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// MaxTools is the largest number of tools that OpenAI-compatible APIs accept in a request.
const MaxTools = 128

// Table is one immutable tool surface: what a model request offers and what the calls it
// makes are routed by. Built-in tools stand first, then the servers' in table order.
type Table struct {
	entries []Entry
	byName  map[string]int
}

// NewTable returns a Table of entries in the given order. The owners of the entries have
// made their names unique (claims); of two with one name the first is kept.
func NewTable(entries ...Entry) *Table {
	t := &Table{byName: make(map[string]int, len(entries))}
	for _, e := range entries {
		if _, taken := t.byName[e.Name]; taken {
			continue
		}
		t.byName[e.Name] = len(t.entries)
		t.entries = append(t.entries, e)
	}
	return t
}

// Specs lists the tools in order.
func (t *Table) Specs() []Spec {
	specs := make([]Spec, len(t.entries))
	for i, e := range t.entries {
		specs[i] = e.Spec
	}
	return specs
}

// Entries lists the tools in order with what calls them. The list is the caller's own.
func (t *Table) Entries() []Entry { return slices.Clone(t.entries) }

// Len returns the number of tools.
func (t *Table) Len() int { return len(t.entries) }

// Lookup returns the tool of that name.
func (t *Table) Lookup(name string) (Entry, bool) {
	i, ok := t.byName[name]
	if !ok {
		return Entry{}, false
	}
	return t.entries[i], true
}

// Servers returns the Table with the built-in tools and those of the named servers only.
// No names leave the built-in tools alone.
func (t *Table) Servers(allow []string) *Table {
	open := make(map[string]bool, len(allow))
	for _, name := range allow {
		open[name] = true
	}
	var kept []Entry
	for _, e := range t.entries {
		if e.Server == "" || open[e.Server] {
			kept = append(kept, e)
		}
	}
	return NewTable(kept...)
}

// Behind returns the Table with first standing before its own tools: the built-in ones.
func (t *Table) Behind(first []Entry) *Table {
	return NewTable(append(append(make([]Entry, 0, len(first)+len(t.entries)), first...), t.entries...)...)
}

// Cut returns the Table with its first limit tools and the names of those left out.
func (t *Table) Cut(limit int) (*Table, []string) {
	limit = max(limit, 0)
	if len(t.entries) <= limit {
		return t, nil
	}
	var left []string
	for _, e := range t.entries[limit:] {
		left = append(left, e.Name)
	}
	return NewTable(t.entries[:limit]...), left
}

// Call routes call to its tool, or refuses it when this Table does not offer the tool.
func (t *Table) Call(ctx context.Context, call Call, onProgress func(Progress)) Result {
	e, ok := t.Lookup(call.Name)
	if !ok {
		return t.refuse(call.Name)
	}
	return e.Invoke(ctx, call, onProgress)
}

func (t *Table) refuse(name string) Result {
	for _, e := range t.entries {
		if strings.EqualFold(e.Name, name) {
			return Failed(NotOpen, fmt.Sprintf("Unknown tool: %s. Did you mean %s?", name, e.Name))
		}
	}
	return Failed(NotOpen, fmt.Sprintf("Unknown tool: %s. It is not open in this request.", name))
}
