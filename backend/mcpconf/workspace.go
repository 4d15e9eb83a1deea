package mcpconf

import (
	"path/filepath"
	"slices"
	"strings"

	"patchbay/backend/fsx"
	"patchbay/backend/watch"
)

// Workspace owns the enablement layer of one workspace: enabledMcpServers of
// <workspace>/.ai4j/workspace.json. Reading never writes.
type Workspace struct {
	source *source
	value  *watch.Value[Enablement]
	good   *document // as last read well; touched by accept alone
}

// OpenWorkspace opens the workspace.json of the folder dir, which must exist (the file need
// not), and watches it. Close it. A file that cannot be read or parsed is no error here but
// Enablement.Err.
func OpenWorkspace(dir string, o Options) (*Workspace, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if dir, err = fsx.Canonical(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, ".ai4j", "workspace.json")
	w := &Workspace{value: watch.NewValue(Enablement{Path: path})}
	w.source = &source{path: path, perm: 0o644, dirPerm: 0o755, inside: dir, opts: o, backups: newRing(o.State, path), accept: w.accept}
	w.source.start()
	return w, nil
}

// Value publishes the enabled names.
func (w *Workspace) Value() *watch.Value[Enablement] { return w.value }

// Path is where workspace.json lies or would lie.
func (w *Workspace) Path() string { return w.source.path }

// LastOutsideEdit is the last change of the file that this process did not make, nil before
// the first. It is also part of the published value.
func (w *Workspace) LastOutsideEdit() *OutsideEdit {
	e, _ := w.value.Get()
	return e.Outside
}

// Reload reads the file now instead of a moment after it changed.
func (w *Workspace) Reload() { w.source.reload() }

// Close ends the watching; what was published stays readable.
func (w *Workspace) Close() { w.source.close() }

func (w *Workspace) accept(c content, outside bool) {
	latest, _ := w.value.Get()
	next := Enablement{Path: latest.Path, Names: latest.Names, Outside: latest.Outside}
	doc, names, fe := parseWorkspace(w.Path(), c)
	if fe != nil {
		next.Err = fe
		w.value.Set(next)
		return
	}
	next.Names = names
	if outside {
		next.Outside = &OutsideEdit{Path: latest.Path, AtMs: nowMs(), Diff: unified(latest.Path, plain(w.good), plain(doc))}
	}
	w.good = doc
	w.value.Set(next)
}

func plain(d *document) string {
	if d == nil {
		return ""
	}
	return string(d.body)
}

func parseWorkspace(path string, c content) (*document, []EnabledName, *FileError) {
	if c.err != nil {
		return nil, nil, c.err
	}
	if !c.exists {
		return nil, nil, nil
	}
	doc, fe := parseDocument(path, c.raw)
	if fe != nil {
		return nil, nil, fe
	}
	names, fe := doc.enabledNames()
	return doc, names, fe
}

// Enable adds a name at the end of enabledMcpServers; one that is there stays where it is.
// Whether the name is defined is the caller's question.
func (w *Workspace) Enable(name string) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return &UnknownError{}
	}
	return w.change("enable "+name, func(e *edit, names []EnabledName) error {
		if slices.ContainsFunc(names, func(n EnabledName) bool { return n.Name == name }) {
			return nil
		}
		return e.appendTo(name, "enabledMcpServers")
	})
}

// Disable removes a name from enabledMcpServers: the exact one, else those that differ only
// in case. A *NotEnabledError refuses a name that is not there.
func (w *Workspace) Disable(name string) error {
	name = strings.TrimSpace(name)
	return w.change("disable "+name, func(e *edit, names []EnabledName) error {
		same := func(n string) bool { return strings.TrimSpace(n) == name }
		if !slices.ContainsFunc(names, func(n EnabledName) bool { return same(n.Name) }) {
			same = func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) }
		}
		if !slices.ContainsFunc(names, func(n EnabledName) bool { return same(n.Name) }) {
			return &NotEnabledError{Name: name}
		}
		return e.removeFrom(same, "enabledMcpServers")
	})
}

// Undo takes back the last change that Patchbay made and tells which it was; see
// Store.Undo.
func (w *Workspace) Undo() (Version, error) { return w.source.undo() }

// Versions lists the changes that Patchbay made and can still undo, newest first.
func (w *Workspace) Versions() ([]Version, error) { return w.source.versions() }

func (w *Workspace) change(what string, do func(*edit, []EnabledName) error) error {
	return w.source.edit(what, func(c content) ([]byte, error) {
		if !c.exists {
			c = content{raw: []byte(emptyFile), exists: true}
		}
		doc, names, fe := parseWorkspace(w.Path(), c)
		if fe != nil {
			return nil, refuse(fe)
		}
		e := &edit{doc: doc}
		if err := do(e, names); err != nil {
			return nil, err
		}
		if _, fe := e.doc.enabledNames(); fe != nil {
			return nil, fe
		}
		return e.text(), nil
	})
}
