package mcphost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/tool"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// inBubble runs a test with its own clock.
func inBubble(t *testing.T, o HostOptions, test func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, o)
		defer r.close()
		test(t, r)
	})
}

func TestRowsSayStateLayerCauseActionAndReason(t *testing.T) {
	inBubble(t, HostOptions{Expand: expandUnless("needs-env", "NOTES_TOKEN is not set")}, func(t *testing.T, r *rig) {
		servers := wanted("ok", "off", "untrusted", "held", "bad", "needs-env", "gone", "clash", "missing")
		servers = with(servers, "off", func(s *mcpconf.Resolved) { s.State, s.Enabled, s.Trusted = mcpconf.Disabled, false, false })
		servers = with(servers, "untrusted", func(s *mcpconf.Resolved) { s.State, s.Trusted = mcpconf.Disabled, false })
		servers = with(servers, "held", pausedServer)
		servers = with(servers, "bad", func(s *mcpconf.Resolved) {
			s.State, s.Definition.Invalid = mcpconf.Invalid, "stdio transport requires command"
		})
		servers = with(servers, "missing", func(s *mcpconf.Resolved) { s.State, s.Definition = mcpconf.Missing, nil })
		r.dialer.scripts["ok"] = serves(time.Second, "echo")
		r.dialer.scripts["gone"] = fails(time.Second, mcpconn.NotFound, "command not found: gone")
		r.dialer.scripts["clash"] = serves(time.Second, "read_file", "other", "write_file")
		snap := settle(t, r.session("a"), plan(servers))
		tests := []struct {
			name                       string
			state                      State
			layer                      Layer
			cause                      mcpconn.Cause
			action                     Action
			reason, err                string
			file                       string
			line                       int
			evidenceFile, evidenceLine string
		}{
			{name: "ok", state: Connected, file: "mcp.json", line: 2},
			{name: "off", state: Disabled, layer: LayerWorkspace, cause: mcpconn.NotEnabled, action: ActEnable, reason: "Not enabled in this workspace.", file: "mcp.json", line: 3},
			{name: "untrusted", state: Disabled, layer: LayerWorkspace, cause: mcpconn.Untrusted, action: ActTrust, reason: "Enabled in workspace.json line 3, not trusted here yet.", file: "mcp.json", line: 4},
			{name: "held", state: Paused, layer: LayerSession, cause: mcpconn.Paused, action: ActResume, reason: "Paused in this session only.", file: "mcp.json", line: 5},
			{name: "bad", state: Error, layer: LayerDefinition, cause: mcpconn.Invalid, action: ActEdit, reason: "The definition is not valid: stdio transport requires command.", err: "stdio transport requires command", file: "mcp.json", line: 6},
			{name: "needs-env", state: Error, layer: LayerDefinition, cause: mcpconn.EnvMissing, action: ActEdit, reason: "NOTES_TOKEN is not set.", err: "NOTES_TOKEN is not set", file: "mcp.json", line: 7},
			{name: "gone", state: Error, layer: LayerRuntime, cause: mcpconn.NotFound, action: ActEdit, reason: "Command not found: gone.", err: "command not found: gone", file: "mcp.json", line: 8},
			{name: "clash", state: Error, layer: LayerRuntime, cause: mcpconn.ToolBuiltin, action: ActResolve, reason: "Tool names taken by built-ins: read_file, write_file.", err: "MCP tool name conflicts with built-in tool: read_file", file: "mcp.json", line: 9},
			{name: "missing", state: Missing, layer: LayerDefinition, cause: mcpconn.Undefined, action: ActDefine, reason: "Enabled in workspace.json line 9, defined nowhere.", err: "workspace references undefined MCP server", file: "workspace.json", line: 9},
		}
		if len(snap.Rows) != len(tests) {
			t.Fatalf("%d rows, want %d", len(snap.Rows), len(tests))
		}
		for i, tt := range tests {
			got := snap.Rows[i]
			if got.Name != tt.name || got.State != tt.state || got.Layer != tt.layer || got.Cause != tt.cause || got.Action != tt.action || got.Reason != tt.reason || got.Error != tt.err {
				t.Errorf("row %s:\n got %s %s %s %s %q %q\nwant %s %s %s %s %q %q", tt.name,
					got.State, got.Layer, got.Cause, got.Action, got.Reason, got.Error, tt.state, tt.layer, tt.cause, tt.action, tt.reason, tt.err)
			}
			if !strings.HasSuffix(got.File, tt.file) || got.Line != tt.line {
				t.Errorf("row %s is at %s:%d, want %s:%d", tt.name, got.File, got.Line, tt.file, tt.line)
			}
			if got.Since.IsZero() {
				t.Errorf("row %s has no Since", tt.name)
			}
		}
		clash := row(t, snap, "clash")
		if clash.PID == 0 || clash.ToolCount != 0 || len(clash.Conflicts) != 2 || clash.Conflicts[1] != (Conflict{"write_file", "built-in"}) {
			t.Errorf("clash row = %+v: wants its pid, no tools, both conflicts", clash)
		}
	})
}

