package app

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"patchbay/backend/mcpconf"
	"patchbay/backend/session"
)

// onCurrent runs a command on the shown session.
func (l *Local) onCurrent(run func(*session.Session) error) error {
	s, err := l.current()
	if err != nil {
		return err
	}
	return run(s)
}

// EnableServer enables a server in the workspace and trusts it there.
func (l *Local) EnableServer(_ context.Context, name string) (Done, error) {
	return l.changing(func(s *session.Session) error { return s.Enable(name) })
}

// DisableServer takes a server out of the workspace.
func (l *Local) DisableServer(_ context.Context, name string) (Done, error) {
	return l.changing(func(s *session.Session) error { return s.Disable(name) })
}

// PauseServer leaves an enabled server out of the session.
func (l *Local) PauseServer(_ context.Context, name string) error {
	return l.onCurrent(func(s *session.Session) error { return s.Pause(name) })
}

// ResumeServer takes a paused server in again.
func (l *Local) ResumeServer(_ context.Context, name string) error {
	return l.onCurrent(func(s *session.Session) error { return s.Resume(name) })
}

// TrustServers trusts names in the session's workspace.
func (l *Local) TrustServers(_ context.Context, names []string) error {
	return l.onCurrent(func(s *session.Session) error { return s.Trust(names...) })
}

// RetryServer asks for one more try of a server.
func (l *Local) RetryServer(_ context.Context, name string) error {
	return l.onCurrent(func(s *session.Session) error { return s.Retry(name) })
}

// RetryFailed asks for one more try of every server in error.
func (l *Local) RetryFailed(context.Context) error {
	return l.onCurrent(func(s *session.Session) error { s.RetryFailed(); return nil })
}

// RebuildAll asks for one more try of every server.
func (l *Local) RebuildAll(context.Context) error {
	return l.onCurrent(func(s *session.Session) error { s.RebuildAll(); return nil })
}

// AddServer defines a server and enables it here when the form says so.
func (l *Local) AddServer(_ context.Context, form ServerForm) (Done, error) {
	return l.changing(func(s *session.Session) error {
		def, err := fromForm(mcpconf.Definition{}, form)
		if err != nil {
			return err
		}
		if err := s.AddServer(def); err != nil || !form.Enable {
			return err
		}
		return s.Enable(def.Name)
	})
}

// EditServer changes a definition, its name included; what the form does not show is kept.
func (l *Local) EditServer(_ context.Context, name string, form ServerForm) (Done, error) {
	return l.changing(func(s *session.Session) error {
		l.manager.Store().Reload() // what another program wrote just now is kept too
		old, err := s.Definition(name)
		if err != nil {
			return err
		}
		def, err := fromForm(old, form)
		if err != nil {
			return err
		}
		enabled := s.IsEnabled(name)
		if err := l.manager.Store().Replace(name, def); err != nil {
			return err
		}
		switch {
		case enabled && def.Name != name:
			if err := s.Enable(def.Name); err != nil {
				return err
			}
			return s.Disable(name)
		case form.Enable && !enabled:
			return s.Enable(def.Name)
		}
		return nil
	})
}

// RemoveServer deletes a definition and its name in the workspace.
func (l *Local) RemoveServer(_ context.Context, name string) (Done, error) {
	return l.changing(func(s *session.Session) error { return s.RemoveServer(name) })
}

// RestoreFields writes back the fields of ours that another program dropped.
func (l *Local) RestoreFields(context.Context) (Done, error) {
	return l.changing(func(*session.Session) error {
		_, err := l.manager.Store().RestoreFields()
		return err
	})
}

// GetServer returns a definition for the form, without its stored values.
func (l *Local) GetServer(_ context.Context, name string) (ServerForm, error) {
	s, err := l.current()
	if err != nil {
		return ServerForm{}, err
	}
	l.manager.Store().Reload() // the form begins with what the file says now
	def, err := s.Definition(name)
	if err != nil {
		return ServerForm{}, err
	}
	form := toForm(def, withoutValues)
	form.Enable = s.IsEnabled(name)
	return form, nil
}

// toForm is what a form shows of a definition; values says what of its values.
func toForm(def mcpconf.Definition, values func(map[string]string) []NamedValue) ServerForm {
	return ServerForm{
		Name: def.Name, Type: string(def.Type), Command: def.Command, Args: orEmpty(def.Args), CWD: def.CWD, URL: def.URL,
		Env: values(def.Env), Headers: values(def.Headers),
		TimeoutMs: def.TimeoutMs, CallTimeoutMs: def.CallTimeoutMs, Protocol: def.Protocol,
	}
}

