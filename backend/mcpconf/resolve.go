package mcpconf

// Resolve decides about every server that the machine defines or the workspace enables:
// definitions in file order, then enabled names that nothing defines in the order of
// workspace.json. It is pure. Names match exactly. For each server the first that holds
// decides: not enabled → disabled, no definition → missing, not trusted → disabled,
// paused → paused, invalid → error, else wanted.
func Resolve(defs Definitions, enabled Enablement, trusted func(name string) bool, paused PauseSet) []Resolved {
	lines := make(map[string]EnabledName, len(enabled.Names))
	for _, n := range enabled.Names {
		if _, twice := lines[n.Name]; !twice {
			lines[n.Name] = n
		}
	}
	var all []Resolved
	for i := range defs.Servers {
		def := defs.Servers[i]
		n, on := lines[def.Name]
		delete(lines, def.Name)
		r := Resolved{
			Name: def.Name, Definition: &def, Line: n.Line,
			Enabled: on, Trusted: trusted(def.Name), Paused: on && paused.Has(def.Name),
		}
		r.State = r.decide()
		all = append(all, r)
	}
	for _, n := range enabled.Names {
		if _, left := lines[n.Name]; !left {
			continue
		}
		delete(lines, n.Name)
		all = append(all, Resolved{Name: n.Name, State: Missing, Enabled: true, Trusted: trusted(n.Name), Line: n.Line})
	}
	return all
}

// decide is the state of a server that is defined.
func (r Resolved) decide() State {
	switch {
	case !r.Enabled, !r.Trusted:
		return Disabled
	case r.Paused:
		return Paused
	case r.Definition.Invalid != "":
		return Invalid
	}
	return Wanted
}
