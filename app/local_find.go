package app

import (
	"context"
	"fmt"
	"strings"

	"patchbay/backend/mcpconf"
)

// ParsePaste reads a command line, or another client's JSON, as definitions.
func (l *Local) ParsePaste(_ context.Context, text string) (Paste, error) {
	defs, warnings, err := mcpconf.ParsePaste(text)
	if err != nil {
		return Paste{}, err
	}
	paste := Paste{Forms: []ServerForm{}, Warnings: orEmpty(warnings)}
	for _, d := range defs {
		form := toForm(d, withValues)
		form.Enable = true
		paste.Forms = append(paste.Forms, form)
		if left := beyondForm(d); len(left) > 0 {
			paste.Warnings = append(paste.Warnings, fmt.Sprintf("%s: the form has no place for %s. Write it into mcp.json when the server is saved", d.Name, strings.Join(left, ", ")))
		}
	}
	return paste, nil
}

// withValues lists what was pasted in alphabetical order: these values came from the page.
func withValues(values map[string]string) []NamedValue {
	list := withoutValues(values)
	for i, v := range list {
		list[i] = NamedValue{Name: v.Name, Value: values[v.Name]}
	}
	return list
}

// beyondForm names the fields of a definition that a form does not hold.
func beyondForm(d mcpconf.Definition) (fields []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"auth", len(d.Auth) > 0}, {"tools", len(d.Tools.Exclude)+len(d.Tools.Rename) > 0},
	} {
		if f.set {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// SearchSessions finds words in titles and messages of every session.
func (l *Local) SearchSessions(ctx context.Context, query string) ([]SearchHit, error) {
	found, err := l.manager.Search(ctx, query, 0)
	hits := []SearchHit{}
	for _, h := range found {
		hits = append(hits, SearchHit{
			SessionID: h.ID, Title: h.Title, Workspace: h.Workspace, AtMs: h.AtMs, Role: h.Role,
			Before: h.Before, Match: h.Match, After: h.After,
		})
	}
	return hits, err
}
