package session

import (
	"database/sql"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/model/modeltest"
)

// userSeq is the number of the user's message with that text, as the page knows it.
func userSeq(t *testing.T, s *Session, text string) uint64 {
	t.Helper()
	events, _, _ := s.Transcript()
	for _, e := range events {
		if e.Kind == agent.UserMessage && e.Text == text {
			return e.Seq
		}
	}
	t.Fatalf("no message %q in %+v", text, events)
	return 0
}

// resend returns the events of the resend and its turn.
func (r *rig) resend(s *Session, of, text string) []agent.Event {
	r.t.Helper()
	from := s.Events().Last()
	r.must(s.Resend(userSeq(r.t, s, of), text))
	return r.until(s, from, agent.Done)
}

// lastMessages are the texts of the newest model request, the system message left out.
func (r *rig) lastMessages() []string {
	r.t.Helper()
	requests := r.model.Requests()
	var texts []string
	for _, m := range requests[len(requests)-1].Chat.Messages[1:] {
		texts = append(texts, m.Role+" "+m.Text())
	}
	return texts
}

func (r *rig) wantSaid(s *Session, want ...string) {
	r.t.Helper()
	events, _, _ := s.Transcript()
	if got := said(events); !reflect.DeepEqual(got, want) {
		r.t.Errorf("the transcript says\n%q, want\n%q", got, want)
	}
}

// database runs one statement on the history beside the program.
func (r *rig) database(statement string) {
	r.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(r.home, ".local", "share", "patchbay", "sessions.db"))
	r.must(err)
	defer db.Close()
	_, err = db.Exec(statement)
	r.must(err)
}

func TestResendBeginsFromThere(t *testing.T) {
	r := newRig(t, modeltest.Text("a1"), modeltest.TextAndCalls("look", echo("c1", "seen")), modeltest.Text("a2"), modeltest.Text("a3"),
		modeltest.Text("b2"), modeltest.Text("c1"), modeltest.Text("c2"), modeltest.Text("d1"))
	m := r.open(Options{Mode: approval.Auto})
	s := r.session(m, "demo")
	for _, text := range []string{"one", "two", "three"} {
		r.wantDone(r.send(s, Prompt{Text: text}), agent.EndTurn)
	}
	// The middle.
	seq := userSeq(t, s, "two")
	events := r.resend(s, "two", "TWO")
	r.wantDone(events, agent.EndTurn)
	if events[0].Kind != agent.Rewind || events[0].ToSeq != seq || events[0].RunID != events[len(events)-1].RunID || events[1].Kind != agent.UserMessage {
		t.Errorf("events %+v", events)
	}
	if got := r.lastMessages(); !reflect.DeepEqual(got, []string{"user one", "assistant a1", "user TWO"}) {
		t.Errorf("the model was sent %q", got)
	}
	branch := []string{"user one", "text a1", "user TWO", "text b2"}
	r.wantSaid(s, branch...)
	told, _, _ := s.Transcript()
	all, _, _ := s.Events().Since(0)
	if want := agent.Fold(all); !reflect.DeepEqual(told, want) {
		t.Errorf("the transcript is not the events folded\n%+v\nwant\n%+v", told, want)
	}
	if err := s.Resend(seq, "again"); !errors.Is(err, errNotSent) {
		t.Errorf("a message that is gone: %v", err)
	}
	r.close(m)

	// After a restore, in numbers of the new transcript; and the first.
	m = r.open(Options{Mode: approval.Auto})
	s, err := m.OpenSession(t.Context(), s.ID())
	r.must(err)
	r.wantSaid(s, branch...)
	r.wantDone(r.resend(s, "TWO", "zwei"), agent.EndTurn)
	r.wantSaid(s, "user one", "text a1", "user zwei", "text c1")
	r.must(m.Rename(t.Context(), s.ID(), "my own title"))
	r.wantDone(r.resend(s, "one", "eins"), agent.EndTurn)
	r.wantSaid(s, "user eins", "text c2")
	if got := r.lastMessages(); !reflect.DeepEqual(got, []string{"user eins"}) {
		t.Errorf("the model was sent %q", got)
	}
	r.wantDone(r.send(s, Prompt{Text: "on"}), agent.EndTurn)
	if s.Title() != "my own title" {
		t.Errorf("title %q", s.Title())
	}
	r.close(m)
	m = r.open(Options{})
	s, err = m.OpenSession(t.Context(), s.ID())
	r.must(err)
	r.wantSaid(s, "user eins", "text c2", "user on", "text d1")
	if s.Title() != "my own title" {
		t.Errorf("title %q after a restore", s.Title())
	}
}

