package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"patchbay/backend/model"
)

// chunk is one event of a stream. Every field is raw: endpoints send other types than the
// API reference says, and one odd field must not lose the stream.
type chunk struct {
	Model   json.RawMessage `json:"model"`
	Choices json.RawMessage `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  json.RawMessage `json:"object"`
	Message json.RawMessage `json:"message"` // of an error without an envelope
	Detail  json.RawMessage `json:"detail"`
}

type choice struct {
	Delta        *delta          `json:"delta"`
	Message      *delta          `json:"message"` // an answer that is no stream
	FinishReason json.RawMessage `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
}

type delta struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
}

// present reports whether raw holds something: not absent, null, "", {}, [] or false.
func present(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`, "{}", "[]", "false":
		return false
	}
	return true
}

// text reads a string, or the text parts of an array of content parts.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		var part struct {
			Text json.RawMessage `json:"text"`
		}
		if json.Unmarshal(p, &part) == nil && part.Text != nil {
			b.WriteString(text(part.Text))
		} else {
			b.WriteString(text(p))
		}
	}
	return b.String()
}

// usage reads token counts, whole or not.
func usage(raw json.RawMessage) *model.Usage {
	var u struct {
		Prompt     float64 `json:"prompt_tokens"`
		Completion float64 `json:"completion_tokens"`
		In         *struct {
			Cached float64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Out *struct {
			Reasoning float64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	if !present(raw) || json.Unmarshal(raw, &u) != nil {
		return nil
	}
	got := &model.Usage{Input: int(u.Prompt), Output: int(u.Completion)}
	if u.In != nil {
		got.Cached = int(u.In.Cached)
	}
	if u.Out != nil {
		got.Reasoning = int(u.Out.Reasoning)
	}
	return got
}

// part is one entry of delta.tool_calls.
type part struct {
	index string // as written, "" when missing
	id    string
	name  string
	args  string
	extra map[string]json.RawMessage
}

// parts reads the entries of tool_calls; a single object counts as an array of one.
func parts(raw json.RawMessage) []part {
	var entries []map[string]json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		var one map[string]json.RawMessage
		if json.Unmarshal(raw, &one) != nil {
			return nil
		}
		entries = []map[string]json.RawMessage{one}
	}
	var got []part
	for _, e := range entries {
		if len(e) > 0 {
			got = append(got, readPart(e))
		}
	}
	return got
}

func readPart(e map[string]json.RawMessage) part {
	p := part{id: text(e["id"]), extra: map[string]json.RawMessage{}}
	if raw := e["index"]; string(raw) != "null" {
		p.index = strings.Trim(string(raw), `"`)
	}
	var function map[string]json.RawMessage
	if json.Unmarshal(e["function"], &function) == nil {
		p.name, p.args = text(function["name"]), arguments(function["arguments"])
	}
	for key, raw := range e {
		if !slices.Contains([]string{"id", "index", "type", "function"}, key) && present(raw) {
			p.extra[key] = raw
		}
	}
	return p
}

// arguments reads a piece of arguments: a string, or an object where others send a string.
func arguments(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil { // null is ""
		return s
	}
	return string(raw)
}

// call is a tool call that is being put together.
type call struct {
	index, id, name, args string
	extra                 map[string]json.RawMessage
}

// whole reports whether the arguments are finished.
func (c *call) whole() bool { return isObject(c.args) }

func isObject(s string) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal([]byte(s), &m) == nil && m != nil
}

// calls puts tool calls together from their parts.
type calls struct{ list []*call }

// add takes one part: to the call it continues, or as a new one.
func (cs *calls) add(p part) {
	c := cs.target(p)
	if c == nil {
		c = &call{index: p.index, extra: map[string]json.RawMessage{}}
		cs.list = append(cs.list, c)
	} else if c.whole() && p.args == c.args {
		return // the whole call once more
	}
	if c.id == "" {
		c.id = p.id
	}
	if c.name == "" {
		c.name = p.name
	}
	c.args += p.args
	maps.Copy(c.extra, p.extra)
}

// target finds the call that p continues, nil when p begins one. A new call has a name;
// a known id, then the index, then the order say which one goes on. Endpoints send the
// same index for every call, or none, and repeat or blank ids and names.
func (cs *calls) target(p part) *call {
	if len(cs.list) == 0 {
		return nil
	}
	if p.id != "" {
		if c := cs.last(func(c *call) bool { return c.id == p.id }); c != nil {
			if c.whole() && strings.TrimSpace(p.args) != "" && p.args != c.args && p.name != "" {
				return nil // one id for several calls
			}
			return c
		}
	}
	at := cs.list[len(cs.list)-1]
	if p.index != "" {
		if c := cs.last(func(c *call) bool { return c.index == p.index }); c != nil {
			at = c
		} else if p.name != "" {
			return nil
		}
	}
	if p.name == "" {
		return at
	}
	fresh := p.id != "" && at.id != "" || at.name != "" && (p.name != at.name || at.whole())
	if fresh {
		return nil
	}
	return at
}

func (cs *calls) last(match func(*call) bool) *call {
	for _, c := range slices.Backward(cs.list) {
		if match(c) {
			return c
		}
	}
	return nil
}

// done returns the calls with unique ids and arguments that are an object.
func (cs *calls) done(newID func() string) []model.ToolCall {
	var out []model.ToolCall
	seen := map[string]bool{}
	for _, c := range cs.list {
		if c.name == "" {
			continue // nobody can tell which tool was meant
		}
		if c.id == "" || seen[c.id] {
			c.id = newID()
		}
		seen[c.id] = true
		tc := model.ToolCall{ID: c.id, Name: c.name, Arguments: "{}"}
		if args := objectText(c.args); args != "" {
			tc.Arguments = args
		} else {
			tc.Malformed = c.args
		}
		if len(c.extra) > 0 {
			tc.Extra, _ = json.Marshal(c.extra) // valid JSON already: cannot fail
		}
		out = append(out, tc)
	}
	return out
}

// objectText is the text of the object that args means: blank and null are {}, an object
// encoded twice is unwrapped. It is "" when args is no object.
func objectText(args string) string {
	args = strings.TrimSpace(args)
	if args == "" || args == "null" || args == `""` {
		return "{}"
	}
	if isObject(args) {
		return args
	}
	var inner string
	if json.Unmarshal([]byte(args), &inner) == nil && isObject(inner) {
		return inner
	}
	return ""
}