func expandUnless(name, message string) func(mcpconf.Definition, string) (mcpconf.Definition, error) {
	return func(def mcpconf.Definition, _ string) (mcpconf.Definition, error) {
		if def.Name == name {
			return def, errors.New(message)
		}
		return def, nil
	}
}

func TestEveryCauseHasAnAction(t *testing.T) {
	for _, cause := range mcpconn.AllCauses {
		action := actionFor(cause)
		if action == "" {
			t.Errorf("%s has no action", cause)
		}
		if strings.HasPrefix(string(cause), "tool_") != (action == ActResolve) {
			t.Errorf("%s → %s", cause, action)
		}
	}
}

func TestS18OneHangingAmongTenDelaysNobody(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		var names []string
		for i := range 10 {
			names = append(names, fmt.Sprintf("s%d", i))
			r.dialer.scripts[names[i]] = serves(time.Second, fmt.Sprintf("t%d", i))
		}
		r.dialer.scripts["s4"] = hangs()
		rt := r.session("a")
		rt.Apply(plan(wanted(names...)))
		time.Sleep(1500 * time.Millisecond)
		snap, _ := rt.Snapshot().Get()
		for _, got := range snap.Rows {
			want := Connected
			if got.Name == "s4" {
				want = Busy
			}
			if got.State != want {
				t.Errorf("%s is %s after 1.5 s, want %s", got.Name, got.State, want)
			}
		}
		if snap.Settled {
			t.Error("settled while s4 hangs")
		}
		if rt.Table().Len() != 9 {
			t.Errorf("%d tools, want 9", rt.Table().Len())
		}
		rt.Apply(plan(with(wanted(names...), "s2", pausedServer)))
		time.Sleep(200 * time.Millisecond)
		if snap, _ = rt.Snapshot().Get(); row(t, snap, "s2").State != Paused {
			t.Error("pausing another server waited for the hanging one")
		}
		snap = settled(t, rt)
		if got := row(t, snap, "s4"); got.State != Error || got.Cause != mcpconn.Timeout {
			t.Errorf("s4 = %s %s, want error timeout: the host's own deadline", got.State, got.Cause)
		}
	})
}

func TestRetryOfOneAmongFortyKeepsTheOthers(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		var names []string
		for i := range 40 {
			names = append(names, fmt.Sprintf("s%02d", i))
			r.dialer.scripts[names[i]] = serves(300*time.Millisecond, fmt.Sprintf("t%d", i))
		}
		rt := r.session("a")
		before := settle(t, rt, plan(wanted(names...)))
		after := settle(t, rt, retries(plan(wanted(names...)), map[string]uint64{"s07": 1}))
		for i := range names {
			b, a := before.Rows[i], after.Rows[i]
			if changed := b.PID != a.PID; changed != (b.Name == "s07") || a.State != Connected {
				t.Errorf("%s: pid %d → %d, %s", b.Name, b.PID, a.PID, a.State)
			}
		}
		if got := r.dialer.count("s07"); got != 2 {
			t.Errorf("s07 was dialled %d times, want 2", got)
		}
	})
}

