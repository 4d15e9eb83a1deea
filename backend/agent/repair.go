package agent

import (
	"fmt"
	"slices"
	"strings"

	"patchbay/backend/model"
	"patchbay/backend/tool"
)

// Repair returns history as every endpoint accepts it: each tool call is answered once,
// directly after its message and in order. Calls that a crash left open get an answer
// that says so; answers without a call are left out. history is not changed.
func Repair(history []model.Message) []model.Message {
	var out []model.Message
	for i := 0; i < len(history); i++ {
		m := history[i]
		if m.Role == model.Tool {
			continue // its call is gone
		}
		out = append(out, m)
		if len(m.ToolCalls) == 0 {
			continue
		}
		answers := map[string]model.Message{}
		for i+1 < len(history) && history[i+1].Role == model.Tool {
			i++
			if _, twice := answers[history[i].ToolCallID]; !twice {
				answers[history[i].ToolCallID] = history[i]
			}
		}
		for _, c := range m.ToolCalls {
			a, ok := answers[c.ID]
			if !ok {
				a = lost(c)
			}
			out = append(out, a)
		}
	}
	return out
}

// lost is the answer to a call that a crash left open.
func lost(c model.ToolCall) model.Message {
	return model.Message{Role: model.Tool, ToolCallID: c.ID, Failed: true,
		Text: "Patchbay ended before this call was finished. Whether it took effect is not known."}
}

func lostResult(text string) tool.Result { return tool.Failed(tool.Cancelled, text) }

// open lists the calls of the last assistant message that are not answered.
func open(messages []model.Message) []model.ToolCall {
	answered := map[string]bool{}
	for _, m := range slices.Backward(messages) {
		if m.Role != model.Tool {
			return slices.DeleteFunc(slices.Clone(m.ToolCalls), func(c model.ToolCall) bool { return answered[c.ID] })
		}
		answered[m.ToolCallID] = true
	}
	return nil
}

const (
	shrinkAbove = 4000 // bytes
	shrinkTo    = 1000
)

// shrink shortens the tool results of a conversation that does not fit, and reports
// whether there were any to shorten. The saved messages keep their text.
func shrink(messages []model.Message) bool {
	some := false
	for i, m := range messages {
		if m.Role != model.Tool || len(m.Text) <= shrinkAbove {
			continue
		}
		head := strings.ToValidUTF8(m.Text[:shrinkTo], "")
		messages[i].Text = fmt.Sprintf("%s\n[shortened to save context: %d bytes left out]", head, len(m.Text)-len(head))
		messages[i].Images, some = nil, true
	}
	return some
}
