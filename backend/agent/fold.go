package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"patchbay/backend/approval"
	"patchbay/backend/model"
)

// Fold returns events with adjacent text and reasoning deltas of one run merged, without
// progress and countdowns that a later event supersedes, and without what was rewound. A
// merged event has the Seq of its newest part. Folding twice changes nothing; events is not
// changed.
func Fold(events []Event) []Event {
	f := Folded{events: make([]Event, 0, len(events))}
	for _, e := range events {
		f.Add(e)
	}
	return f.events
}

// Folded is Fold of what was added so far. Adding a delta costs the same however long the
// text is that it continues. It must not be copied.
type Folded struct {
	events []Event
	text   strings.Builder // of the newest event, when that is a merged one
}

// Add takes the next event.
func (f *Folded) Add(e Event) {
	if e.Kind == Rewind {
		f.drop(func(last Event) bool { return last.Seq >= e.ToSeq })
		return
	}
	f.drop(func(last Event) bool { return superseded(last, e) })
	n := len(f.events)
	if n == 0 || !merges(f.events[n-1], e) {
		f.events = append(f.events, e)
		f.text.Reset()
		return
	}
	last := f.events[n-1]
	if f.text.Len() == 0 {
		f.text.WriteString(last.Text)
	}
	f.text.WriteString(e.Text)
	e.Text, e.AtMs = f.text.String(), last.AtMs
	f.events[n-1] = e
}

func (f *Folded) drop(is func(last Event) bool) {
	for n := len(f.events); n > 0 && is(f.events[n-1]); n-- {
		f.events = f.events[:n-1]
		f.text.Reset()
	}
}

// Events are the folded events now; they are the caller's.
func (f *Folded) Events() []Event { return slices.Clone(f.events) }

func merges(last, e Event) bool {
	return last.RunID == e.RunID && last.Kind == e.Kind && (e.Kind == Text || e.Kind == Reasoning)
}

func superseded(last, e Event) bool {
	switch {
	case last.RunID != e.RunID:
		return false
	case last.Kind == Progress:
		return last.ID == e.ID && (e.Kind == Progress || e.Kind == ToolResult)
	case last.Kind == Notice && last.Total > 0:
		return e.Kind == Notice && e.Total > 0
	}
	return false
}

// Replay returns the events of a saved conversation, as a reader of the live turns would
// have folded them, numbered from 1. Calls that a crash left open are answered as Repair
// answers them.
func Replay(entries []Entry) []Event {
	r := &replay{}
	for i, e := range entries {
		if i > 0 && entries[i-1].RunID != e.RunID {
			r.end(entries[i-1])
		}
		r.entry(e)
	}
	if n := len(entries); n > 0 {
		r.end(entries[n-1])
	}
	return r.events
}

type replay struct {
	events []Event
	open   []model.ToolCall // not answered yet
}

func (r *replay) add(from Entry, e Event) {
	e.Seq, e.RunID, e.AtMs = uint64(len(r.events)+1), from.RunID, from.AtMs
	r.events = append(r.events, e)
}

func (r *replay) entry(e Entry) {
	m := e.Message
	if m.Role != model.Tool {
		r.closeOpen(e)
	}
	switch m.Role {
	case model.User:
		r.add(e, Event{Kind: UserMessage, Text: m.Text, Attached: m.Attached})
	case model.Assistant:
		r.add(e, Event{Kind: Step})
		if m.Reasoning != "" {
			r.add(e, Event{Kind: Reasoning, Text: m.Reasoning})
		}
		if m.Text != "" {
			r.add(e, Event{Kind: Text, Text: m.Text})
		}
		for _, c := range m.ToolCalls {
			r.add(e, Event{Kind: ToolCall, ID: c.ID, Tool: c.Name, Arguments: json.RawMessage(c.Arguments)})
		}
		r.open = m.ToolCalls
	case model.Tool:
		r.result(e)
	}
}

// result replays an answer; what is known of the tool of a call is kept with its answer.
func (r *replay) result(e Entry) {
	id := e.Message.ToolCallID
	for i := len(r.events) - 1; i >= 0; i-- {
		if r.events[i].Kind == ToolCall && r.events[i].ID == id {
			r.events[i].Server, r.events[i].Hash = e.Server, e.Hash
			break
		}
	}
	if e.Decision != "" {
		r.add(e, Event{Kind: Approval, ID: id, Server: e.Server, Tool: e.Tool,
			Answer: approval.Answer{Decision: approval.Decision(e.Decision), By: approval.By(e.By)}})
	}
	r.add(e, Event{Kind: ToolResult, ID: id, Server: e.Server, Tool: e.Tool, Result: e.Result, ModelText: e.Message.Text})
	var left []model.ToolCall
	for _, c := range r.open {
		if c.ID != id {
			left = append(left, c)
		}
	}
	r.open = left
}

func (r *replay) closeOpen(at Entry) {
	for _, c := range r.open {
		text := lost(c).Text
		result := lostResult(text)
		r.add(at, Event{Kind: ToolResult, ID: c.ID, Tool: c.Name, Result: &result, ModelText: text})
	}
	r.open = nil
}

// end closes a run with the stop reason that its last message tells.
func (r *replay) end(last Entry) {
	r.closeOpen(last)
	reason := EndTurn
	if last.Message.Incomplete || last.Message.Role != model.Assistant || len(last.Message.ToolCalls) > 0 {
		reason = Cancelled
	}
	r.add(last, Event{Kind: Done, StopReason: reason})
}
