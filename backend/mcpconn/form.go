package mcpconn

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/tool"
)

const (
	maxFormFields = 100
	maxFormBytes  = 128 << 10
	maxAskedText  = 8 << 10 // of a message to the person
	maxAskedURL   = 4 << 10
)

// elicitation is what a server asks, when it is something that can be asked.
func elicitation(p *mcp.ElicitParams) (Elicitation, error) {
	req := Elicitation{Message: p.Message, URL: p.URL, ID: p.ElicitationID}
	if len(p.Message) > maxAskedText || len(p.URL) > maxAskedURL {
		return req, invalid("the message or the url of the elicitation is too long")
	}
	if p.URL != "" {
		u, err := url.Parse(p.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return req, invalid("the url of an elicitation must be an http or https address")
		}
		return req, nil
	}
	if p.RequestedSchema == nil {
		p.RequestedSchema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	raw, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		return req, invalid("the schema of the elicitation cannot be read: " + err.Error())
	}
	req.Schema = raw
	if err := checkFormSchema(raw); err != nil {
		return req, invalid(err.Error())
	}
	return req, nil
}

func invalid(text string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// formSchema is the part of JSON Schema that a form may have (MCP, client/elicitation): a
// flat object of strings, numbers, booleans and choices.
type formSchema struct {
	Type       string                     `json:"type"`
	Properties map[string]map[string]any  `json:"properties"`
	Required   []string                   `json:"required"`
	Rest       map[string]json.RawMessage `json:"-"`
}

// formWords are the keywords of the object; every other one is refused, for two reasons: the
// person could not see what it asks, and go-sdk validates the answer with a validator that a
// schema which refers to itself overflows.
var formWords = []string{"$schema", "type", "properties", "required", "title", "description", "additionalProperties"}

// fieldWords are the keywords of a field.
var fieldWords = []string{
	"type", "title", "description", "default", "enum", "enumNames", "oneOf", "items", "format", "pattern",
	"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "uniqueItems", "examples", "const", "deprecated", "readOnly", "writeOnly", "$comment",
}

func checkFormSchema(raw json.RawMessage) error {
	var s formSchema
	if len(raw) > maxFormBytes {
		return errors.New("the schema of the elicitation is too large for a form")
	}
	if err := errors.Join(json.Unmarshal(raw, &s), json.Unmarshal(raw, &s.Rest)); err != nil {
		return errors.New("the schema of the elicitation must be a flat object")
	}
	if s.Type != "" && s.Type != "object" || len(s.Properties) > maxFormFields {
		return fmt.Errorf("the schema of the elicitation must be an object of at most %d fields", maxFormFields)
	}
	if word := otherThan(formWords, s.Rest); word != "" {
		return fmt.Errorf("the schema of the elicitation uses %s, which a form cannot show", word)
	}
	if _, plain := flag(s.Rest["additionalProperties"]); !plain {
		return errors.New("the schema of the elicitation describes other fields, which a form cannot show")
	}
	for _, name := range s.Required {
		if s.Properties[name] == nil {
			return fmt.Errorf("the schema of the elicitation requires %s, which it does not describe", name)
		}
	}
	for name, field := range s.Properties {
		if why := checkField(field); why != "" {
			return fmt.Errorf("the field %s of the elicitation %s", name, why)
		}
	}
	return nil
}

func flag(raw json.RawMessage) (value, plain bool) {
	if raw == nil {
		return false, true
	}
	return value, json.Unmarshal(raw, &value) == nil
}

func otherThan[V any](words []string, m map[string]V) string {
	for _, word := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(words, word) && !strings.HasPrefix(word, "x-") {
			return word
		}
	}
	return ""
}

// checkField says what is wrong with a field, "" for nothing.
func checkField(field map[string]any) string {
	if word := otherThan(fieldWords, field); word != "" {
		return "uses " + word + ", which a form cannot show"
	}
	switch field["type"] {
	case "string", "number", "integer", "boolean":
		if field["items"] != nil {
			return "is no list and has items"
		}
		return checkChoices(field["oneOf"])
	case "array":
		items, _ := field["items"].(map[string]any)
		if word := otherThan([]string{"type", "enum", "anyOf"}, items); word != "" || items == nil {
			return "must be a list of choices"
		}
		if items["enum"] == nil && items["anyOf"] == nil {
			return "must be a list of choices"
		}
		return checkChoices(items["anyOf"])
	}
	return "is neither text, number, yes or no, nor a choice"
}

func checkChoices(v any) string {
	if v == nil {
		return ""
	}
	list, _ := v.([]any)
	for _, each := range list {
		choice, _ := each.(map[string]any)
		if _, text := choice["const"].(string); !text || otherThan([]string{"const", "title", "description"}, choice) != "" {
			return "has a choice that is none"
		}
	}
	if len(list) == 0 {
		return "has no choices"
	}
	return ""
}

// CheckForm says what is wrong with an answer to an elicitation in form mode, before it
// goes to the server. The error names the field.
func CheckForm(raw, content json.RawMessage) error {
	var s formSchema
	var answer map[string]any
	if err := json.Unmarshal(content, &answer); err != nil || answer == nil {
		return errors.New("the answer must be an object")
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("read the form: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(answer)) {
		field := s.Properties[name]
		if field == nil {
			return fmt.Errorf("%s is no field of the form", name)
		}
		one, err := json.Marshal(map[string]any{"properties": map[string]any{name: field}})
		if err != nil {
			return fmt.Errorf("read the field %s: %w", name, err)
		}
		value, err := json.Marshal(map[string]any{name: answer[name]})
		if err != nil {
			return fmt.Errorf("read the answer for %s: %w", name, err)
		}
		if why := tool.Mismatch(one, value); why != "" {
			return fmt.Errorf("%s: %s", name, strings.TrimPrefix(why, name+": "))
		}
		if text, ok := answer[name].(string); ok {
			if why := checkFormat(fmt.Sprint(field["format"]), text); why != "" {
				return fmt.Errorf("%s %s", name, why)
			}
		}
	}
	for _, name := range s.Required {
		if _, there := answer[name]; !there {
			return fmt.Errorf("%s is required", name)
		}
	}
	return nil
}

// checkFormat knows the four formats of a form.
func checkFormat(format, text string) string {
	switch format {
	case "email":
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return "must be an email address"
		}
	case "uri":
		if u, err := url.Parse(text); err != nil || !u.IsAbs() {
			return "must be a full address, like https://example.com"
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return "must be a date, like 2026-01-31"
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "must be a date with time, like 2026-01-31T12:00:00Z"
		}
	}
	return ""
}
