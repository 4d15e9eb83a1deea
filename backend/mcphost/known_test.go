package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

// stepping takes a second of each stage and then does as told.
func stepping(then script) script {
	return func(ctx context.Context, n int, obs mcpconn.Observer) (*fakeConn, error) {
		for _, stage := range []mcpconn.Stage{mcpconn.Connect, mcpconn.Initialize, mcpconn.List} {
			if err := sleep(ctx, time.Second); err != nil {
				return nil, err
			}
			obs.Stage(stage)
		}
		if err := sleep(ctx, time.Second); err != nil {
			return nil, err
		}
		return then(ctx, n, obs)
	}
}

// wantStages compares stages written as "stage took".
func wantStages(t *testing.T, rt *Runtime, name string, want ...string) {
	t.Helper()
	var got []string
	for _, s := range rt.Stages(name) {
		got = append(got, fmt.Sprintf("%s %s", s.Stage, s.Took))
	}
	if !slices.Equal(got, want) {
		t.Errorf("stages of %s = %v, want %v", name, got, want)
	}
}

func TestStagesOfTheLastStart(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["ok"] = stepping(serves(0, "echo"))
		r.dialer.scripts["broken"] = stepping(fails(0, mcpconn.ListInvalid, "no list"))
		rt := r.session("a")
		p := plan(wanted("ok", "broken"))
		rt.Apply(p)
		time.Sleep(1500 * time.Millisecond)
		wantStages(t, rt, "ok", "resolve 0s", "spawn 1s")
		settled(t, rt)
		all := []string{"resolve 0s", "spawn 1s", "connect 1s", "initialize 1s", "list 1s", "validate 0s", "claim 0s"}
		wantStages(t, rt, "ok", all...)
		wantStages(t, rt, "broken", all[:4]...)
		if got := rt.Stages("other"); got != nil {
			t.Errorf("stages of a server that is not there = %v", got)
		}

		r.dialer.last("ok").die(mcpconn.Lost, "it fell")
		time.Sleep(time.Second)
		wantStages(t, rt, "ok", all[:5]...) // the start that was
		rt.Apply(retries(p, map[string]uint64{"ok": 1}))
		time.Sleep(1500 * time.Millisecond)
		wantStages(t, rt, "ok", all[:2]...)
		settled(t, rt)
		wantStages(t, rt, "ok", all...)
	})
}

func TestAStageThatRunsTwiceIsOneEntry(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["eras"] = stepping(stepping(serves(0, "echo")))
		rt := r.session("a")
		settle(t, rt, plan(wanted("eras")))
		wantStages(t, rt, "eras", "resolve 0s", "spawn 1s", "connect 2s", "initialize 2s", "list 3s", "validate 0s", "claim 0s")
	})
}

func TestLogPages(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["talker"] = serves(0, "echo")
		rt := r.session("a")
		servers := wanted("talker")
		if page := rt.Log("talker", 7); len(page.Lines) != 0 || page.Next != 7 || page.Lost {
			t.Errorf("log of a server that was never started = %+v", page)
		}
		settle(t, rt, plan(servers))
		obs := r.dialer.last("talker").obs
		obs.Stderr("one")
		obs.Log("info", "two")
		first := rt.Log("talker", 0)
		if len(first.Lines) != 2 || first.Lines[0].Text != "one" || first.Lines[0].Level != "stderr" || first.Lines[1].Level != "info" || first.Lost {
			t.Fatalf("first page = %+v", first)
		}
		if first.Lines[0].Seq >= first.Lines[1].Seq || first.Lines[1].Seq != first.Next {
			t.Errorf("sequence numbers %d, %d, next %d", first.Lines[0].Seq, first.Lines[1].Seq, first.Next)
		}
		if again := rt.Log("talker", first.Next); len(again.Lines) != 0 || again.Next != first.Next || again.Lost {
			t.Errorf("a page without news = %+v", again)
		}
		for i := range keptLines + 5 {
			obs.Stderr(fmt.Sprintf("line %d", i))
		}
		flood := rt.Log("talker", first.Next)
		if !flood.Lost || len(flood.Lines) != keptLines || flood.Lines[0].Text != "line 5" {
			t.Errorf("after a flood: lost %v, %d lines", flood.Lost, len(flood.Lines))
		}

		settle(t, rt, plan(with(servers, "talker", func(s *mcpconf.Resolved) { s.Definition.Args = []string{"--changed"} })))
		r.dialer.last("talker").obs.Stderr("anew")
		anew := rt.Log("talker", flood.Next)
		if !anew.Lost || len(anew.Lines) != 1 || anew.Lines[0].Text != "anew" || anew.Next <= flood.Next || anew.Next >= 1<<53 {
			t.Errorf("log of the connection made anew, after %d = %+v", flood.Next, anew)
		}
	})
}

