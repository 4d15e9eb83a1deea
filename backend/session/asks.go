package session

import (
	"context"
	"fmt"
	"slices"

	"patchbay/backend/agent"
	"patchbay/backend/ask"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/model"
	"patchbay/backend/tool"
)

// person is the person at the keyboard as servers reach them.
type person struct {
	asks *ask.Service
	// which sessions a question is shown in; nil concerns none
	concerned func(from mcphost.Asking) []string
}

func (p person) from(a mcphost.Asking) ask.From {
	return ask.From{Server: a.Server, Key: a.Key, Sessions: p.concerned(a)}
}

// Elicit asks for a form or a visit.
func (p person) Elicit(ctx context.Context, from mcphost.Asking, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
	return p.asks.Elicit(ctx, p.from(from), req)
}

// Sample asks whether the model may answer.
func (p person) Sample(ctx context.Context, from mcphost.Asking, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
	return p.asks.Sample(ctx, p.from(from), req)
}

// concerned are the sessions that a question of a server is shown in: those whose calls run
// there, else the shown one when it uses the server, else those that use it. A dry run has
// no conversation: its questions are shown in the one that is on the screen.
func (m *Manager) concerned(from mcphost.Asking) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	open := func(ids []string) []string {
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return m.sessions[id] == nil })
	}
	calling, viewers := open(from.Calling), open(from.Viewers)
	switch {
	case len(calling) > 0:
		return calling
	case slices.Contains(viewers, m.current), len(viewers) == 0 && m.current != "":
		return []string{m.current}
	}
	return viewers
}

// Asks owns the open questions of servers.
func (m *Manager) Asks() *ask.Service { return m.owners.Asks }

// openAsks makes the person of this process, nil where nobody can be asked.
func (w *owners) openAsks(concerned func(mcphost.Asking) []string) mcphost.Person {
	w.Asks = ask.NewService(ask.Options{Model: w.sample, ModelName: w.samplingModel})
	if w.Headless {
		return nil // servers are told so
	}
	return person{asks: w.Asks, concerned: concerned}
}

func (w *owners) samplingModel() (string, error) {
	_, info, err := w.client()
	return info.Name, err
}

// sample has the model of this machine answer a server.
func (w *owners) sample(ctx context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
	client, info, err := w.client()
	if err != nil {
		return mcpconn.SampleAnswer{}, err
	}
	resp, err := client.Stream(ctx, samplingRequest(req), func(model.Chunk) {})
	if err != nil {
		return mcpconn.SampleAnswer{}, err
	}
	answer := mcpconn.SampleAnswer{Text: resp.Message.Text, Model: info.Name, StopReason: "endTurn"}
	if resp.Model != "" {
		answer.Model = resp.Model
	}
	if resp.Message.Incomplete {
		answer.StopReason = "maxTokens"
	}
	return answer, nil
}

// samplingRequest is a server's request as the model reads it. No tools are offered, and
// what the model cannot take is named in words.
func samplingRequest(req mcpconn.Sampling) model.Request {
	out := model.Request{MaxTokens: max(req.MaxTokens, 0), Temperature: req.Temperature, Stop: req.Stop}
	if req.System != "" {
		out.Messages = append(out.Messages, model.Message{Role: model.System, Text: req.System})
	}
	for _, m := range req.Messages {
		msg := model.Message{Role: model.User, Text: m.Content.Text}
		if m.Role == "assistant" {
			msg.Role = model.Assistant
		}
		switch {
		case m.Content.Kind == tool.Image && msg.Role == model.User:
			msg.Images = []tool.Content{m.Content}
		case m.Content.Kind != tool.Text:
			msg.Text = fmt.Sprintf("[%s %s that this model cannot take]", m.Content.Kind, m.Content.MIMEType)
		}
		out.Messages = append(out.Messages, msg)
	}
	return out
}

// SetLogLevel asks a connected server for log messages of a level and above.
func (s *Session) SetLogLevel(ctx context.Context, server, level string) error {
	if err := s.CheckName(server); err != nil {
		return err
	}
	return s.runtime.SetLogLevel(ctx, server, level)
}

// LogLevel is the level that was asked of a server, "" for none.
func (s *Session) LogLevel(server string) string { return s.runtime.LogLevel(server) }

// CancelCall ends one call of the running turn, which goes on. One that is over already is
// no error.
func (s *Session) CancelCall(callID string) {
	s.mu.Lock()
	var loop *agent.Loop
	if s.run != nil {
		loop = s.run.loop
	}
	s.mu.Unlock()
	if loop != nil {
		loop.CancelCall(callID)
	}
}
