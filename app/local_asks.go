package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"patchbay/backend/ask"
	"patchbay/backend/tool"
)

// Asks publishes what servers ask.
func (l *Local) Asks() Source[AsksSnapshot] { return l.asks }

func (l *Local) toAsks(open []ask.Question) AsksSnapshot {
	out := AsksSnapshot{Asks: []Ask{}}
	for _, q := range open {
		out.Asks = append(out.Asks, toAsk(q, l.media.keep))
	}
	return out
}

func toAsk(q ask.Question, media func(tool.Content) string) Ask {
	out := Ask{
		ID: q.ID, Server: q.Server, Sessions: orEmpty(q.Sessions), Kind: AskKind(q.Kind),
		Message: q.Message, Schema: string(q.Schema), URL: q.URL, AtMs: q.AtMs,
	}
	if q.Kind != ask.Sampling {
		return out
	}
	out.Sampling = &AskedSample{
		Stage: AskStage(q.Stage), Model: q.Model, System: q.Request.System, Messages: []AskMessage{},
		MaxTokens: q.Request.MaxTokens, Temperature: q.Request.Temperature,
		Stop: orEmpty(q.Request.Stop), Hints: orEmpty(q.Request.Hints), Text: q.Text,
	}
	for _, m := range q.Request.Messages {
		out.Sampling.Messages = append(out.Sampling.Messages, AskMessage{Role: m.Role, Content: toContent(m.Content, media)})
	}
	return out
}

// AnswerAsk answers a server's question.
func (l *Local) AnswerAsk(_ context.Context, id string, answer AskAnswer) error {
	a := ask.Answer{Action: ask.Action(answer.Action), Content: json.RawMessage(answer.Content), ForSession: answer.ForSession}
	if answer.Edited {
		a.System, a.Messages, a.Text = &answer.System, answer.Messages, &answer.Text
	}
	err := l.manager.Asks().Answer(id, a)
	switch {
	case errors.Is(err, ask.ErrNotOpen):
		return &CommandError{Code: CodeNotFound, Message: err.Error()}
	case err != nil:
		return &CommandError{Code: CodeInvalid, Message: err.Error()}
	}
	return nil
}

// CancelCall ends one call of a running turn.
func (l *Local) CancelCall(_ context.Context, sessionID, callID string) error {
	s, err := l.session(sessionID)
	if err == nil {
		s.CancelCall(callID)
	}
	return err
}

// SetLogLevel asks a server of the shown session for log messages of a level and above.
func (l *Local) SetLogLevel(ctx context.Context, name, level string) error {
	s, err := l.current()
	if err != nil {
		return err
	}
	return s.SetLogLevel(ctx, name, level)
}

// askTitles begin the note of a server that asks.
var askTitles = map[AskKind]string{
	AskForm: " asks for details", AskLink: " asks you to open a link", AskSampling: " asks for an answer of the model",
}

// askers finds questions that are to be told by the desktop. It belongs to one goroutine.
type askers struct{ known map[string]bool }

// in returns the notes that new questions call for. With focused the person sees them in
// the window.
func (a *askers) in(snap AsksSnapshot, focused bool) []note {
	before := a.known
	a.known = map[string]bool{}
	var notes []note
	for _, q := range snap.Asks {
		a.known[q.ID] = true
		if before[q.ID] || focused {
			continue
		}
		n := note{title: line(q.Server, titleRunes/2) + askTitles[q.Kind], body: line(cmp.Or(q.Message, "It wants to send messages to your model"), bodyRunes)}
		if len(q.Sessions) > 0 {
			n.session = q.Sessions[0]
		}
		notes = append(notes, n)
	}
	return notes
}

// followAsks tells what servers ask until ctx ends.
func (t *teller) followAsks(ctx context.Context) {
	source, seen := t.core.backend.Asks(), &askers{}
	for rev := uint64(0); ; {
		snap, next, err := source.Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		for _, n := range seen.in(snap, t.core.focused.Load()) {
			t.add(n)
		}
	}
}
