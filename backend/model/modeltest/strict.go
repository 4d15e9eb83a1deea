package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits are the switches of strict mode. The zero value is a large OpenAI model.
type Limits struct {
	Gemini     bool // no type arrays and no $ref in schemas
	DeepSeek   bool // assistant messages after the last user message must carry reasoning_content
	MaxContext int  // tokens (bytes of the body / 4), 0 is one million
}

// Chat is a parsed request.
type Chat struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"`
}

// Message is one message of a request as it stands on the wire.
type Message struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"` // nil when the key is absent
	ReasoningContent *string         `json:"reasoning_content"`
	Reasoning        *string         `json:"reasoning"`
	ToolCallID       string          `json:"tool_call_id"`
	ToolCalls        []ToolCall      `json:"tool_calls"`
}

// ToolCall is one entry of tool_calls.
type ToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is one entry of tools.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Text is the message's text: a string content, or the text parts joined.
func (m Message) Text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(m.Content, &parts) // another kind of content has no text
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// ToolNames lists the names of the tools in order.
func (c Chat) ToolNames() []string {
	names := make([]string, len(c.Tools))
	for i, t := range c.Tools {
		names[i] = t.Function.Name
	}
	return names
}

// Refusal is what a real provider would answer.
type Refusal struct {
	Status  int
	Message string
	Code    string
}

func refuse(status int, format string, args ...any) *Refusal {
	return &Refusal{Status: status, Message: fmt.Sprintf(format, args...)}
}

func (r *Refusal) answer() Answer {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{ // strings only: cannot fail
		"message": r.Message, "type": "invalid_request_error", "param": nil, "code": r.Code}})
	return Status(r.Status, string(body))
}

const defaultContext = 1_000_000

// Check parses a request and says what a real provider would refuse it for, nil when
// nothing is wrong.
func Check(body []byte, limits Limits) (Chat, *Refusal) {
	var chat Chat
	if !utf8.Valid(body) {
		return chat, refuse(http.StatusBadRequest, "the body is not valid UTF-8")
	}
	if err := json.Unmarshal(body, &chat); err != nil {
		return chat, refuse(http.StatusBadRequest, "we could not parse the JSON body of your request: %v", err)
	}
	limit := limits.MaxContext
	if limit == 0 {
		limit = defaultContext
	}
	if have := len(body) / 4; have > limit {
		r := refuse(http.StatusBadRequest, "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", limit, have)
		r.Code = "context_length_exceeded"
		return chat, r
	}
	if chat.Model == "" || !chat.Stream || len(chat.Messages) == 0 {
		return chat, refuse(http.StatusBadRequest, "model, stream and messages are required")
	}
	if r := checkMessages(chat.Messages, limits); r != nil {
		return chat, r
	}
	return chat, checkTools(chat.Tools, limits)
}

func checkMessages(messages []Message, limits Limits) *Refusal {
	lastUser := 0
	for i, m := range messages {
		if m.Role == "user" {
			lastUser = i
		}
	}
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if r := checkContent(i, m); r != nil {
			return r
		}
		if limits.DeepSeek && m.Role == "assistant" && i > lastUser && m.ReasoningContent == nil {
			return refuse(http.StatusBadRequest, "messages[%d]: the reasoning_content in the thinking mode must be passed back to the API", i)
		}
		if m.Role == "tool" {
			return refuse(http.StatusBadRequest, "messages[%d]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'", i)
		}
		if r := checkCalls(i, m.ToolCalls, messages); r != nil {
			return r
		}
		i += len(m.ToolCalls) // the answers, checked with their calls
	}
	return nil
}

func checkContent(i int, m Message) *Refusal {
	if m.Content == nil {
		return refuse(http.StatusUnprocessableEntity, "messages[%d]: missing field `content`", i)
	}
	var text string
	isText := json.Unmarshal(m.Content, &text) == nil && string(m.Content) != "null"
	switch m.Role {
	case "assistant":
		if len(m.ToolCalls) == 0 && (!isText || text == "") {
			return refuse(http.StatusBadRequest, "messages[%d]: the assistant message must not be empty", i)
		}
	case "user":
		if !isText && !validParts(m.Content) || isText && text == "" {
			return refuse(http.StatusBadRequest, "messages[%d]: invalid content of a user message", i)
		}
	case "system", "developer", "tool":
		if !isText {
			return refuse(http.StatusBadRequest, "messages[%d]: the content of a %s message must be a string", i, m.Role)
		}
	default:
		return refuse(http.StatusBadRequest, "messages[%d]: unknown role %q", i, m.Role)
	}
	return nil
}

