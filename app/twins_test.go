package app

import (
	"encoding/json"
	"strings"
	"testing"

	"patchbay/backend/agent"
	"patchbay/backend/tool"
)

func TestTextThatTheStructuredPartSaysIsShownOnce(t *testing.T) {
	text := func(s string) tool.Content { return tool.Content{Kind: tool.Text, Text: s} }
	structured := func(s string) tool.Content { return tool.Content{Kind: tool.Structured, JSON: json.RawMessage(s)} }
	tests := []struct {
		name string
		in   []tool.Content
		want string
	}{
		{"the same", []tool.Content{text(`{"a":1,"b":[true]}`), structured(`{"a":1,"b":[true]}`)}, "structured"},
		{"other order and space", []tool.Content{text("{ \"b\": [true],\n \"a\": 1 }\n"), structured(`{"a":1,"b":[true]}`)}, "structured"},
		{"more beside it", []tool.Content{text("done"), text(`{"a":1}`), structured(`{"a":1}`)}, "text done, structured"},
		{"words", []tool.Content{text("1 + 2 = 3"), structured(`{"sum":3}`)}, "text 1 + 2 = 3, structured"},
		{"another value", []tool.Content{text(`{"a":2}`), structured(`{"a":1}`)}, `text {"a":2}, structured`},
		{"numbers that a float cannot tell apart", []tool.Content{text(`{"a":9007199254740993}`), structured(`{"a":9007199254740992}`)}, `text {"a":9007199254740993}, structured`},
		{"more than one value", []tool.Content{text(`{"a":1} {"a":1}`), structured(`{"a":1}`)}, `text {"a":1} {"a":1}, structured`},
		{"no structured part", []tool.Content{text(`{"a":1}`)}, `text {"a":1}`},
		{"a structured part that is no JSON", []tool.Content{text(``), structured(`{`)}, "text , structured"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := toEvent("s", agent.Event{Kind: agent.ToolResult, Result: &tool.Result{OK: true, Content: tt.in}}, nil)
			var got []string
			for _, c := range e.Content {
				label := c.Kind
				if c.Kind != "structured" {
					label += " " + c.Text
				}
				got = append(got, label)
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("shown %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStructuredPartsAreShownAsTheyWereSent(t *testing.T) {
	c := toContent(tool.Content{Kind: tool.Structured, JSON: json.RawMessage(`{"z":9007199254740993,"a":[]}`)}, nil)
	if want := "{\n  \"z\": 9007199254740993,\n  \"a\": []\n}"; c.JSON != want {
		t.Errorf("shown %s, want %s", c.JSON, want)
	}
}