func withoutValues(values map[string]string) []NamedValue {
	out := []NamedValue{}
	for name := range values {
		out = append(out, NamedValue{Name: name, HasValue: true})
	}
	slices.SortFunc(out, func(a, b NamedValue) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}

// fromForm is old with what the form shows.
func fromForm(old mcpconf.Definition, form ServerForm) (mcpconf.Definition, error) {
	def := old
	def.Name, def.Type = form.Name, mcpconf.Transport(form.Type)
	def.Command, def.Args, def.CWD, def.URL = form.Command, form.Args, form.CWD, form.URL
	def.TimeoutMs, def.CallTimeoutMs, def.Protocol = form.TimeoutMs, form.CallTimeoutMs, form.Protocol
	if def.TimeoutMs < 0 || def.CallTimeoutMs < 0 {
		return def, &CommandError{Code: CodeInvalid, Message: "a limit cannot be below zero; leave it empty for the default"}
	}
	entries, stored := form.Env, old.Env
	if def.Type != mcpconf.Stdio {
		entries, stored = form.Headers, old.Headers
	}
	values, err := fromValues(stored, entries)
	if err != nil {
		return def, err
	}
	if def.Type == mcpconf.Stdio {
		def.URL, def.Env, def.Headers = "", values, nil
	} else {
		def.Command, def.Args, def.CWD, def.Env, def.Headers = "", nil, "", nil, values
	}
	return def.Normalized(), nil
}

// fromValues are the entries with their values: the one that was typed, else the one stored.
// An entry that was renamed in the form takes its stored value along.
func fromValues(old map[string]string, entries []NamedValue) (map[string]string, error) {
	names := renamedValues(old, entries)
	values := map[string]string{}
	for _, e := range entries {
		values[e.Name] = e.Value
		if !e.HasValue || e.Value != "" {
			continue
		}
		kept, had := old[names[e.Name]]
		if !had {
			return nil, &CommandError{Code: CodeInvalid, Message: fmt.Sprintf("%s has no stored value any more: type one, or remove the entry", e.Name)}
		}
		values[e.Name] = kept
	}
	if len(values) == 0 {
		return nil, nil
	}
	return values, nil
}

// renamedValues tells under which name the value of each entry is stored. The form lists
// stored entries by name and renames them in place, so as many new names as are missed are
// the missed ones in their order; other numbers tell nothing.
func renamedValues(old map[string]string, entries []NamedValue) map[string]string {
	names, renamed, there := map[string]string{}, []string{}, map[string]bool{}
	for _, e := range entries {
		there[e.Name] = true
		if _, had := old[e.Name]; had {
			names[e.Name] = e.Name
		} else if e.HasValue {
			renamed = append(renamed, e.Name)
		}
	}
	missed := slices.DeleteFunc(slices.Sorted(maps.Keys(old)), func(name string) bool { return there[name] })
	if len(missed) == len(renamed) {
		for i, name := range renamed {
			names[name] = missed[i]
		}
	}
	return names
}

// ResolveClash saves which tools of a server are held back or renamed, beside what its
// definition says already.
func (l *Local) ResolveClash(_ context.Context, name string, rules ToolRules) (Done, error) {
	return l.changing(func(s *session.Session) error {
		def, err := s.Definition(name)
		if err != nil {
			return err
		}
		return l.manager.Store().SetTools(name, joinRules(def.Tools, rules))
	})
}

// SetToolRules saves which tools of a server are held back or renamed.
func (l *Local) SetToolRules(_ context.Context, name string, rules ToolRules) (Done, error) {
	return l.changing(func(*session.Session) error {
		return l.manager.Store().SetTools(name, mcpconf.ToolRules{Exclude: rules.Exclude, Rename: rules.Rename})
	})
}

func joinRules(old mcpconf.ToolRules, add ToolRules) mcpconf.ToolRules {
	out := mcpconf.ToolRules{Rename: map[string]string{}}
	for from, to := range old.Rename {
		out.Rename[from] = to
	}
	for from, to := range add.Rename {
		out.Rename[from] = to
	}
	for _, name := range append(slices.Clone(old.Exclude), add.Exclude...) {
		if _, renamed := add.Rename[name]; !renamed && !slices.Contains(out.Exclude, name) {
			out.Exclude = append(out.Exclude, name)
			delete(out.Rename, name)
		}
	}
	if len(out.Rename) == 0 {
		out.Rename = nil
	}
	return out
}
