package mcphost

import (
	"fmt"
	"slices"
	"strings"

	"patchbay/backend/mcpconn"
)

// OwnerBuiltin is the owner of the built-in tools in a Conflict.
const OwnerBuiltin = "built-in"

// candidate is a settled server that claims names.
type candidate struct {
	server string
	names  []string // as the model would see them, in listing order; "" for a tool without a name
}

// verdict is what came of a candidate's claims; the zero value is a server that has them.
type verdict struct {
	cause     mcpconn.Cause // of the first clash
	text      string        // of the first clash, word for word
	reason    string        // one sentence over all clashes
	conflicts []Conflict    // every one of them
}

// clash reports whether the candidate claims nothing.
func (v verdict) clash() bool { return v.cause != "" }

// claim gives each candidate, in the given order, the names it asks for or none of them:
// no built-in tool's, none twice, none that an earlier candidate has or that is taken
// already (name → owner). Case is ignored.
func claim(reserved []string, taken map[string]string, candidates []candidate) []verdict {
	builtin := make(map[string]bool, len(reserved))
	for _, name := range reserved {
		builtin[strings.ToLower(name)] = true
	}
	claimed := map[string]string{} // lower-case name → owner
	for name, owner := range taken {
		claimed[strings.ToLower(name)] = owner
	}
	verdicts := make([]verdict, len(candidates))
	for i, c := range candidates {
		v := judge(c, builtin, claimed)
		if verdicts[i] = v; v.clash() {
			continue
		}
		for _, name := range c.names {
			claimed[strings.ToLower(name)] = c.server
		}
	}
	return verdicts
}

// judge tries one candidate's names in the order and with the words of the contract.
func judge(c candidate, builtin map[string]bool, claimed map[string]string) verdict {
	var v verdict
	unnamed := false
	seen := make(map[string]bool, len(c.names))
	for _, name := range c.names {
		lower := strings.ToLower(name)
		owner, taken := claimed[lower]
		switch {
		case name == "":
			unnamed = true
			v.first(mcpconn.ToolUnnamed, fmt.Sprintf("MCP server %s returned a tool without a name", c.server))
		case builtin[lower]:
			v.first(mcpconn.ToolBuiltin, "MCP tool name conflicts with built-in tool: "+name)
			v.add(name, OwnerBuiltin)
		case seen[lower]:
			v.first(mcpconn.ToolDuplicate, fmt.Sprintf("MCP server %s returned duplicate tool: %s", c.server, name))
			v.add(name, c.server)
		case taken:
			v.first(mcpconn.ToolTaken, fmt.Sprintf("MCP tool name conflict: %s already provided by %s", name, owner))
			v.add(name, owner)
		}
		seen[lower] = true
	}
	if v.clash() {
		v.reason = clashReason(c.server, v.conflicts, unnamed)
	}
	return v
}

func (v *verdict) first(cause mcpconn.Cause, text string) {
	if v.cause == "" {
		v.cause, v.text = cause, text
	}
}

func (v *verdict) add(name, owner string) {
	if c := (Conflict{Tool: name, Owner: owner}); !slices.Contains(v.conflicts, c) {
		v.conflicts = append(v.conflicts, c)
	}
}

// clashReason says for people which names are taken and by whom.
func clashReason(server string, conflicts []Conflict, unnamed bool) string {
	var owners []string
	names := map[string][]string{}
	for _, c := range conflicts {
		if names[c.Owner] == nil {
			owners = append(owners, c.Owner)
		}
		names[c.Owner] = append(names[c.Owner], c.Tool)
	}
	var parts []string
	for _, owner := range owners {
		list := strings.Join(names[owner], ", ")
		switch owner {
		case OwnerBuiltin:
			parts = append(parts, "Tool names taken by built-ins: "+list+".")
		case server:
			parts = append(parts, "Tool names listed twice: "+list+".")
		default:
			parts = append(parts, fmt.Sprintf("Tool names taken by %s: %s.", owner, list))
		}
	}
	if unnamed {
		parts = append(parts, "A tool has no name.")
	}
	return strings.Join(parts, " ")
}
