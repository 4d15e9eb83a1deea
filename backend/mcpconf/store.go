package mcpconf

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"patchbay/backend/watch"
)

// emptyFile is what an edit starts from when there is no file yet.
const emptyFile = "{}\n"

// StorePath is the mcp.json of a home folder.
func StorePath(home string) string { return filepath.Join(home, ".ai4j", "mcp.json") }

// Store owns mcp.json: it publishes what the file says and makes every change of it.
// Reading never writes.
type Store struct {
	source *source
	value  *watch.Value[Definitions]

	// Touched by accept and by edits alone, which the source runs one at a time.
	good   *document                             // as last read well, nil when there was none
	fields map[string]map[string]json.RawMessage // own fields in good, by server
	lost   map[string]map[string]json.RawMessage // own fields that another program dropped
	forget string                                // the server that the edit in hand settles: its lost fields are no longer missed
	masker masker
}

// OpenStore opens the mcp.json at path, which need not exist, and watches it. Close it.
// A file that cannot be read or parsed is no error here but Definitions.Err.
func OpenStore(path string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("open mcp.json: %q is not an absolute path", path)
	}
	s := &Store{
		value:  watch.NewValue(Definitions{Path: path}),
		lost:   map[string]map[string]json.RawMessage{},
		masker: newMasker(),
	}
	s.source = &source{path: path, perm: 0o600, dirPerm: 0o700, opts: o, backups: newRing(o.State, path), accept: s.accept}
	s.source.start()
	return s, nil
}

// Value publishes the definitions.
func (s *Store) Value() *watch.Value[Definitions] { return s.value }

// Path is where mcp.json lies or would lie.
func (s *Store) Path() string { return s.source.path }

// LastOutsideEdit is the last change of the file that this process did not make, nil before
// the first. It is also part of the published value.
func (s *Store) LastOutsideEdit() *OutsideEdit {
	defs, _ := s.value.Get()
	return defs.Outside
}

// Reload reads the file now instead of a moment after it changed.
func (s *Store) Reload() { s.source.reload() }

// Close ends the watching; what was published stays readable.
func (s *Store) Close() { s.source.close() }

// accept publishes what the file holds now. What cannot be read well leaves the last good
// definitions in force.
func (s *Store) accept(c content, outside bool) {
	latest, _ := s.value.Get()
	next := Definitions{Path: latest.Path, Servers: latest.Servers, Outside: latest.Outside}
	doc, defs, fe := parseStore(s.Path(), c)
	if fe != nil {
		next.Err = fe
		s.value.Set(next)
		return
	}
	next.Servers = defs
	lost := s.follow(doc, outside)
	if outside {
		next.Outside = &OutsideEdit{
			Path:       latest.Path,
			AtMs:       nowMs(),
			Diff:       unified(latest.Path, s.masker.mask(s.good), s.masker.mask(doc)),
			LostFields: lost,
		}
	} else if next.Outside != nil && !slices.Equal(next.Outside.LostFields, lost) {
		edit := *next.Outside
		edit.LostFields = lost
		next.Outside = &edit
	}
	s.good = doc
	s.value.Set(next)
}

func parseStore(path string, c content) (*document, []Definition, *FileError) {
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
	defs, fe := doc.definitions()
	return doc, defs, fe
}

// follow keeps the account of own fields that other programs dropped, and lists them.
// What an edit of ours takes away is not lost.
func (s *Store) follow(doc *document, outside bool) []string {
	now := map[string]map[string]json.RawMessage{}
	if doc != nil {
		now = doc.own()
	}
	if outside {
		s.miss(now)
	} else {
		delete(s.lost, s.forget)
		s.forget = ""
	}
	for name, fields := range s.lost {
		there, stays := now[name]
		maps.DeleteFunc(fields, func(f string, _ json.RawMessage) bool { _, back := there[f]; return back })
		if !stays || len(fields) == 0 {
			delete(s.lost, name)
		}
	}
	s.fields = now
	return s.lostFields()
}

// miss notes the own fields of servers that are still there.
func (s *Store) miss(now map[string]map[string]json.RawMessage) {
	for name, fields := range s.fields {
		if _, stays := now[name]; !stays {
			continue
		}
		if s.lost[name] == nil {
			s.lost[name] = map[string]json.RawMessage{}
		}
		maps.Copy(s.lost[name], fields)
	}
}

func (s *Store) lostFields() []string {
	var list []string
	for name, fields := range s.lost {
		for f := range fields {
			list = append(list, name+": "+f)
		}
	}
	slices.Sort(list)
	return list
}

// Add defines a server, as the last one. An *ExistsError refuses a name that is taken.
func (s *Store) Add(def Definition) error {
	def, err := checked(def)
	if err != nil {
		return err
	}
	return s.change("add "+def.Name, func(e *edit, defs []Definition) error {
		if indexOf(defs, def.Name) >= 0 {
			return &ExistsError{Name: def.Name}
		}
		return e.set(def.entry(), "mcpServers", def.Name)
	}, def)
}

