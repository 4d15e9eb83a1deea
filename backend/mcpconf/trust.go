package mcpconf

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"patchbay/backend/fsx"
	"patchbay/backend/watch"
)

// Trust owns the answers to "may this workspace start that server?": a repository must not
// be able to start programs on its own. They lie in the state folder, readable by the owner
// alone, per canonical path of the workspace and name of the server.
type Trust struct {
	source *source
	value  *watch.Value[Trusts]
}

// Trusts is every answer as last read well. It is immutable.
type Trusts struct {
	Err         *FileError // why the file on disk is not what this holds; nil when it is
	byWorkspace map[string]NameSet
}

// Of is the set of names that a workspace, given by its canonical path, may start.
func (t Trusts) Of(workspace string) NameSet { return t.byWorkspace[workspace] }

// OpenTrust opens trust.json in the state folder and watches it, so that an answer given
// in one process counts in the others. Close it.
func OpenTrust(o Options) (*Trust, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	t := &Trust{value: watch.NewValue(Trusts{})}
	t.source = &source{path: filepath.Join(o.State, "trust.json"), perm: 0o600, dirPerm: 0o700, opts: o, accept: t.accept}
	t.source.start()
	return t, nil
}

// Value publishes the answers.
func (t *Trust) Value() *watch.Value[Trusts] { return t.value }

// Close ends the watching; what was published stays readable.
func (t *Trust) Close() { t.source.close() }

// Trusted is the set of names that a workspace may start.
func (t *Trust) Trusted(workspace string) NameSet {
	all, _ := t.value.Get()
	return all.Of(canonical(workspace))
}

// Trust answers yes for names in a workspace.
func (t *Trust) Trust(workspace string, names ...string) error {
	return t.change(workspace, func(set NameSet) NameSet { return set.With(names...) })
}

// Revoke takes the answers for names in a workspace back; they will be asked for again.
func (t *Trust) Revoke(workspace string, names ...string) error {
	return t.change(workspace, func(set NameSet) NameSet { return set.Without(names...) })
}

// canonical resolves links; a folder that is gone keeps its name, so that it can still be
// revoked.
func canonical(workspace string) string {
	if workspace == "" {
		return ""
	}
	if real, err := fsx.RealPath(workspace); err == nil {
		return real
	}
	return workspace
}

func (t *Trust) change(workspace string, change func(NameSet) NameSet) error {
	if workspace == "" {
		return errors.New("trust: no workspace is open")
	}
	workspace = canonical(workspace)
	return t.source.edit("trust", func(c content) ([]byte, error) {
		all, fe := parseTrust(t.source.path, c)
		if fe != nil {
			return nil, refuse(fe)
		}
		set := change(all[workspace])
		if maps.Equal(set.names, all[workspace].names) && c.exists {
			return c.raw, nil
		}
		if all[workspace] = set; set.Len() == 0 {
			delete(all, workspace)
		}
		return trustFile(all)
	})
}

func (t *Trust) accept(c content, _ bool) {
	latest, _ := t.value.Get()
	all, fe := parseTrust(t.source.path, c)
	if fe != nil {
		t.value.Set(Trusts{Err: fe, byWorkspace: latest.byWorkspace})
		return
	}
	t.value.Set(Trusts{byWorkspace: all})
}

// trustJSON is the form of trust.json.
type trustJSON struct {
	Workspaces map[string][]string `json:"workspaces"`
}

func parseTrust(path string, c content) (map[string]NameSet, *FileError) {
	all := map[string]NameSet{}
	if c.err != nil || !c.exists {
		return all, c.err
	}
	doc, fe := parseDocument(path, c.raw)
	if fe != nil {
		return nil, fe
	}
	var form trustJSON
	if err := decode(doc.root, &form); err != nil {
		return nil, &FileError{Path: path, Message: fmt.Sprintf("it is not a list of trusted servers (%v); delete it to be asked again", err)}
	}
	for ws, names := range form.Workspaces {
		all[ws] = NameSet{}.With(names...)
	}
	return all, nil
}

func trustFile(all map[string]NameSet) ([]byte, error) {
	form := trustJSON{Workspaces: map[string][]string{}}
	for ws, set := range all {
		form.Workspaces[ws] = set.Names()
	}
	data, err := json.MarshalIndent(form, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the trusted servers: %w", err)
	}
	return append(data, '\n'), nil
}

// NameSet is an immutable set of server names; the zero value is the empty one.
type NameSet struct{ names map[string]struct{} }

// PauseSet is the session layer: the names that a session leaves out for now.
type PauseSet = NameSet

// Has reports whether name is in the set.
func (s NameSet) Has(name string) bool { _, in := s.names[name]; return in }

// Len is the number of names.
func (s NameSet) Len() int { return len(s.names) }

// Names lists the set in alphabetical order.
func (s NameSet) Names() []string { return slices.Sorted(maps.Keys(s.names)) }

// With is the set and names.
func (s NameSet) With(names ...string) NameSet {
	next := make(map[string]struct{}, len(s.names)+len(names))
	maps.Copy(next, s.names)
	for _, n := range names {
		next[n] = struct{}{}
	}
	return NameSet{next}
}

// Without is the set less names.
func (s NameSet) Without(names ...string) NameSet {
	next := maps.Clone(s.names)
	for _, n := range names {
		delete(next, n)
	}
	return NameSet{next}
}