func TestCallByOriginalName(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["first"] = serves(0, "search", "held")
		r.dialer.scripts["clash"] = serves(0, "search")
		r.dialer.scripts["down"] = fails(0, mcpconn.Exited, "exited")
		rt := r.session("a")
		servers := with(wanted("first", "clash", "down"), "first", func(s *mcpconf.Resolved) {
			s.Definition.Tools = mcpconf.ToolRules{Exclude: []string{"held"}, Rename: map[string]string{"search": "find"}}
		})
		servers = with(servers, "clash", func(s *mcpconf.Resolved) {
			s.Definition.Tools = mcpconf.ToolRules{Rename: map[string]string{"search": "bash"}}
		})
		wantRows(t, settle(t, rt, plan(servers)), "first connected", "clash error MCP tool name conflicts with built-in tool: bash", "down error exited")
		for _, c := range [][2]string{{"first", "search"}, {"first", "held"}, {"clash", "search"}} {
			close(r.dialer.last(c[0]).answer)
			result, err := rt.Call(t.Context(), c[0], c[1], json.RawMessage(`{}`))
			if err != nil || !result.OK || result.Content[0].Text != "answer of "+c[1] {
				t.Errorf("call of %v = %+v, %v", c, result, err)
			}
			r.dialer.last(c[0]).answer = make(chan struct{})
		}
		for _, c := range [][3]string{{"down", "x", "not connected"}, {"nobody", "x", "not connected"}, {"first", "find", "lists no tool find"}} {
			if _, err := rt.Call(t.Context(), c[0], c[1], nil); err == nil || !strings.Contains(err.Error(), c[2]) {
				t.Errorf("call of %v: %v, want %s", c[:2], err, c[2])
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if result, err := rt.Call(ctx, "first", "held", nil); err != nil || result.Reason != tool.Cancelled {
			t.Errorf("a cancelled call = %+v, %v", result, err)
		}
	})
}

func TestTakenNamesOfOthers(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(0, "search")
		r.dialer.scripts["b"] = serves(0, "search", "b_only")
		r.dialer.scripts["c"] = serves(0, "c_only", "kept_back")
		rt := r.session("s")
		settle(t, rt, plan(with(wanted("a", "b", "c"), "c", func(s *mcpconf.Resolved) { s.Definition.Tools.Exclude = []string{"kept_back"} })))
		want := map[string]string{"search": "a", "c_only": "c", "bash": "built-in", "read_file": "built-in", "write_file": "built-in", "apply_patch": "built-in"}
		got := rt.Taken("b")
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("taken for b = %v, want %v", got, want)
		}
		if got := rt.Taken("a"); got["search"] != "" || got["b_only"] != "" {
			t.Errorf("taken for a = %v: b holds nothing while it clashes", got)
		}
	})
}

func TestAloneIsExpandedAndSharedWithNobody(t *testing.T) {
	expand := func(def mcpconf.Definition, _ string) (mcpconf.Definition, error) {
		def.Command += "-expanded"
		return def, nil
	}
	inBubble(t, HostOptions{Expand: expand}, func(t *testing.T, r *rig) {
		r.dialer.scripts["one"] = serves(0, "search", "Find")
		shared := r.session("a")
		settle(t, shared, plan(wanted("one")))
		alone := r.host.NewRuntime(RuntimeOptions{Session: "trial", Workspace: "/ws", Alone: true, Taken: func() map[string]string {
			return map[string]string{"find": "other"}
		}})
		snap := settle(t, alone, plan(wanted("one")))
		if got := r.dialer.count("one"); got != 2 {
			t.Errorf("%d connections, want one of each", got)
		}
		wantRows(t, snap, "one error MCP tool name conflict: Find already provided by other")
		if c := snap.Rows[0].Conflicts; len(c) != 1 || c[0] != (Conflict{"Find", "other"}) || len(snap.Rows[0].Shared) != 0 {
			t.Errorf("conflicts %v, shared with %v", c, snap.Rows[0].Shared)
		}
		for _, l := range alone.current.Load().links {
			if l.berth.def.Command != "one-expanded" {
				t.Errorf("it runs %s", l.berth.def.Command)
			}
		}
		if err := alone.Close(t.Context()); err != nil {
			t.Error(err)
		}
		wantRows(t, settled(t, shared), "one connected")
		if n := r.dialer.running["one"]; n != 1 {
			t.Errorf("%d run, want the session's", n)
		}
		r.dialer.most["one"] = 1 // two at a time are right here
	})
}
