package mcphost

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpconn"
)

// told is a start in one line.
func told(s Start) string {
	text := fmt.Sprintf("%d %s", s.Number, s.Reason)
	if s.Try > 0 {
		text += fmt.Sprintf(" %d", s.Try)
	}
	text += fmt.Sprintf(": %s", s.Outcome)
	if s.Message != "" {
		text += " " + s.Message
	}
	if s.End != "" {
		text += "; " + s.End
	}
	return text
}

func wantStarts(t *testing.T, rt *Runtime, name string, want ...string) []Start {
	t.Helper()
	starts, total := rt.Starts(name)
	var got []string
	for _, s := range starts {
		got = append(got, told(s))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("starts of %s:\n%s\nwant:\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(starts) > 0 && uint64(total) != starts[0].Number {
		t.Errorf("%d starts altogether, the newest is number %d", total, starts[0].Number)
	}
	return starts
}

func TestTheTimelineTellsWhyEachStartWasMadeAndWhatBecameOfIt(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = func(ctx context.Context, n int, obs mcpconn.Observer) (*fakeConn, error) {
			if n == 2 || n == 3 {
				return fails(time.Second, mcpconn.Exited, "exited with 1")(ctx, n, obs)
			}
			obs.Spawned(1000 + n)
			return serves(time.Second, "x")(ctx, n, obs)
		}
		rt := r.session("1")
		settle(t, rt, plan(wanted("a")))
		first := wantStarts(t, rt, "a", "1 first: connected")[0]
		if first.Took < time.Second || first.PID == 0 || first.Stage != "" {
			t.Errorf("first = %+v", first)
		}
		var sum time.Duration
		for _, s := range first.Stages {
			sum += s.Took
		}
		if sum < time.Second || first.Stages[0].Stage != mcpconn.Resolve || first.Stages[1].Stage != mcpconn.Spawn {
			t.Errorf("stages = %v", first.Stages)
		}
		r.dialer.last("a").die(mcpconn.Exited, "exited with 137")
		time.Sleep(time.Minute)
		reconnects := []string{"4 reconnect 3: connected", "3 reconnect 2: failed exited with 1", "2 reconnect 1: failed exited with 1", "1 first: connected; exited with 137"}
		failed := wantStarts(t, rt, "a", reconnects...)[1]
		if failed.Cause != mcpconn.Exited || failed.Stage != mcpconn.Initialize || failed.Took != time.Second {
			t.Errorf("failed = %+v", failed)
		}
		settle(t, rt, retries(plan(wanted("a")), map[string]uint64{"a": 1}))
		reconnects[0] += "; " + whyRetried
		retried := append([]string{"5 retry: connected"}, reconnects...)
		wantStarts(t, rt, "a", retried...)
		edited := edited(wanted("a"), map[string]int{"a": 1})
		settle(t, rt, retries(plan(edited), map[string]uint64{"a": 1}))
		retried[0] += "; " + whyEdited
		after := append([]string{"6 edited: connected"}, retried...)
		wantStarts(t, rt, "a", after...)
		settle(t, rt, retries(plan(with(edited, "a", pausedServer)), map[string]uint64{"a": 1}))
		after[0] += "; " + whyPaused
		wantStarts(t, rt, "a", after...)
		snap := settle(t, rt, retries(plan(edited), map[string]uint64{"a": 1}))
		wantStarts(t, rt, "a", append([]string{"7 again: connected"}, after...)...)
		if got := row(t, snap, "a").Starts; got != 7 {
			t.Errorf("the row tells of %d starts, want 7", got)
		}
	})
}

func TestTheTimelineKeepsTenStartsAndThoseCutShort(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = hangs()
		rt := r.session("1")
		rt.Apply(plan(wanted("a")))
		time.Sleep(10 * time.Second)
		running := wantStarts(t, rt, "a", "1 first: running")[0]
		if running.Stage != mcpconn.Spawn || running.Entered.IsZero() || running.Took != 0 {
			t.Errorf("running = %+v", running)
		}
		for n := range uint64(12) {
			rt.Apply(retries(plan(wanted("a")), map[string]uint64{"a": n + 1}))
			time.Sleep(5 * time.Second)
		}
		rt.Apply(plan(with(wanted("a"), "a", pausedServer)))
		time.Sleep(time.Minute)
		starts, total := rt.Starts("a")
		if len(starts) != keptStarts || total != 13 {
			t.Fatalf("%d of %d starts are kept, want %d of 13", len(starts), total, keptStarts)
		}
		if got := told(starts[0]); got != "13 retry: cut "+whyPaused {
			t.Errorf("the last one: %s", got)
		}
		if got := told(starts[1]); got != "12 retry: cut "+whyRetried {
			t.Errorf("the one before: %s", got)
		}
	})
}

func TestATimelineIsOfOneWorkspaceAndThatOfADryRunGoesWithIt(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = serves(time.Millisecond, "x")
		r.dialer.scripts["b"] = serves(time.Millisecond, "x")
		one := r.session("1")
		settle(t, one, plan(wanted("a")))
		trial := r.host.NewRuntime(RuntimeOptions{Session: "trial", Alone: true})
		trial.Apply(plan(wanted("b")))
		time.Sleep(time.Minute)
		wantStarts(t, trial, "b", "1 first: connected")
		wantStarts(t, one, "a", "1 first: connected")
		if err := trial.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.host.mu.Lock()
		defer r.host.mu.Unlock()
		if n := len(r.host.timelines); n != 1 {
			t.Errorf("%d timelines are kept, want 1", n)
		}
	})
}

func TestTheProcessOfAServerThatStillStartsIsKnown(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = func(ctx context.Context, n int, obs mcpconn.Observer) (*fakeConn, error) {
			obs.Spawned(4711)
			return hangs()(ctx, n, obs)
		}
		rt := r.session("1")
		rt.Apply(plan(wanted("a")))
		time.Sleep(time.Second)
		if got := rt.Running("a"); got.PID != 4711 || got.Since.IsZero() {
			t.Errorf("running = %+v", got)
		}
		rt.Apply(plan(with(wanted("a"), "a", pausedServer)))
		time.Sleep(time.Minute)
		if got := rt.Running("a"); got.PID != 0 {
			t.Errorf("after the end: %+v", got)
		}
	})
}
