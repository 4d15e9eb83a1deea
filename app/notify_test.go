package app

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"patchbay/backend/watch"
)

// rows is a snapshot of session s: name=state, ….
func rows(pairs ...string) MCPSnapshot {
	snap := MCPSnapshot{SessionID: "s"}
	for _, pair := range pairs {
		name, state, _ := strings.Cut(pair, "=")
		snap.Rows = append(snap.Rows, ServerRow{Name: name, State: ServerState(state), Reason: "why " + name})
	}
	return snap
}

func TestLosses(t *testing.T) {
	other := rows("a=error")
	other.SessionID = "other"
	type step struct {
		after   time.Duration
		snap    MCPSnapshot
		focused bool
		want    []string
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"lost", []step{{snap: rows("a=connected", "b=connected")}, {snap: rows("a=error", "b=connected"), want: []string{"a"}}, {snap: rows("a=error", "b=connected")}}},
		{"several", []step{{snap: rows("a=connected", "b=connected")}, {snap: rows("a=error", "b=error"), want: []string{"a", "b"}}}},
		{"while it was started again", []step{{snap: rows("a=connected")}, {snap: rows("a=busy")}, {snap: rows("a=error"), want: []string{"a"}}}},
		{"never connected", []step{{snap: rows("a=busy")}, {snap: rows("a=error")}}},
		{"off by the person", []step{{snap: rows("a=connected", "b=connected", "c=connected")}, {snap: rows("a=disabled", "b=paused", "c=missing")}, {snap: rows("a=error", "b=error", "c=error")}}},
		{"seen in the window", []step{{snap: rows("a=connected")}, {snap: rows("a=error"), focused: true}, {snap: rows("a=error")}}},
		{"another session is shown", []step{{snap: rows("a=connected")}, {snap: other}}},
		{"again and again", []step{
			{snap: rows("a=connected")}, {snap: rows("a=error"), want: []string{"a"}},
			{snap: rows("a=connected"), after: 10 * time.Second}, {snap: rows("a=error")},
			{snap: rows("a=connected"), after: time.Minute}, {snap: rows("a=error"), want: []string{"a"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, now := newLosses(), time.Unix(1, 0)
			for i, step := range tt.steps {
				now = now.Add(step.after)
				var got []string
				for _, row := range l.in(step.snap, step.focused, now) {
					got = append(got, row.Name)
				}
				if !slices.Equal(got, step.want) {
					t.Fatalf("step %d tells %q, want %q", i, got, step.want)
				}
			}
		})
	}
}

func TestTurns(t *testing.T) {
	done := func(reason string) ChatEvent { return ChatEvent{SessionID: "s", Kind: KindDone, StopReason: reason} }
	failed := ChatEvent{SessionID: "s", Kind: KindError, Message: "no\nnetwork"}
	asking := ChatEvent{SessionID: "s", Kind: KindAsking, Tool: "fetch"}
	tests := []struct {
		name    string
		events  []ChatEvent
		focused bool
		want    []string // title | body
	}{
		{"answered", []ChatEvent{done("end_turn")}, false, []string{"The agent has answered | My chat"}},
		{"its limit", []ChatEvent{done("max_steps")}, false, []string{"The agent reached its limit of steps | My chat"}},
		{"refused", []ChatEvent{done("refused")}, false, []string{"The model refused to answer | My chat"}},
		{"failed", []ChatEvent{failed, done("error")}, false, []string{"The turn failed | My chat: no network"}},
		{"failed, then answered", []ChatEvent{failed, {SessionID: "s", Kind: KindUser}, done("error")}, false, []string{"The turn failed | My chat"}},
		{"stopped by the person", []ChatEvent{done("cancelled")}, false, nil},
		{"a reason of tomorrow", []ChatEvent{done("other")}, false, nil},
		{"waits", []ChatEvent{asking}, false, []string{"Approval needed: fetch | My chat"}},
		{"waits for many", []ChatEvent{asking, asking, asking}, false, []string{"Approval needed: fetch | My chat"}},
		{"seen in the window", []ChatEvent{asking, failed, done("error"), done("end_turn")}, true, nil},
		{"of no interest", []ChatEvent{{Kind: KindText}, {Kind: KindToolCall}, {Kind: KindNotice}}, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			turns := newTurns()
			for _, e := range tt.events {
				if n, tell := turns.in(e, "My chat", tt.focused, time.Unix(1, 0)); tell {
					got = append(got, n.title+" | "+n.body)
					if n.session != "s" {
						t.Errorf("it shows session %q", n.session)
					}
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Fatalf("it tells %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "exit status 1", "exit status 1"},
		{"lines and tabs", " a\n\tb\r\nc ", "a b c"},
		{"markup stays text", "<b>a</b> & b", "<b>a</b> & b"},
		{"what turns the direction", "a\u202eb\u2066c\u200b", "abc"},
		{"control characters", "a\x1b[31m\x00b", "a [31m b"},
		{"long", strings.Repeat("x", 50), strings.Repeat("x", 19) + "…"},
		{"long, Chinese", strings.Repeat("服", 50), strings.Repeat("服", 19) + "…"},
		{"not UTF-8", "a\xff", "a\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := line(tt.in, 20); got != tt.want {
				t.Fatalf("line = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLostNote(t *testing.T) {
	one := lostNote("s", []ServerRow{{Name: "fetch", Reason: "Connection lost:\nexit status 137"}})
	if want := (note{"fetch is no longer connected", "Connection lost: exit status 137", "s"}); one != want {
		t.Errorf("one: %+v", one)
	}
	many := lostNote("s", rows("a=error", "b=error", "c=error", "d=error", "e=error", "f=error").Rows)
	if want := (note{"6 servers are no longer connected", "a, b, c, d and 2 more", "s"}); many != want {
		t.Errorf("many: %+v", many)
	}
}

// fakeNotifier keeps what it is told and clicks it.
type fakeNotifier struct {
	notes  []note
	closed bool
}

func (f *fakeNotifier) tell(n note, clicked func()) { f.notes = append(f.notes, n); clicked() }
func (f *fakeNotifier) close()                      { f.closed = true }

// telling is a Backend of servers and sessions, and the desktop of its window.
type telling struct {
	Backend
	desktop
	servers *watch.Value[MCPSnapshot]
	did     []string
}

func (b *telling) Servers() Source[MCPSnapshot] { return b.servers }
func (b *telling) SessionList() Source[SessionsSnapshot] {
	return watch.NewValue(SessionsSnapshot{Current: "s", Sessions: []SessionInfo{{ID: "t", Title: "Other chat"}}})
}
func (b *telling) OpenSession(_ context.Context, id string) error {
	b.did = append(b.did, "open "+id)
	return nil
}
func (b *telling) raise() { b.did = append(b.did, "raise") }

func TestTellerGathersAndShowsWhatIsClicked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &telling{servers: watch.NewValue(rows("a=connected", "b=connected"))}
		c := &core{ctx: t.Context(), backend: b, desktop: b, logger: slog.New(slog.DiscardHandler), limit: callLimit, focused: &atomic.Bool{}}
		teller, n := newTeller(c), &fakeNotifier{}
		ctx, cancel := context.WithCancel(t.Context())
		go teller.follow(ctx)
		go teller.show(ctx, n)
		pass(time.Second)
		b.servers.Set(rows("a=error", "b=connected"))
		pass(tellGather / 2)
		b.servers.Set(rows("a=error", "b=error"))
		pass(tellGather)
		teller.event(ChatEvent{SessionID: "t", Kind: KindDone, StopReason: "end_turn"})
		pass(time.Second)
		cancel()
		synctest.Wait()
		want := []note{{"2 servers are no longer connected", "a, b", "s"}, {"The agent has answered", "Other chat", "t"}}
		if !slices.Equal(n.notes, want) || !n.closed {
			t.Errorf("it told %+v, closed %v", n.notes, n.closed)
		}
		if !slices.Equal(b.did, []string{"raise", "raise", "open t"}) {
			t.Errorf("the clicks did %q", b.did)
		}
	})
}
