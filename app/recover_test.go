package app

import (
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fakeShell notes what it is asked for.
type fakeShell struct {
	did      []string
	title    string
	text     string
	answered func(choice)
}

func (s *fakeShell) reload()  { s.did = append(s.did, "reload") }
func (s *fakeShell) dismiss() { s.did = append(s.did, "dismiss") }
func (s *fakeShell) quit()    { s.did = append(s.did, "quit") }
func (s *fakeShell) ask(title, text string, answered func(choice)) {
	s.did = append(s.did, "ask")
	s.title, s.text, s.answered = title, text, answered
}

// pass lets time pass, and what is due then happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestRecovery(t *testing.T) {
	const late = readyLimit + time.Second
	tests := []struct {
		name  string
		steps func(r *recovery, s *fakeShell)
		want  []string
		log   string
	}{
		{"a page in time", func(r *recovery, _ *fakeShell) { r.ready(); pass(late) }, nil, ""},
		{"a late page", func(*recovery, *fakeShell) { pass(late) }, []string{"ask"}, "not ready after 15 s"},
		{"a page that comes while it asks", func(r *recovery, s *fakeShell) {
			pass(late)
			r.ready()
			s.answered(chooseNothing)
			pass(late)
		}, []string{"ask", "dismiss"}, ""},
		{"Reload, and it is late again", func(_ *recovery, s *fakeShell) {
			pass(late)
			s.answered(chooseReload)
			pass(late)
		}, []string{"ask", "reload", "ask"}, ""},
		{"Quit", func(_ *recovery, s *fakeShell) { pass(late); s.answered(chooseQuit) }, []string{"ask", "quit"}, ""},
		{"a crash", func(r *recovery, _ *fakeShell) { r.ready(); r.gone("it crashed"); r.ready(); pass(late) }, []string{"reload"}, "it crashed"},
		{"a crash after which it never becomes ready", func(r *recovery, _ *fakeShell) { r.gone("x"); pass(late) }, []string{"reload", "ask"}, ""},
		{"crashes without end", func(r *recovery, _ *fakeShell) {
			for range 6 {
				r.gone("it crashed")
			}
			pass(late)
		}, []string{"reload", "reload", "reload", "ask"}, "keeps stopping"},
		{"Reload after crashes without end", func(r *recovery, s *fakeShell) {
			for range 4 {
				r.gone("x")
			}
			s.answered(chooseReload)
			r.ready()
			r.gone("x")
		}, []string{"reload", "reload", "reload", "ask", "reload", "reload"}, ""},
		{"a crash now and then", func(r *recovery, _ *fakeShell) {
			for range 6 {
				r.gone("x")
				r.ready()
				pass(reloadsTime / reloadsLimit)
			}
		}, []string{"reload", "reload", "reload", "reload", "reload", "reload"}, ""},
		{"a window that closes", func(r *recovery, s *fakeShell) {
			pass(late)
			r.close()
			s.answered(chooseReload)
			r.gone("x")
			r.loading()
			pass(late)
		}, []string{"ask"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				s := &fakeShell{}
				r := newRecovery(slog.New(slog.NewTextHandler(&log, nil)), 0)
				r.open(s)
				tt.steps(r, s)
				r.close()
				if !slices.Equal(s.did, tt.want) {
					t.Errorf("it did %q, want %q", s.did, tt.want)
				}
				if !strings.Contains(log.String(), tt.log) {
					t.Errorf("the log says %q, want %q in it", log.String(), tt.log)
				}
			})
		})
	}
}

func TestTheDialogSaysWhatToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeShell{}
		r := newRecovery(slog.New(slog.DiscardHandler), 0)
		r.open(s)
		pass(readyLimit + time.Second)
		if s.title != "The window is not ready after 15 s" {
			t.Errorf("title %q", s.title)
		}
		for _, part := range []string{"Servers and sessions are safe", "patchbay mcp list", "WEBKIT_DISABLE_DMABUF_RENDERER=1", "Reload", "quit"} {
			if !strings.Contains(s.text, part) {
				t.Errorf("it says %q, want %q in it", s.text, part)
			}
		}
	})
}

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		var passed atomic.Int32
		enter := func() {
			if g.wait(t.Context()) {
				passed.Add(1)
			}
		}
		steps := []struct {
			name string
			do   func()
			want int32
		}{
			{"shut at first", func() { g.shut(); go enter() }, 0},
			{"opened", func() { g.open(); g.open() }, 1},
			{"stays open", func() { go enter() }, 2},
			{"shut again", func() { g.shut(); go enter() }, 2},
			{"opened again", g.open, 3},
		}
		for _, step := range steps {
			step.do()
			synctest.Wait()
			if got := passed.Load(); got != step.want {
				t.Fatalf("%s: %d passed, want %d", step.name, got, step.want)
			}
		}
	})
}