func TestTwentyQuickRetriesCostTwoSpawns(t *testing.T) {
	for _, pace := range []time.Duration{0, 10 * time.Millisecond, 60 * time.Millisecond, 200 * time.Millisecond} {
		for name, s := range map[string]script{
			"quick server": serves(time.Millisecond, "x"), "slow server": serves(5*time.Second, "x"),
			"failing server": fails(time.Millisecond, mcpconn.Exited, "exited with 1"),
		} {
			t.Run(fmt.Sprint(name, " ", pace), func(t *testing.T) {
				inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
					r.dialer.scripts["a"] = s
					rt := r.session("a")
					settle(t, rt, plan(wanted("a")))
					time.Sleep(time.Minute)
					for n := range uint64(20) {
						rt.Apply(retries(plan(wanted("a")), map[string]uint64{"a": n + 1}))
						time.Sleep(pace)
					}
					settled(t, rt)
					if got := r.dialer.count("a") - 1; got < 1 || got > 2 {
						t.Errorf("20 retries cost %d spawns, want 1 or 2", got)
					}
				})
			})
		}
	}
}

func TestARetryCutsAHangingAttemptShort(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = func(ctx context.Context, n int, obs mcpconn.Observer) (*fakeConn, error) {
			if n == 1 {
				return hangs()(ctx, n, obs)
			}
			return serves(time.Millisecond, "x")(ctx, n, obs)
		}
		rt := r.session("a")
		rt.Apply(plan(wanted("a")))
		time.Sleep(3 * time.Second)
		began := time.Now()
		wantRows(t, settle(t, rt, retries(plan(wanted("a")), map[string]uint64{"a": 1})), "a connected")
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestAnEditStopsTheOldProcessBeforeTheNewOne(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(time.Second, "x")
		r.dialer.scripts["b"] = serves(time.Second, "y")
		rt, other := r.session("1"), r.session("2")
		before := settle(t, rt, plan(wanted("a", "b")))
		settle(t, other, plan(wanted("a", "b")))
		edited := plan(with(wanted("a", "b"), "a", func(s *mcpconf.Resolved) { s.Definition.Args = []string{"-v"} }))
		rt.Apply(edited)
		time.Sleep(500 * time.Millisecond) // the other session reads the file a little later
		other.Apply(edited)
		after := settled(t, rt)
		settled(t, other)
		if row(t, before, "a").PID == row(t, after, "a").PID || row(t, before, "b").PID != row(t, after, "b").PID {
			t.Error("want a restarted and b kept")
		}
		if got := r.dialer.count("a"); got != 2 {
			t.Errorf("a was dialled %d times, want 2: both sessions share the new one", got)
		}
	}) // close checks that no two ran at the same time
}

func TestToolRulesOnlyClaimAgain(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["files"] = serves(time.Second, "read_file", "list_dir", "write_file")
		r.dialer.scripts["b"] = serves(time.Second, "search")
		rt := r.session("a")
		before := settle(t, rt, plan(wanted("files", "b")))
		wantTools(t, rt, "search")
		snap := settle(t, rt, plan(with(wanted("files", "b"), "files", func(s *mcpconf.Resolved) {
			s.Definition.Tools = mcpconf.ToolRules{Exclude: []string{"write_file", "nope"}, Rename: map[string]string{"read_file": "fs_read"}}
		})))
		wantRows(t, snap, "files connected", "b connected")
		wantTools(t, rt, "fs_read", "list_dir", "search")
		if got := row(t, snap, "files"); got.PID != row(t, before, "files").PID || len(got.Warnings) != 1 {
			t.Errorf("files = %+v: wants the same pid and a warning about nope", got)
		}
		if e, _ := rt.Table().Lookup("fs_read"); e.Original != "read_file" || e.Server != "files" {
			t.Errorf("fs_read = %+v", e.Spec)
		}
		if d := snap.Rebuild; d == nil || fmt.Sprint(d.Added, d.Removed, d.Changed) != "[fs_read list_dir] [] []" {
			t.Errorf("surface = %+v", d)
		}
		wantRows(t, settle(t, rt, plan(wanted("b", "files"))), "b connected", "files error MCP tool name conflicts with built-in tool: read_file")
		if got := r.dialer.count("files") + r.dialer.count("b"); got != 2 {
			t.Errorf("%d dials, want 2", got)
		}
	})
}

func TestAFailedServerIsNotTriedByOtherChanges(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = fails(time.Second, mcpconn.Exited, "exited with 1")
		r.dialer.scripts["b"] = serves(time.Second, "x")
		rt := r.session("a")
		settle(t, rt, plan(wanted("a", "b")))
		settle(t, rt, plan(with(wanted("a", "b"), "b", pausedServer)))
		settle(t, rt, plan(wanted("a", "b")))
		time.Sleep(time.Hour)
		if got := r.dialer.count("a"); got != 1 {
			t.Errorf("a was dialled %d times, want 1", got)
		}
		settle(t, rt, plan(with(wanted("a", "b"), "a", func(s *mcpconf.Resolved) { s.Definition.CWD = "/x" })))
		if got := r.dialer.count("a"); got != 2 {
			t.Errorf("after an edit: %d dials, want 2", got)
		}
	})
}