// Replace makes the definition of name say what def says, another name included. def is
// the whole definition: start from the current one. Fields of other programs stay, and so
// does the text of every field whose meaning does not change.
func (s *Store) Replace(name string, def Definition) error {
	def, err := checked(def)
	if err != nil {
		return err
	}
	what := "edit " + name
	if def.Name != name {
		what = "rename " + name + " to " + def.Name
	}
	return s.change(what, func(e *edit, defs []Definition) error {
		i := indexOf(defs, name)
		if i < 0 {
			return unknown(defs, name)
		}
		if def.Name != name {
			if indexOf(defs, def.Name) >= 0 {
				return &ExistsError{Name: def.Name}
			}
			if err := e.rename(def.Name, "mcpServers", name); err != nil {
				return err
			}
		}
		s.forget = name
		return e.rewrite(defs[i], def)
	}, def, Definition{Name: name})
}

// rewrite changes the entry from old to def. An entry that was of the wrong type in a
// place that def does not touch is put right too.
func (e *edit) rewrite(old, def Definition) error {
	m := e.find("mcpServers", def.Name)
	if m == nil || m.Value.Value.Kind() != '{' {
		return e.set(def.entry(), "mcpServers", def.Name)
	}
	if err := e.put(old, def, false); err != nil {
		return err
	}
	defs, fe := e.doc.definitions()
	if fe != nil {
		return fe
	}
	if i := indexOf(defs, def.Name); i >= 0 && defs[i].Invalid == def.Invalid {
		return nil
	}
	return e.put(old, def, true)
}

// Remove deletes the definition of name.
func (s *Store) Remove(name string) error {
	return s.change("remove "+name, func(e *edit, defs []Definition) error {
		if indexOf(defs, name) < 0 {
			return unknown(defs, name)
		}
		return e.remove("mcpServers", name)
	}, Definition{Name: name})
}

// SetTools sets which tools of a server are held back and which have another name. It
// refuses when the "tools" of the entry belong to another program.
func (s *Store) SetTools(name string, rules ToolRules) error {
	return s.change("set the tools of "+name, func(e *edit, defs []Definition) error {
		i := indexOf(defs, name)
		if i < 0 {
			return unknown(defs, name)
		}
		if defs[i].Invalid != "" && e.find("mcpServers", name).Value.Value.Kind() != '{' {
			return fmt.Errorf("%s: %s", name, defs[i].Invalid)
		}
		s.forget = name
		return e.putTools(name, defs[i].Tools, rules)
	}, Definition{Name: name})
}

// RestoreFields puts back the fields of ours that another program dropped, and tells which.
func (s *Store) RestoreFields() (restored []string, err error) {
	err = s.source.edit("restore fields", func(c content) ([]byte, error) {
		e, _, err := s.open(c)
		if err != nil {
			return nil, err
		}
		restored = s.lostFields()
		for _, name := range slices.Sorted(maps.Keys(s.lost)) {
			for _, f := range ownFields {
				if raw, ok := s.lost[name][f]; ok {
					if err := e.set(raw, "mcpServers", name, f); err != nil {
						return nil, err
					}
				}
			}
		}
		if len(restored) == 0 {
			return c.raw, nil
		}
		return e.text(), nil
	})
	if err != nil {
		return nil, err
	}
	return restored, nil
}

// Undo takes back the last change that Patchbay made and tells which it was. It refuses
// with ErrChangedSince when another program changed the file since, and with
// ErrNothingToUndo.
func (s *Store) Undo() (Version, error) { return s.source.undo() }

// Versions lists the changes that Patchbay made and can still undo, newest first.
func (s *Store) Versions() ([]Version, error) { return s.source.versions() }

// change makes one lossless edit. touched are the definitions that may differ afterwards;
// any other difference is a fault of ours and nothing is written.
func (s *Store) change(what string, do func(*edit, []Definition) error, touched ...Definition) error {
	return s.source.edit(what, func(c content) ([]byte, error) {
		e, defs, err := s.open(c)
		if err != nil {
			return nil, err
		}
		if err := do(e, defs); err != nil {
			return nil, err
		}
		after, fe := e.doc.definitions()
		if fe != nil {
			return nil, fe
		}
		if !sameOthers(defs, after, touched) {
			return nil, fmt.Errorf("%s in %s: the edit would have changed other servers too, so nothing was written", what, s.Path())
		}
		return e.text(), nil
	})
}

// open parses the file for an edit.
func (s *Store) open(c content) (*edit, []Definition, error) {
	if !c.exists {
		c = content{raw: []byte(emptyFile), exists: true}
	}
	doc, defs, fe := parseStore(s.Path(), c)
	if fe != nil {
		return nil, nil, refuse(fe)
	}
	return &edit{doc: doc}, defs, nil
}

func sameOthers(before, after []Definition, touched []Definition) bool {
	isTouched := func(d Definition) bool { return indexOf(touched, d.Name) >= 0 }
	before = slices.DeleteFunc(slices.Clone(before), isTouched)
	after = slices.DeleteFunc(slices.Clone(after), isTouched)
	return slices.EqualFunc(before, after, sameMeaning)
}
