package app

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// chat is the transcript of the shown session once no turn runs.
func (r *changeRig) chat() []ChatEvent {
	r.t.Helper()
	var told Transcript
	r.eventually("the turn ends", func() bool {
		var err error
		if told, err = r.Transcript(r.ctx(), r.manager.Current().ID()); err != nil {
			r.t.Fatal(err)
		}
		n := len(told.Events)
		return told.RunID == "" && n > 0 && told.Events[n-1].Kind == KindDone
	})
	return told.Events
}

func (r *changeRig) isLit(name string) bool {
	snap, _ := r.Servers().Get()
	return slices.ContainsFunc(snap.Rows, func(row ServerRow) bool { return row.Name == name && row.Lit })
}

func wantCommandError(t *testing.T, err error, want CommandError) {
	t.Helper()
	var got *CommandError
	if !errors.As(err, &got) || got.Code != want.Code || got.Server != want.Server || !strings.HasPrefix(got.Message, want.Message) {
		t.Errorf("got %#v, want %+v", err, want)
	}
}

func TestChipsAreTheRowsOfTheSnapshot(t *testing.T) {
	r := newChangeRig(t)
	r.open("ws")
	id := r.manager.Current().ID()
	done(t)(r.EnableServer(r.ctx(), "fetch"))
	r.Start()
	r.eventually("fetch is lit", func() bool { return r.isLit("fetch") })
	if err := r.LightService(r.ctx(), id, "fetch", false); err != nil {
		t.Fatal(err)
	}
	r.eventually("fetch is put out", func() bool { return !r.isLit("fetch") })
	if err := r.LightService(r.ctx(), id, "fetch", true); err != nil {
		t.Fatal(err)
	}
	r.eventually("fetch is lit again", func() bool { return r.isLit("fetch") })
	wantCommandError(t, r.LightService(r.ctx(), "nobody", "fetch", true), CommandError{Code: CodeNotFound, Message: "session nobody is not open"})
}

func TestAMessageThatCannotBeSentSaysWhichServer(t *testing.T) {
	r := newChangeRig(t)
	r.open("")
	id := r.manager.Current().ID()
	r.Start()
	if err := r.LightService(r.ctx(), id, "fetch", true); err != nil {
		t.Fatal(err)
	}
	wantCommandError(t, r.SendMessage(r.ctx(), id, "hi", nil), CommandError{Code: CodeInvalid, Server: "fetch", Message: "fetch is switched on for this chat but not available ("})
}

func TestAMessageIsEditedAndSentAgain(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "") // the practice model answers
	r := newChangeRig(t)
	r.open("ws")
	id := r.manager.Current().ID()
	if err := r.SendMessage(r.ctx(), id, "frist", nil); err != nil {
		t.Fatal(err)
	}
	first := r.chat()[0]
	if err := r.ResendMessage(r.ctx(), id, first.Seq, "first"); err != nil {
		t.Fatal(err)
	}
	events := r.chat()
	if events[0].Kind != KindUser || events[0].Text != "first" || events[0].Seq <= first.Seq {
		t.Errorf("the transcript begins with %+v", events[0])
	}
	for _, e := range events {
		if e.Text == "frist" || e.Kind == KindRewind {
			t.Errorf("the transcript holds %+v", e)
		}
	}
	if err := r.ResendMessage(r.ctx(), id, first.Seq, "again"); err == nil {
		t.Error("a message that is gone was sent again")
	}
	if err := r.RetryCall(r.ctx(), id, "c9"); err == nil || err.Error() != "there is no call c9 in this conversation" {
		t.Errorf("retry of a call that is not there: %v", err)
	}
}