func TestSnapshotsComeAtMostTenASecondAndTheLastAlwaysComes(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		var names []string
		for i := range 60 {
			names = append(names, fmt.Sprintf("s%d", i))
			r.dialer.scripts[names[i]] = serves(time.Duration(i)*40*time.Millisecond, fmt.Sprintf("t%d", i))
		}
		rt := r.session("a")
		var at []time.Time
		stop := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer close(stop)
			for rev := uint64(0); ; {
				_, next, err := rt.Snapshot().Wait(ctx, rev)
				if err != nil {
					return
				}
				rev = next
				at = append(at, time.Now())
			}
		}()
		settle(t, rt, plan(wanted(names...)))
		for i := range 30 {
			settle(t, rt, plan(wanted(names[i:]...)))
		}
		synctest.Wait()
		cancel()
		<-stop
		for i := 10; i < len(at); i++ {
			if d := at[i].Sub(at[i-10]); i > 10 && d < time.Second {
				t.Fatalf("eleven snapshots in %s", d)
			}
		}
		if snap, _ := rt.Snapshot().Get(); len(snap.Rows) != 31 || !snap.Settled {
			t.Errorf("last snapshot has %d rows, settled %v", len(snap.Rows), snap.Settled)
		}
	})
}

func TestTwoSessionsShareAConnection(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(time.Second, "x")
		one, two := r.session("1"), r.session("2")
		settle(t, one, plan(wanted("a")))
		second := settle(t, two, plan(wanted("a")))
		settled(t, one)
		synctest.Wait()
		first, _ := one.Snapshot().Get()
		if row(t, first, "a").PID != row(t, second, "a").PID || r.dialer.count("a") != 1 {
			t.Fatal("not shared")
		}
		if got := fmt.Sprint(row(t, first, "a").Shared, row(t, second, "a").Shared); got != "[Session 2] [Session 1]" {
			t.Errorf("Shared = %s", got)
		}
		result := make(chan tool.Result, 2)
		call := func(rt *Runtime) {
			table := rt.Table()
			go func() { result <- table.Call(context.Background(), tool.Call{Name: "x"}, nil) }()
			synctest.Wait()
		}
		call(one)
		settle(t, one, plan(with(wanted("a"), "a", pausedServer)))
		if got := <-result; got.Reason != tool.ServerGone || !strings.Contains(got.Content[0].Text, "paused in this session") {
			t.Errorf("call of the pausing session = %+v", got)
		}
		call(two)
		close(r.dialer.last("a").answer)
		if got := <-result; !got.OK {
			t.Errorf("call of the other session = %+v", got)
		}
		settle(t, one, plan(wanted("a")))
		settle(t, two, retries(plan(wanted("a")), map[string]uint64{"a": 1}))
		if a, b := row(t, settled(t, one), "a"), row(t, settled(t, two), "a"); a.PID != b.PID || a.PID == row(t, second, "a").PID {
			t.Errorf("after a retry in one session: pids %d and %d, before %d", a.PID, b.PID, row(t, second, "a").PID)
		}
	})
}

func TestPrivateConnectionsAreNotSharedNorExpanded(t *testing.T) {
	inBubble(t, HostOptions{Expand: expandUnless("a", "must not be expanded")}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(time.Second, "x")
		var pids [2]int
		for i := range pids {
			rt := r.host.NewRuntime(RuntimeOptions{Session: fmt.Sprint(i), Workspace: "/ws", Private: true})
			defer func() { _ = rt.Close(context.Background()) }()
			got := row(t, settle(t, rt, Plan{Servers: wanted("a")}), "a")
			if got.State != Connected || got.File != "" || got.Shared != nil {
				t.Errorf("row = %+v", got)
			}
			pids[i] = got.PID
		}
		if pids[0] == pids[1] {
			t.Error("shared")
		}
		r.dialer.most["a"] = 1 // two at a time are wanted here
	})
}
