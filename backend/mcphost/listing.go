package mcphost

import (
	"maps"
	"slices"
	"strings"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

// ListedTool is a tool as its server listed it and what came of it.
type ListedTool struct {
	mcpconn.Tool
	Visible  string // the name the model sees, "" when it sees none
	Excluded bool   // held back by "tools.exclude" of the definition
	Tokens   int    // estimate of what it costs in a request, or would when it is held back
}

// listing is a server's tools converted for the model by the rules of its definition. It
// does not depend on other servers. Immutable.
type listing struct {
	from  []mcpconn.Tool
	rules mcpconf.ToolRules

	tools    []ListedTool
	names    []string    // candidates for claims, in listing order
	specs    []tool.Spec // of names that are not ""
	skipped  []Skip
	tokens   int
	warnings []string
}

// isOf reports whether l was made of exactly this list and these rules. A Conn never
// changes a list that it handed out, so the same array is the same list.
func (l *listing) isOf(tools []mcpconn.Tool, rules mcpconf.ToolRules) bool {
	sameList := len(tools) == len(l.from) && (len(tools) == 0 || &tools[0] == &l.from[0])
	return sameList && slices.Equal(rules.Exclude, l.rules.Exclude) && maps.Equal(rules.Rename, l.rules.Rename)
}

// newListing holds back, renames and maps the names, in this order, and converts what the
// model sees.
func newListing(server string, tools []mcpconn.Tool, rules mcpconf.ToolRules) *listing {
	l := &listing{from: tools, rules: rules, tools: make([]ListedTool, len(tools))}
	var offered []int // indexes into tools
	var wanted []string
	for i, t := range tools {
		l.tools[i] = ListedTool{Tool: t, Excluded: slices.Contains(rules.Exclude, t.Name)}
		name := strings.TrimSpace(t.Name)
		if to := strings.TrimSpace(rules.Rename[t.Name]); to != "" {
			name = to
		}
		l.tools[i].Tokens = tokensOf(name, t.Description, t.InputSchema)
		switch {
		case l.tools[i].Excluded || t.AppOnly:
			continue
		case t.Skipped != "" && name != "":
			l.skipped = append(l.skipped, Skip{Tool: t.Name, Reason: t.Skipped})
			continue
		}
		offered = append(offered, i)
		wanted = append(wanted, name)
	}
	l.names = visibleNames(wanted)
	for n, i := range offered {
		if l.names[n] != "" {
			l.convert(server, &l.tools[i], l.names[n])
		}
	}
	l.warnings = unmatchedRules(tools, rules)
	return l
}

// visibleNames maps names to what model APIs accept. A name that is listed again, in
// whatever case, is mapped by itself, so that claims see the duplicate; "" stays "".
func visibleNames(names []string) []string {
	var distinct []string
	var at []int // indexes into names
	visible := make([]string, len(names))
	seen := map[string]bool{"": true}
	for i, name := range names {
		if lower := strings.ToLower(name); !seen[lower] {
			seen[lower] = true
			distinct, at = append(distinct, name), append(at, i)
		} else if name != "" {
			visible[i] = tool.MapNames([]string{name})[0]
		}
	}
	for n, name := range tool.MapNames(distinct) {
		visible[at[n]] = name
	}
	return visible
}

func (l *listing) convert(server string, t *ListedTool, visible string) {
	parameters, _ := tool.Repair(t.InputSchema)
	spec := tool.Spec{
		Name: visible, Description: t.Description, Parameters: parameters,
		OutputSchema: t.OutputSchema, Server: server, Original: t.Name, Title: t.Title,
		Annotations: t.Annotations,
		Hash:        tool.Hash(t.Name, t.Description, t.InputSchema, t.OutputSchema),
	}
	t.Visible, t.Tokens = visible, tokensOf(visible, spec.Description, parameters)
	l.tokens += t.Tokens
	l.specs = append(l.specs, spec)
}

// tokensOf estimates what a tool costs in a request: four bytes to a token is usual for
// English and JSON.
func tokensOf(name, description string, schema []byte) int {
	return (len(name) + len(description) + len(schema) + 3) / 4
}

// unmatchedRules warns of rules for tools that the server does not list: most often a typo.
func unmatchedRules(tools []mcpconn.Tool, rules mcpconf.ToolRules) []string {
	listed := func(name string) bool {
		return slices.ContainsFunc(tools, func(t mcpconn.Tool) bool { return t.Name == name })
	}
	var warnings []string
	for _, name := range rules.Exclude {
		if !listed(name) {
			warnings = append(warnings, "tools.exclude names "+name+", which the server does not list")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rules.Rename)) {
		if !listed(name) {
			warnings = append(warnings, "tools.rename names "+name+", which the server does not list")
		}
	}
	return warnings
}

// specNames are the names the model sees, in listing order.
func (l *listing) specNames() []string {
	names := make([]string, len(l.specs))
	for i, s := range l.specs {
		names[i] = s.Name
	}
	return names
}
