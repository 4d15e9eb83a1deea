package session

import (
	"context"
	"errors"
	"time"

	"patchbay/backend/agent"
	"patchbay/backend/model"
)

// Resend puts text in the place of the user's message whose event has that sequence number,
// and begins a turn from there, with what was attached to it. What came after it is no
// longer part of the conversation. On an error nothing has changed.
func (s *Session) Resend(seq uint64, text string) error {
	parts, err := s.parts(Prompt{Text: text})
	if err != nil {
		return err
	}
	if parts.attached, err = s.attachedTo(seq); err != nil {
		return err
	}
	parts.before = func(runID string) error { return s.rewind(runID, seq) }
	return s.begin(parts)
}

var errNotSent = errors.New("this is not one of your messages in this conversation any more")

// rewind takes the conversation back to before a message of the user: in the history first,
// then for the next request, then for readers. The session is the turn's own meanwhile.
func (s *Session) rewind(runID string, seq uint64) error {
	s.mu.Lock()
	at, err := s.messageAtLocked(seq)
	saved, keep := s.saved, 0
	for _, kept := range s.kept[:at] {
		if kept {
			keep++
		}
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if saved && s.owners.History != nil {
		ctx, cancel := context.WithTimeout(s.ctx, listLimit)
		defer cancel()
		if err := s.owners.History.Rewind(ctx, s.id, keep); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.messages, s.kept = s.messages[:at], s.kept[:at]
	s.mu.Unlock()
	s.emit(agent.Event{RunID: runID, Kind: agent.Rewind, AtMs: time.Now().UnixMilli(), ToSeq: seq})
	return nil
}

// messageAtLocked finds the message of a user event: each of them has one, in order.
func (s *Session) messageAtLocked(seq uint64) (int, error) {
	before, found := 0, false
	for _, e := range s.folded.Events() {
		if e.Kind != agent.UserMessage {
			continue
		}
		if found = e.Seq == seq; found {
			break
		}
		before++
	}
	for at, m := range s.messages {
		if m.Role != model.User {
			continue
		}
		if found && before == 0 {
			return at, nil
		}
		before--
	}
	return 0, errNotSent
}
