//lint:file-ignore SA1019 max_tokens is what OpenAI-compatible endpoints other than OpenAI know

package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"patchbay/backend/model"
	"patchbay/backend/tool"
)

// adaptations are what an endpoint was found to refuse; they hold for the client's life.
type adaptations struct {
	strictSchemas bool // schemas go through Options.RepairSchema
	noUsage       bool // stream_options is left out
	noReasoning   bool // reasoning is not sent back
	newLimit      bool // the limit of the answer is called max_completion_tokens
	noTemperature bool // it has one temperature only
}

// after is what to leave out after a refusal, and whether that is new.
func (a adaptations) after(f *failure, canRepair bool) (adaptations, bool) {
	if f.Status != http.StatusBadRequest && f.Status != http.StatusUnprocessableEntity || f.Code == model.TooLong {
		return a, false
	}
	next, low := a, strings.ToLower(f.raw)
	mentions := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(low, w) {
				return true
			}
		}
		return false
	}
	unknown := mentions("unknown", "unrecognized", "unsupported", "not supported", "not permitted", "not allowed", "extra")
	switch {
	case mentions("stream_options"):
		next.noUsage = true
	case mentions("max_completion_tokens"):
		next.newLimit = true
	case mentions("temperature"):
		next.noTemperature = true
	case unknown && mentions("reasoning"):
		next.noReasoning = true
	case canRepair && mentions("schema", "properties", "$ref", "function_declarations", "parameters", "input_schema"):
		next.strictSchemas = true
	}
	return next, next != a
}

// wireRequest is go-openai's request with our own messages: its content key is omitted
// when empty, which several endpoints refuse, and it has no place for unknown fields.
type wireRequest struct {
	goopenai.ChatCompletionRequest
	Messages []map[string]any `json:"messages"`
}

func (c *client) marshal(req model.Request, adapt adaptations) ([]byte, error) {
	w := wireRequest{}
	w.Model, w.Stream, w.Stop = c.o.Model, true, req.Stop
	if limit := cmp.Or(req.MaxTokens, c.o.MaxTokens); adapt.newLimit {
		w.MaxCompletionTokens = limit
	} else {
		w.MaxTokens = limit
	}
	if req.Temperature != nil && !adapt.noTemperature {
		w.Temperature = float32(*req.Temperature)
	}
	if !adapt.noUsage {
		w.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	for _, spec := range req.Tools {
		parameters := spec.Parameters
		if !json.Valid(parameters) {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if adapt.strictSchemas {
			parameters = c.o.RepairSchema(parameters)
		}
		w.Tools = append(w.Tools, goopenai.Tool{Type: goopenai.ToolTypeFunction, Function: &goopenai.FunctionDefinition{
			Name: spec.Name, Description: strings.ToValidUTF8(spec.Description, "\uFFFD"), Parameters: parameters}})
	}
	w.Messages = c.messages(req.Messages, adapt)
	body, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("write the request for the model: %w", err)
	}
	return body, nil
}

// messages writes the conversation. Every message has its content key, arguments are
// never blank, and an assistant message that says nothing is left out.
func (c *client) messages(all []model.Message, adapt adaptations) []map[string]any {
	reasoned := false // the endpoint wants reasoning_content on every message then
	for _, m := range all {
		reasoned = reasoned || m.ReasonedAs == "reasoning_content"
	}
	var out []map[string]any
	var images []tool.Content // of the tool results since the last call
	for i, m := range all {
		switch m.Role {
		case model.Assistant:
			if m.Text == "" && len(m.ToolCalls) == 0 {
				continue
			}
			out = append(out, assistant(m, reasoned && !adapt.noReasoning, adapt))
		case model.Tool:
			out = append(out, map[string]any{"role": "tool", "tool_call_id": m.ToolCallID, "content": orElse(m.Text, "(no output)")})
			images = append(images, m.Images...)
			last := i+1 == len(all) || all[i+1].Role != model.Tool
			if last && c.o.Vision && len(images) > 0 {
				out = append(out, user("The images of the tool results above:", images))
			}
			if last {
				images = nil
			}
		case model.User:
			out = append(out, user(m.Said()))
		default:
			out = append(out, map[string]any{"role": string(m.Role), "content": m.Text})
		}
	}
	return out
}

func assistant(m model.Message, reasoned bool, adapt adaptations) map[string]any {
	w := map[string]any{"role": "assistant", "content": m.Text}
	switch {
	case adapt.noReasoning:
	case m.ReasonedAs != "":
		w[m.ReasonedAs] = m.Reasoning
	case reasoned:
		w["reasoning_content"] = m.Reasoning
	}
	var list []map[string]any
	for _, tc := range m.ToolCalls {
		entry := map[string]any{}
		var extra map[string]json.RawMessage
		if json.Unmarshal(tc.Extra, &extra) == nil {
			for key, raw := range extra {
				entry[key] = raw
			}
		}
		entry["id"], entry["type"] = tc.ID, goopenai.ToolTypeFunction
		entry["function"] = map[string]string{"name": wireName(tc.Name), "arguments": orElse(objectText(tc.Arguments), "{}")}
		list = append(list, entry)
	}
	if list != nil {
		w["tool_calls"] = list
	}
	return w
}

func user(text string, images []tool.Content) map[string]any {
	if len(images) == 0 {
		return map[string]any{"role": "user", "content": orElse(text, "(no text)")}
	}
	var parts []goopenai.ChatMessagePart
	if text != "" {
		parts = append(parts, goopenai.ChatMessagePart{Type: goopenai.ChatMessagePartTypeText, Text: text})
	}
	for _, img := range images {
		parts = append(parts, goopenai.ChatMessagePart{Type: goopenai.ChatMessagePartTypeImageURL,
			ImageURL: &goopenai.ChatMessageImageURL{URL: "data:" + orElse(img.MIMEType, "image/png") + ";base64," + base64.StdEncoding.EncodeToString(img.Data)}})
	}
	return map[string]any{"role": "user", "content": parts}
}

// wireName makes a name that the model invented acceptable to the endpoint that gets it
// back as history.
func wireName(name string) string {
	mapped := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	return orElse(mapped[:min(len(mapped), 64)], "unknown")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
