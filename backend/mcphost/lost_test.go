package mcphost

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

func TestALostServerComesBackAndKeepsItsClaims(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(time.Second, "search")
		r.dialer.scripts["b"] = serves(time.Second, "search")
		rt := r.session("1")
		taken := "b error MCP tool name conflict: search already provided by a"
		wantRows(t, settle(t, rt, plan(wanted("a", "b"))), "a connected", taken)
		withdrawn, _ := rt.Table().Lookup("search")
		time.Sleep(2 * time.Minute)
		r.dialer.last("a").die(mcpconn.Exited, "exited with 137")
		time.Sleep(200 * time.Millisecond)
		snap, _ := rt.Snapshot().Get()
		wantRows(t, snap, "a error exited with 137", taken)
		wantTools(t, rt)
		got := row(t, snap, "a")
		if got.Cause != mcpconn.Lost || got.Action != ActWait || got.Attempt != 1 || time.Until(got.NextTry) > 5*time.Second || time.Until(got.NextTry) < 4*time.Second {
			t.Errorf("lost row = %+v", got)
		}
		if !strings.Contains(got.Reason, "exited with 137") || !strings.Contains(got.Reason, got.NextTry.Format(time.TimeOnly)) {
			t.Errorf("reason = %q", got.Reason)
		}
		select {
		case <-withdrawn.Withdrawn:
		default:
			t.Error("the lost server's tool is not withdrawn")
		}
		time.Sleep(7 * time.Second)
		snap, _ = rt.Snapshot().Get()
		wantRows(t, snap, "a connected", taken)
		if row(t, snap, "a").Recovered != 1 {
			t.Errorf("Recovered = %d, want 1", row(t, snap, "a").Recovered)
		}
	})
}

func TestS26ExitAfterTheHandshakeIsNoStorm(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["okexit"] = func(ctx context.Context, _ int, _ mcpconn.Observer) (*fakeConn, error) {
			c := newFakeConn("x")
			time.AfterFunc(time.Millisecond, func() { c.die(mcpconn.Exited, "exited with 0") })
			return c, nil
		}
		rt := r.session("1")
		rt.Apply(plan(wanted("okexit")))
		time.Sleep(30 * time.Second)
		if got := r.dialer.count("okexit"); got > 6 || got < 2 {
			t.Errorf("%d spawns in 30 s, want 2 to 6", got)
		}
		time.Sleep(24 * time.Hour)
		snap, _ := rt.Snapshot().Get()
		got := row(t, snap, "okexit")
		if n := r.dialer.count("okexit"); n != 9 || got.State != Error || got.Cause != mcpconn.Lost || got.Action != ActRetry || !got.NextTry.IsZero() {
			t.Errorf("after a day: %d spawns (want 9), row %+v", n, got)
		}
		rt.Apply(retries(plan(wanted("okexit")), map[string]uint64{"okexit": 1}))
		time.Sleep(3 * time.Second)
		if n := r.dialer.count("okexit"); n != 10 {
			t.Errorf("one Retry cost %d spawns, want 1", n-9)
		}
	})
}

func TestALongHealthyServerStartsItsTriesAnew(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(time.Millisecond, "x")
		rt := r.session("1")
		settle(t, rt, plan(wanted("a")))
		for range 12 {
			time.Sleep(70 * time.Second)
			r.dialer.last("a").die(mcpconn.Exited, "exited with 1")
		}
		time.Sleep(10 * time.Second)
		snap, _ := rt.Snapshot().Get()
		if got := row(t, snap, "a"); got.State != Connected || got.Recovered != 12 {
			t.Errorf("row = %s, recovered %d", got.State, got.Recovered)
		}
	})
}

func TestARetryWhileWaitingRunsAtOnceAndKeepsTheSeries(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = func(_ context.Context, n int, _ mcpconn.Observer) (*fakeConn, error) {
			if n == 2 {
				return nil, &mcpconn.Failure{Cause: mcpconn.Refused, Message: "refused"}
			}
			return newFakeConn("x"), nil
		}
		rt := r.session("1")
		settle(t, rt, plan(wanted("a")))
		r.dialer.last("a").die(mcpconn.Exited, "exited with 1")
		time.Sleep(time.Second)
		snap := settle(t, rt, retries(plan(wanted("a")), map[string]uint64{"a": 1}))
		got := row(t, snap, "a")
		if r.dialer.count("a") != 2 || got.Cause != mcpconn.Lost || got.NextTry.IsZero() || !strings.Contains(got.Reason, "refused") {
			t.Errorf("%d dials, row %+v", r.dialer.count("a"), got)
		}
		time.Sleep(time.Minute)
		snap, _ = rt.Snapshot().Get()
		wantRows(t, snap, "a connected")
	})
}

