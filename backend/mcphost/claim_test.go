package mcphost

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

var reserved = []string{"bash", "read_file", "write_file", "apply_patch"}

func TestClaimOrderAndTexts(t *testing.T) {
	tests := []struct {
		name      string
		servers   []candidate
		want      []string // first text per server
		conflicts [][]Conflict
	}{
		{"unnamed first", []candidate{{"a", []string{"x", "", "bash"}}}, []string{"MCP server a returned a tool without a name"}, [][]Conflict{{{"bash", "built-in"}}}},
		{"built-in, any case", []candidate{{"a", []string{"Read_File", "BASH"}}}, []string{"MCP tool name conflicts with built-in tool: Read_File"}, [][]Conflict{{{"Read_File", "built-in"}, {"BASH", "built-in"}}}},
		{"duplicate, any case", []candidate{{"a", []string{"echo", "Echo", "echo"}}}, []string{"MCP server a returned duplicate tool: Echo"}, [][]Conflict{{{"Echo", "a"}, {"echo", "a"}}}},
		{"a built-in listed twice is a built-in", []candidate{{"a", []string{"bash", "bash"}}}, []string{"MCP tool name conflicts with built-in tool: bash"}, [][]Conflict{{{"bash", "built-in"}}}},
		{"taken, any case", []candidate{{"a", []string{"search"}}, {"b", []string{"ok", "Search"}}}, []string{"", "MCP tool name conflict: Search already provided by a"}, [][]Conflict{nil, {{"Search", "a"}}}},
		{"a failed server claims nothing", []candidate{{"a", []string{"search", "bash"}}, {"b", []string{"search"}}}, []string{"MCP tool name conflicts with built-in tool: bash", ""}, [][]Conflict{{{"bash", "built-in"}}, nil}},
		{"several owners", []candidate{{"a", []string{"p"}}, {"b", []string{"q"}}, {"c", []string{"q", "p", "bash", "z", "z"}}},
			[]string{"", "", "MCP tool name conflict: q already provided by b"}, [][]Conflict{nil, nil, {{"q", "b"}, {"p", "a"}, {"bash", "built-in"}, {"z", "c"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, v := range claim(reserved, nil, tt.servers) {
				if v.text != tt.want[i] || !reflect.DeepEqual(v.conflicts, tt.conflicts[i]) || v.clash() != (tt.want[i] != "") {
					t.Errorf("%s: %q %v, want %q %v", tt.servers[i].server, v.text, v.conflicts, tt.want[i], tt.conflicts[i])
				}
			}
		})
	}
}

// sequential is the algorithm of the contract in its plainest form: one server after the
// other, the first clash refuses the server.
func sequential(servers [][]string) []string {
	claimed := map[string]string{}
	errs := make([]string, len(servers))
next:
	for i, tools := range servers {
		own := map[string]bool{}
		for _, name := range tools {
			lower := strings.ToLower(name)
			switch {
			case slices.Contains(reserved, lower):
				errs[i] = "MCP tool name conflicts with built-in tool: " + name
			case own[lower]:
				errs[i] = fmt.Sprintf("MCP server s%d returned duplicate tool: %s", i, name)
			case claimed[lower] != "":
				errs[i] = fmt.Sprintf("MCP tool name conflict: %s already provided by %s", name, claimed[lower])
			}
			if errs[i] != "" {
				continue next
			}
			own[lower] = true
		}
		for lower := range own {
			claimed[lower] = fmt.Sprintf("s%d", i)
		}
	}
	return errs
}

func TestTheEndStateIsThatOfTheSequentialAlgorithmWhateverTheTiming(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tools := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "B", "b", "c", "D", "bash", "e", "f", "g", "h"}), 0, 4), 1, 8).Draw(rt, "tools")
		delays := rapid.SliceOfN(rapid.IntRange(0, 3000), len(tools), len(tools)).Draw(rt, "delays")
		var wrong string
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, HostOptions{})
			defer r.close()
			var names []string
			for i := range tools {
				names = append(names, fmt.Sprintf("s%d", i))
				r.dialer.scripts[names[i]] = serves(time.Duration(delays[i])*time.Millisecond, tools[i]...)
			}
			snap := settle(t, r.session("1"), plan(wanted(names...)))
			for i, want := range sequential(tools) {
				got := snap.Rows[i]
				if got.Error != want || (got.State == Connected) != (want == "") {
					wrong = fmt.Sprintf("s%d is %s %q, want %q", i, got.State, got.Error, want)
				}
			}
		})
		if wrong != "" {
			rt.Fatalf("tools %v delays %v: %s", tools, delays, wrong)
		}
	})
}

