package modeltest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

const (
	hi     = `{"role":"user","content":"hi"}`
	called = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	ansA   = `{"role":"tool","tool_call_id":"a","content":""}`
	ansB   = `{"role":"tool","tool_call_id":"b","content":"x"}`
)

func body(tools string, messages ...string) string {
	b := `{"model":"m","stream":true,"messages":[` + strings.Join(messages, ",") + `]`
	if tools != "" {
		b += `,"tools":[` + tools + `]`
	}
	return b + `}`
}

func fn(name, parameters string) string {
	return `{"type":"function","function":{"name":"` + name + `","parameters":` + parameters + `}}`
}

func TestCheckRefusesWhatProvidersRefuse(t *testing.T) {
	const object = `{"type":"object","properties":{}}`
	tests := []struct {
		name   string
		body   string
		limits Limits
		want   string // part of the refusal, "" when it passes
		status int
	}{
		{"plain", body("", hi), Limits{}, "", 0},
		{"answered calls", body(fn("f", object), hi, called, ansA, ansB), Limits{}, "", 0},
		{"unanswered call", body("", hi, called, ansA, hi), Limits{}, "responding to each", 400},
		{"out of order", body("", hi, called, ansB, ansA), Limits{}, "responding to each", 400},
		{"answered twice", body("", hi, called, ansA, ansB, ansB), Limits{}, "preceding message", 400},
		{"orphan", body("", hi, ansA), Limits{}, "preceding message", 400},
		{"no content key", body("", hi, `{"role":"assistant","tool_calls":[]}`), Limits{}, "missing field", 422},
		{"no content key of a tool", body("", hi, called, `{"role":"tool","tool_call_id":"a"}`, ansB), Limits{}, "missing field", 422},
		{"empty assistant", body("", hi, `{"role":"assistant","content":""}`), Limits{}, "must not be empty", 400},
		{"arguments", body("", hi, strings.ReplaceAll(called, `"{}"`, `"[1]"`), ansA, ansB), Limits{}, "not a JSON object", 400},
		{"tool name", body(fn("a.b", object), hi), Limits{}, "must match", 400},
		{"tool twice", body(fn("f", object)+","+fn("f", object), hi), Limits{}, "unique", 400},
		{"too many tools", body(strings.Repeat(fn("f", object)+",", 128)+fn("f", object), hi), Limits{}, "maximum length 128", 400},
		{"no properties", body(fn("f", `{"type":"object"}`), hi), Limits{}, "missing properties", 400},
		{"property is text", body(fn("f", `{"type":"object","properties":{"a":"string"}}`), hi), Limits{}, "not an object", 400},
		{"array without items", body(fn("f", `{"type":"object","properties":{"a":{"type":"array"}}}`), hi), Limits{}, "missing items", 400},
		{"type list", body(fn("f", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`), hi), Limits{}, "", 0},
		{"type list for gemini", body(fn("f", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`), hi), Limits{Gemini: true}, "list as type", 400},
		{"deepseek", body("", hi, called, ansA, ansB), Limits{DeepSeek: true}, "must be passed back", 400},
		{"too long", body("", hi), Limits{MaxContext: 3}, "maximum context length", 400},
		{"bad UTF-8", body("", strings.ReplaceAll(hi, "hi", "\xff")), Limits{}, "UTF-8", 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := Check([]byte(tt.body), tt.limits)
			if tt.want == "" {
				if got != nil {
					t.Fatalf("refused: %s", got.Message)
				}
				return
			}
			if got == nil || !strings.Contains(got.Message, tt.want) || got.Status != tt.status {
				t.Fatalf("got %+v, want %d %q", got, tt.status, tt.want)
			}
		})
	}
}

func TestServerGivesAnswersInOrderAndRecords(t *testing.T) {
	s := New(t, Limits{}, Text("one"), Status(503, "{}", "Retry-After", "2"))
	for i, want := range []int{200, 503} {
		resp, err := http.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(body("", hi)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != want {
			t.Fatalf("answer %d: status %d, %v: %s", i, resp.StatusCode, err, text)
		}
	}
	if got := s.Requests(); len(got) != 2 || got[1].Chat.Messages[0].Text() != "hi" {
		t.Fatalf("recorded %+v", got)
	}
}