func TestACallInFlight(t *testing.T) {
	base := wanted("a", "b")
	tests := []struct {
		name string
		do   func(r *rig, rt *Runtime)
		want string // "" when the call goes on
	}{
		{"rebuild of another", func(_ *rig, rt *Runtime) {
			rt.Apply(retries(plan(with(base, "b", pausedServer)), map[string]uint64{"b": 2}))
		}, ""},
		{"tool rules", func(_ *rig, rt *Runtime) {
			rt.Apply(plan(with(base, "a", func(s *mcpconf.Resolved) { s.Definition.Tools.Exclude = []string{"y"} })))
		}, ""},
		{"relist", func(r *rig, _ *Runtime) { r.dialer.last("a").relist("x", "z") }, ""},
		{"pause", func(_ *rig, rt *Runtime) { rt.Apply(plan(with(base, "a", pausedServer))) }, "paused in this session"},
		{"disable", func(_ *rig, rt *Runtime) {
			rt.Apply(plan(with(base, "a", func(s *mcpconf.Resolved) { s.State, s.Enabled = mcpconf.Disabled, false })))
		}, "not enabled in this workspace any more"},
		{"edit", func(_ *rig, rt *Runtime) {
			rt.Apply(plan(with(base, "a", func(s *mcpconf.Resolved) { s.Definition.Command = "a2" })))
		}, "its definition was edited"},
		{"remove", func(_ *rig, rt *Runtime) { rt.Apply(plan(base[1:])) }, "its definition was removed"},
		{"retry", func(_ *rig, rt *Runtime) { rt.Apply(retries(plan(base), map[string]uint64{"a": 1})) }, "Retry"},
		{"loss", func(r *rig, _ *Runtime) { r.dialer.last("a").die(mcpconn.Exited, "exited with 9") }, "exited with 9"},
		{"close", func(_ *rig, rt *Runtime) { _ = rt.Close(context.Background()) }, "the session was closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
				r.dialer.scripts["a"] = serves(time.Millisecond, "x", "y")
				r.dialer.scripts["b"] = serves(time.Millisecond, "w")
				rt := r.session("1")
				settle(t, rt, plan(base))
				conn, table := r.dialer.last("a"), rt.Table()
				result := make(chan tool.Result, 1)
				go func() { result <- table.Call(context.Background(), tool.Call{Name: "x"}, nil) }()
				synctest.Wait()
				tt.do(r, rt)
				synctest.Wait()
				entry, _ := table.Lookup("x")
				withdrawn := false
				select {
				case <-entry.Withdrawn:
					withdrawn = true
				default:
				}
				if withdrawn != (tt.want != "") {
					t.Errorf("withdrawn = %v", withdrawn)
				}
				select {
				case got := <-result:
					if tt.want == "" || got.Reason != tool.ServerGone || !strings.Contains(got.Content[0].Text, tt.want) {
						t.Errorf("the call ended with %+v, want %q", got, tt.want)
					}
				default:
					if tt.want != "" {
						t.Fatalf("the call goes on, want its end: %q", tt.want)
					}
					close(conn.answer)
					if got := <-result; !got.OK {
						t.Errorf("the call ended with %+v", got)
					}
				}
				if tt.want != "" {
					if got := table.Call(context.Background(), tool.Call{Name: "x"}, nil); got.OK || got.Reason != tool.ServerGone {
						t.Errorf("a call by the old table = %+v, want a refusal", got)
					}
				}
			})
		})
	}
}

func TestArgumentsThatAreNoObjectNeverReachTheServer(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(time.Millisecond, "x")
		rt := r.session("1")
		settle(t, rt, plan(wanted("a")))
		close(r.dialer.last("a").answer)
		for arguments, ok := range map[string]bool{"": true, "{}": true, "[1]": false, "{": false} {
			got := rt.Table().Call(t.Context(), tool.Call{Name: "x", Arguments: []byte(arguments)}, nil)
			if got.OK != ok || !ok && (got.Reason != tool.BadArguments || !strings.HasPrefix(got.Content[0].Text, "Invalid MCP tool arguments: ")) {
				t.Errorf("arguments %q: %+v", arguments, got)
			}
		}
		if got := r.dialer.last("a").calls; len(got) != 2 {
			t.Errorf("the server saw %d calls, want 2", len(got))
		}
	})
}

