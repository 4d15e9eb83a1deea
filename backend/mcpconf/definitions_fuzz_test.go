package mcpconf

import (
	"errors"
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzDefinitions reads whatever an mcp.json may hold, resolves and expands it. Every
// server is wanted or says why not; of a file that is wrong the place is named.
func FuzzDefinitions(f *testing.F) {
	for _, seed := range []string{
		two, "", "{", "[]", "null", `{"mcpServers":[]}`, "\xEF\xBB\xBF{}", "\xFF\xFE{\x00}\x00",
		`{"mcpServers":{"a":{"command":"${env:X}","args":["${workspace}","~","$${Y}","${Z:-${W}}"],"tools":{"exclude":["x"],"rename":{"a":"b"}}}}}`,
		`{"mcpServers":{"a":{"type":"http","url":"${keyring:k}","headers":{"A":"${A"},"timeoutMs":-1,"callTimeoutMs":1e99,"protocol":7,"auth":null}}}`,
		`{"mcpServers":{"a":null,"a":1," a ":{"type":{},"env":{"":"x","B":2}}}} // end`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		defs, fe := ParseDefinitions("mcp.json", raw)
		if fe != nil {
			if fe.Line < 1 || fe.Column < 1 || fe.Message == "" {
				t.Fatalf("the error names no place: %+v", fe)
			}
			return
		}
		names := make([]EnabledName, len(defs))
		for i, d := range defs {
			names[i].Name = d.Name
		}
		resolved := Resolve(Definitions{Servers: defs}, Enablement{Names: names}, func(string) bool { return true }, PauseSet{})
		if len(resolved) != len(defs) {
			t.Fatalf("%d rows of %d definitions", len(resolved), len(defs))
		}
		for i, r := range resolved {
			checkResolved(t, defs[i], r)
		}
	})
}

func checkResolved(t *testing.T, def Definition, r Resolved) {
	t.Helper()
	if r.Name != def.Name || (r.State == Wanted) != (def.Invalid == "") {
		t.Fatalf("%q (invalid: %q) is %q as %q", def.Name, def.Invalid, r.State, r.Name)
	}
	if r.State != Wanted {
		return
	}
	out, err := Expand(def, ExpandEnv{
		LookupEnv: func(name string) (string, bool) { return "value", name == "X" },
		Keyring:   func(string) (string, error) { return "", errors.New("no keyring") },
		Workspace: "/ws", Home: "/home",
	})
	if err == nil && (out.Name != def.Name || len(out.Args) != len(def.Args)) {
		t.Fatalf("expanded to another server: %+v from %+v", out, def)
	}
	if err != nil && !utf8.ValidString(err.Error()) && !slices.ContainsFunc(append(def.Args, def.Command, def.URL), func(s string) bool { return !utf8.ValidString(s) }) {
		t.Fatalf("the error is no text: %q", err)
	}
}