func validParts(content json.RawMessage) bool {
	var parts []struct {
		Type     string
		Text     string
		ImageURL struct{ URL string } `json:"image_url"`
	}
	if json.Unmarshal(content, &parts) != nil || len(parts) == 0 {
		return false
	}
	for _, p := range parts {
		image := p.Type == "image_url" && strings.HasPrefix(p.ImageURL.URL, "data:image/")
		if !image && (p.Type != "text" || p.Text == "") {
			return false
		}
	}
	return true
}

// checkCalls checks the calls of message i and that the messages after it answer each
// exactly once, in order.
func checkCalls(i int, calls []ToolCall, messages []Message) *Refusal {
	seen := make(map[string]bool, len(calls))
	for n, c := range calls {
		var args map[string]any
		switch {
		case c.ID == "" || seen[c.ID]:
			return refuse(http.StatusBadRequest, "messages[%d]: tool call id %q is empty or not unique", i, c.ID)
		case c.Type != "function":
			return refuse(http.StatusBadRequest, "messages[%d]: tool call type %q", i, c.Type)
		case !validToolName(c.Function.Name):
			return refuse(http.StatusBadRequest, "messages[%d]: tool call name %q does not match %s", i, c.Function.Name, toolName)
		case json.Unmarshal([]byte(c.Function.Arguments), &args) != nil || args == nil:
			return refuse(http.StatusBadRequest, "messages[%d]: arguments of %s are not a JSON object: %q", i, c.ID, c.Function.Arguments)
		}
		seen[c.ID] = true
		at := i + 1 + n
		if at >= len(messages) || messages[at].Role != "tool" || messages[at].ToolCallID != c.ID {
			return refuse(http.StatusBadRequest, "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_id did not have a response message in order: %s", c.ID)
		}
		if r := checkContent(at, messages[at]); r != nil {
			return r
		}
	}
	return nil
}

const toolName = `^[a-zA-Z0-9_-]{1,64}$`

func validToolName(name string) bool {
	ok, err := regexp.MatchString(toolName, name)
	return ok && err == nil
}

func checkTools(tools []Tool, limits Limits) *Refusal {
	if len(tools) > 128 {
		return refuse(http.StatusBadRequest, "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length %d instead.", len(tools))
	}
	seen := make(map[string]bool, len(tools))
	for i, t := range tools {
		name := t.Function.Name
		if !validToolName(name) || seen[name] {
			return refuse(http.StatusBadRequest, "Invalid 'tools[%d].function.name': %q must match %s and be unique", i, name, toolName)
		}
		seen[name] = true
		var root map[string]any
		if json.Unmarshal(t.Function.Parameters, &root) != nil || root["type"] != "object" {
			return refuse(http.StatusBadRequest, "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'", name)
		}
		if _, ok := root["properties"].(map[string]any); !ok {
			return refuse(http.StatusBadRequest, "Invalid schema for function '%s': object schema missing properties", name)
		}
		if why := badSchema(root, limits); why != "" {
			return refuse(http.StatusBadRequest, "Invalid schema for function '%s': %s", name, why)
		}
	}
	return nil
}

// badSchema says what a provider refuses in a schema, "" when nothing.
func badSchema(schema map[string]any, limits Limits) string {
	_, isRef := schema["$ref"]
	types, isList := schema["type"].([]any)
	if limits.Gemini && (isRef || isList) {
		return "Unknown name \"$ref\" or a list as type"
	}
	isArray := schema["type"] == "array"
	for _, t := range types {
		isArray = isArray || t == "array"
	}
	if _, ok := schema["items"]; isArray && !ok {
		return "array schema missing items"
	}
	for key, value := range schema {
		if why := badPart(key, value, limits); why != "" {
			return why
		}
	}
	return ""
}

func badPart(key string, value any, limits Limits) string {
	var parts []any
	switch key {
	case "properties", "$defs", "definitions", "patternProperties":
		named, ok := value.(map[string]any)
		if !ok {
			return key + " is not an object"
		}
		for _, v := range named {
			parts = append(parts, v)
		}
	case "anyOf", "oneOf", "allOf", "prefixItems":
		parts, _ = value.([]any)
	case "items", "additionalProperties", "not":
		parts = []any{value}
	}
	for _, p := range parts {
		switch p := p.(type) {
		case bool:
		case map[string]any:
			if why := badSchema(p, limits); why != "" {
				return why
			}
		default:
			return fmt.Sprintf("%v in %s is not an object or a boolean", p, key)
		}
	}
	return ""
}