func TestToolsChangedChangesTheSurface(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(time.Millisecond, "x", "y")
		r.dialer.scripts["b"] = serves(time.Millisecond, "z")
		rt := r.session("1")
		settle(t, rt, plan(wanted("a", "b")))
		r.dialer.last("a").relist("y", "z2")
		synctest.Wait()
		wantTools(t, rt, "y", "z2", "z")
		time.Sleep(time.Second)
		snap, _ := rt.Snapshot().Get()
		if d := snap.Rebuild; fmt.Sprint(d.Added, d.Removed, d.Changed) != "[z2] [x] []" {
			t.Errorf("surface = %+v", d)
		}
		r.dialer.last("a").relist("y", "Z")
		time.Sleep(time.Second)
		snap, _ = rt.Snapshot().Get()
		wantRows(t, snap, "a connected", "b error MCP tool name conflict: z already provided by a")
	})
}

func TestTheGenerationGuardDropsALateDial(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		late := newFakeConn("late")
		r.dialer.scripts["a"] = func(ctx context.Context, n int, _ mcpconn.Observer) (*fakeConn, error) {
			if n == 1 {
				time.Sleep(20 * time.Second) // deaf to ctx
				return late, nil
			}
			return newFakeConn("fresh"), nil
		}
		rt := r.session("1")
		rt.Apply(plan(wanted("a")))
		time.Sleep(2 * time.Second)
		snap := settle(t, rt, retries(plan(wanted("a")), map[string]uint64{"a": 1}))
		wantRows(t, snap, "a connected")
		wantTools(t, rt, "fresh")
		time.Sleep(time.Minute)
		select {
		case <-late.done:
		default:
			t.Error("the late connection was not closed")
		}
		wantTools(t, rt, "fresh")
		r.dialer.most["a"] = 1 // a dial that does not end cannot be waited for
	})
}

func TestHeartbeatAndProbeAreForStreamableHTTP(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		servers := wanted("http", "sse", "stdio")
		servers = with(servers, "http", func(s *mcpconf.Resolved) { s.Definition.Type = mcpconf.StreamableHTTP })
		servers = with(servers, "sse", func(s *mcpconf.Resolved) { s.Definition.Type = mcpconf.SSE })
		for _, name := range []string{"http", "sse", "stdio"} {
			r.dialer.scripts[name] = serves(time.Millisecond, name)
		}
		rt := r.session("1")
		settle(t, rt, plan(servers))
		time.Sleep(2*time.Minute + 10*time.Second)
		if got := r.dialer.last("http").checked(); got != 0 {
			t.Errorf("%d heartbeats of a session that is not shown", got)
		}
		rt.SetActive(true)
		time.Sleep(65 * time.Second)
		if got := r.dialer.last("http").checked(); got != 2 {
			t.Errorf("%d heartbeats in 65 s, want 2", got)
		}
		rt.SetActive(false)
		r.dialer.last("http").playDead()
		rt.Probe(t.Context())
		wantTools(t, rt, "sse", "stdio")
		if r.dialer.last("sse").checked()+r.dialer.last("stdio").checked() != 0 {
			t.Error("sse or stdio was checked")
		}
		time.Sleep(10 * time.Second)
		rt.Probe(t.Context())
		if got := r.dialer.last("http").checked(); got != 0 {
			t.Errorf("a server seen 5 s ago was checked %d times", got)
		}
	})
}

func TestR08ADeadHTTPServerLeavesConnected(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["http"] = serves(time.Millisecond, "x")
		rt := r.session("1")
		rt.SetShown(true)
		settle(t, rt, plan(with(wanted("http"), "http", func(s *mcpconf.Resolved) { s.Definition.Type = mcpconf.StreamableHTTP })))
		r.dialer.last("http").playDead()
		time.Sleep(31 * time.Second)
		snap, _ := rt.Snapshot().Get()
		if got := row(t, snap, "http"); got.State != Error || got.Cause != mcpconn.Lost || got.NextTry.IsZero() {
			t.Errorf("row = %+v", got)
		}
	})
}