func TestT08TheSameWinnerInTwentyShuffledStarts(t *testing.T) {
	for n := range 20 {
		inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			for name, tools := range map[string]string{"a": "search", "b": "search", "c": "bash"} {
				r.dialer.scripts[name] = serves(time.Duration(random.IntN(2000))*time.Millisecond, tools)
			}
			rt := r.session("1")
			clash := "c error MCP tool name conflicts with built-in tool: bash"
			wantRows(t, settle(t, rt, plan(wanted("a", "b", "c"))), "a connected", "b error MCP tool name conflict: search already provided by a", clash)
			wantRows(t, settle(t, rt, plan(with(wanted("a", "b", "c"), "a", pausedServer))), "a paused", "b connected", clash)
			if r.dialer.count("b") != 1 {
				t.Errorf("b was dialled %d times, want 1: it kept its connection while it clashed", r.dialer.count("b"))
			}
		})
	}
}

func TestListingHoldsBackRenamesAndMaps(t *testing.T) {
	tools := toolsNamed("get.one", "plain", "hidden", "secret", "broken", " ")
	tools[3].AppOnly = true
	tools[4].Skipped = "inputSchema is not an object"
	l := newListing("s", tools, mcpconf.ToolRules{Exclude: []string{"hidden"}, Rename: map[string]string{"plain": "other name"}})
	if len(l.names) != 3 || l.names[2] != "" {
		t.Fatalf("names = %q", l.names)
	}
	for i, original := range []string{"get.one", "plain"} {
		spec := l.specs[i]
		if spec.Original != original || spec.Name != l.names[i] || strings.ContainsAny(spec.Name, ". ") && i == 0 {
			t.Errorf("spec = %+v", spec)
		}
	}
	if fmt.Sprint(l.skipped) != "[{broken inputSchema is not an object}]" || l.tokens == 0 {
		t.Errorf("skipped = %v, tokens = %d", l.skipped, l.tokens)
	}
	if !l.tools[2].Excluded || l.tools[2].Visible != "" {
		t.Errorf("hidden = %+v", l.tools[2])
	}
}

func TestBackoffGrowsWithJitterAndHasACeiling(t *testing.T) {
	if got := backoff(5*time.Second, 1); got != 5*time.Second {
		t.Errorf("first = %s", got)
	}
	for n := 2; n <= 40; n++ {
		base := min(5*time.Second<<min(n-1, 16), longestBackoff)
		if got := backoff(5*time.Second, n); got < base*4/5 || got > base*6/5+1 {
			t.Errorf("try %d waits %s, want %s ± a fifth", n, got, base)
		}
	}
}

func TestHostCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, HostOptions{})
		r.dialer.scripts["deaf"] = func(context.Context, int, mcpconn.Observer) (*fakeConn, error) {
			time.Sleep(time.Minute)
			return newFakeConn(), nil
		}
		rt := r.session("1")
		rt.Apply(plan(wanted("deaf")))
		time.Sleep(time.Second)
		began := time.Now()
		err := r.host.Close()
		if took := time.Since(began); took > 13*time.Second || err == nil || !strings.Contains(err.Error(), "deaf") {
			t.Errorf("Close took %s: %v", took, err)
		}
		time.Sleep(time.Minute)
		r.close()
	})
}