func TestResendOfTheOnlyMessageGivesItsTitle(t *testing.T) {
	r := newRig(t, modeltest.Text("a"), modeltest.Text("b"))
	s := r.session(r.open(Options{}))
	r.send(s, Prompt{Text: "frist words"})
	r.resend(s, "frist words", "first words")
	if s.Title() != "first words" {
		t.Errorf("title %q", s.Title())
	}
}

func TestResendIsRefused(t *testing.T) {
	r := newRig(t, modeltest.Text("a1"), modeltest.Answer{Hold: true}, modeltest.Text("a3"))
	m := r.open(Options{})
	s := r.session(m)
	if err := s.Resend(1, "before anything"); !errors.Is(err, errNotSent) {
		t.Errorf("in an empty session: %v", err)
	}
	events := r.send(s, Prompt{Text: "one"})
	for _, e := range events[1:] {
		if err := s.Resend(e.Seq, "x"); !errors.Is(err, errNotSent) {
			t.Errorf("at a %s event: %v", e.Kind, err)
		}
	}
	if err := s.Resend(userSeq(t, s, "one"), " "); err == nil || err.Error() != "the message is empty" {
		t.Errorf("an empty text: %v", err)
	}
	if err := s.Resend(userSeq(t, s, "one"), "x"); err != nil { // held
		t.Fatal(err)
	}
	if !r.model.WaitRequests(2, patience) {
		t.Fatal("the model was not asked")
	}
	if err := s.Resend(userSeq(t, s, "x"), "y"); !errors.Is(err, ErrBusy) {
		t.Errorf("while a turn runs: %v", err)
	}
	from := s.Events().Last()
	s.Stop()
	r.wantDone(r.until(s, from, agent.Done), agent.Cancelled)
	r.wantDone(r.resend(s, "x", "y"), agent.EndTurn)
	r.wantSaid(s, "user y", "text a3")
}

// TestResendThatCannotBeSavedLosesNothing: neither here nor in the history.
func TestResendThatCannotBeSavedLosesNothing(t *testing.T) {
	r := newRig(t, modeltest.Text("a1"), modeltest.Text("a2"), modeltest.Text("a3"))
	m := r.open(Options{})
	s := r.session(m)
	r.send(s, Prompt{Text: "one"})
	r.send(s, Prompt{Text: "two"})
	r.database(`CREATE TRIGGER stuck BEFORE DELETE ON entries BEGIN SELECT RAISE(FAIL, 'the disk is full'); END`)
	last := s.Events().Last()
	if err := s.Resend(userSeq(t, s, "two"), "TWO"); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("resend: %v", err)
	}
	if s.Events().Last() != last || s.RunID() != "" || len(r.model.Requests()) != 2 {
		t.Errorf("something happened: %d events, run %q", s.Events().Last()-last, s.RunID())
	}
	whole := []string{"user one", "text a1", "user two", "text a2"}
	r.wantSaid(s, whole...)
	r.send(s, Prompt{Text: "three"})
	if got := r.lastMessages(); len(got) != 5 {
		t.Errorf("the model was sent %q", got)
	}
	r.close(m)
	m = r.open(Options{})
	s, err := m.OpenSession(t.Context(), s.ID())
	r.must(err)
	r.wantSaid(s, append(whole, "user three", "text a3")...)
}

// TestResendCountsWhatWasSaved: messages that could not be saved do not shift what is kept.
func TestResendCountsWhatWasSaved(t *testing.T) {
	r := newRig(t, modeltest.Text("a1"), modeltest.Text("a2"), modeltest.Text("a3"), modeltest.Text("a4"))
	m := r.open(Options{})
	s := r.session(m)
	r.send(s, Prompt{Text: "one"})
	r.database(`CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT RAISE(FAIL, 'the disk is full'); END`)
	if notices := ofKind(r.send(s, Prompt{Text: "unsaved"}), agent.Notice); len(notices) != 1 || !strings.Contains(notices[0].Text, "the disk is full") {
		t.Fatalf("notices %+v", notices)
	}
	r.database(`DROP TRIGGER full`)
	r.send(s, Prompt{Text: "three"})
	r.resend(s, "three", "THREE")
	r.wantSaid(s, "user one", "text a1", "user unsaved", "text a2", "user THREE", "text a4")
	r.close(m)
	m = r.open(Options{})
	s, err := m.OpenSession(t.Context(), s.ID())
	r.must(err)
	r.wantSaid(s, "user one", "text a1", "user THREE", "text a4")
}
