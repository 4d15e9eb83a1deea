package app

import "context"

// Chat is bound: conversations and approvals.
type Chat struct{ core *core }

// Transcript returns a conversation so far. Later events of topic "chat" carry a higher
// Seq; a page that sees a gap reads the transcript again.
func (c *Chat) Transcript(sessionID string) (Transcript, error) {
	return call(c.core, "Transcript", func(ctx context.Context) (Transcript, error) {
		t, err := c.core.backend.Transcript(ctx, sessionID)
		if t.Events == nil {
			t.Events = []ChatEvent{}
		}
		return t, err
	})
}

// SendMessage starts a turn with a message and the resources that it mentions.
func (c *Chat) SendMessage(sessionID, text string, mentions []Mention) error {
	return do(c.core, "SendMessage", func(ctx context.Context) error {
		return c.core.backend.SendMessage(ctx, sessionID, text, mentions)
	})
}

// ResendMessage puts text in the place of an earlier message of the user, by its sequence
// number, and begins a turn from there.
func (c *Chat) ResendMessage(sessionID string, seq uint64, text string) error {
	return do(c.core, "ResendMessage", func(ctx context.Context) error {
		return c.core.backend.ResendMessage(ctx, sessionID, seq, text)
	})
}

// RetryCall tries the server of a failed call once more and offers the call again.
func (c *Chat) RetryCall(sessionID, callID string) error {
	return do(c.core, "RetryCall", func(ctx context.Context) error { return c.core.backend.RetryCall(ctx, sessionID, callID) })
}

// LightService says whether the next message opens a server.
func (c *Chat) LightService(sessionID, name string, lit bool) error {
	return do(c.core, "LightService", func(ctx context.Context) error {
		return c.core.backend.LightService(ctx, sessionID, name, lit)
	})
}

// StopTurn ends the running turn; without one it does nothing.
func (c *Chat) StopTurn(sessionID string) error {
	return do(c.core, "StopTurn", func(ctx context.Context) error { return c.core.backend.StopTurn(ctx, sessionID) })
}

// Approvals returns the open questions as topic "approvals" carries them.
func (c *Chat) Approvals() (ApprovalsSnapshot, error) {
	return stamped(c.core, "Approvals", c.core.backend.Questions, stampApprovals)
}

// AnswerQuestion decides an open question; the first answer wins.
func (c *Chat) AnswerQuestion(id string, decision ApprovalDecision) error {
	return do(c.core, "AnswerQuestion", func(ctx context.Context) error { return c.core.backend.AnswerQuestion(ctx, id, decision) })
}
