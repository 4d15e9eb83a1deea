package tool_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"patchbay/backend/tool"
)

// entry is a tool that answers with its owner and the name it was called by.
func entry(server, name string) tool.Entry {
	return tool.Entry{
		Spec: tool.Spec{Server: server, Name: name, Original: name + ".orig"},
		Invoke: func(_ context.Context, call tool.Call, _ func(tool.Progress)) tool.Result {
			return tool.OKText(server + ":" + call.Name)
		},
	}
}

func tableNames(t *tool.Table) string {
	var list []string
	for _, s := range t.Specs() {
		list = append(list, s.Name)
	}
	return strings.Join(list, " ")
}

func TestTableOrderAndCut(t *testing.T) {
	servers := tool.NewTable(entry("b", "b1"), entry("a", "a1"), entry("b", "b2"), entry("a", "b1"))
	all := servers.Behind([]tool.Entry{entry("", "bash"), entry("", "read_file")})
	tests := []struct {
		name string
		got  *tool.Table
		want string
	}{
		{"the first of one name stays", servers, "b1 a1 b2"},
		{"built-ins stand first", all, "bash read_file b1 a1 b2"},
		{"no names open none", all.Servers(nil), "bash read_file"},
		{"an empty list opens none", all.Servers([]string{}), "bash read_file"},
		{"order is the table's, not the list's", all.Servers([]string{"a", "b", "a", "x"}), "bash read_file b1 a1 b2"},
		{"one", all.Servers([]string{"a"}), "bash read_file a1"},
		{"names match exactly", all.Servers([]string{"A"}), "bash read_file"},
		{"without built-ins", servers.Servers(nil), ""},
	}
	for _, tt := range tests {
		if got := tableNames(tt.got); got != tt.want || tt.got.Len() != len(tt.got.Specs()) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	all.Specs()[0].Name = "changed"
	if got := tableNames(all); !strings.HasPrefix(got, "bash ") {
		t.Errorf("a reader changed the table: %s", got)
	}
}

func TestT13CutKeepsBuiltinsAndNamesTheRest(t *testing.T) {
	var entries []tool.Entry
	for i := range 180 {
		entries = append(entries, entry([]string{"a", "b"}[i/90], fmt.Sprintf("t%d", i)))
	}
	builtins := []tool.Entry{entry("", "bash"), entry("", "read_file"), entry("", "write_file"), entry("", "apply_patch")}
	kept, left := tool.NewTable(entries...).Behind(builtins).Cut(tool.MaxTools)
	if kept.Len() != 128 || len(left) != 56 || left[0] != "t124" || left[55] != "t179" {
		t.Errorf("kept %d, left %v", kept.Len(), left)
	}
	if !strings.HasPrefix(tableNames(kept), "bash read_file write_file apply_patch t0 ") {
		t.Errorf("order: %s", tableNames(kept))
	}
	if r := kept.Call(t.Context(), tool.Call{Name: "t124"}, nil); r.OK || r.Reason != tool.NotOpen {
		t.Errorf("a tool that was cut answers: %+v", r)
	}
	if same, left := kept.Cut(128); same != kept || left != nil {
		t.Error("a table that fits was cut")
	}
	if none, left := kept.Cut(-1); none.Len() != 0 || len(left) != 128 {
		t.Errorf("a cut to nothing keeps %d", none.Len())
	}
}

func TestTableCall(t *testing.T) {
	table := tool.NewTable(entry("", "bash"), entry("a", "Search"))
	tests := []struct {
		name, want string
		reason     tool.Reason
	}{
		{"Search", "a:Search", tool.ReasonNone},
		{"search", "Unknown tool: search. Did you mean Search?", tool.NotOpen},
		{"delete", "Unknown tool: delete. It is not open in this request.", tool.NotOpen},
		{"", "Unknown tool: . It is not open in this request.", tool.NotOpen},
	}
	for _, tt := range tests {
		r := table.Call(t.Context(), tool.Call{Name: tt.name}, nil)
		if r.Reason != tt.reason || r.OK != (tt.reason == "") || r.Content[0].Text != tt.want {
			t.Errorf("Call(%q) = %+v, want %q", tt.name, r, tt.want)
		}
	}
	if _, ok := table.Lookup("SEARCH"); ok {
		t.Error("Lookup ignores case")
	}
	if e, ok := table.Lookup("Search"); !ok || e.Original != "Search.orig" {
		t.Errorf("Lookup = %+v, %v", e.Spec, ok)
	}
	if slices.Contains(strings.Fields(tableNames(table.Servers(nil))), "Search") {
		t.Error("Servers(nil) offers a server's tool")
	}
}
