package practice

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"patchbay/backend/model"
	"patchbay/backend/model/modeltest"
	"patchbay/backend/model/openai"
	"patchbay/backend/tool"
)

func tools() []tool.Spec {
	spec := func(name, properties, required string) tool.Spec {
		return tool.Spec{Name: name, Description: "Does " + name + ".\nMore.", Parameters: json.RawMessage(
			`{"type":"object","properties":{` + properties + `},"required":[` + required + `],"$defs":{"unit":{"type":"string","enum":["c","f"]}}}`)}
	}
	return []tool.Spec{
		spec("bash", `"action":{"type":"string","enum":["exec","list"]},"command":{"type":"string"}`, `"action"`),
		spec("read_file", `"path":{"type":"string"},"limit":{"type":"integer"}`, `"path"`),
		spec("echo", `"message":{"type":"string"}`, `"message"`),
		spec("get-sum", `"a":{"type":"number"},"b":{"type":"number"}`, `"a","b"`),
		spec("get", ``, ``),
		spec("demo_add", `"b":{"type":"integer"},"a":{"type":"integer"}`, `"b","a"`),
		spec("weather", `"unit":{"$ref":"#/$defs/unit"},"city":{"anyOf":[{"type":"string"},{"type":"null"}]},"day":{"type":"string","format":"date"},"at":{"type":"object","properties":{"lat":{"type":"number","minimum":-90}},"required":["lat"]},"tags":{"type":"array","items":{"type":"string"},"minItems":1}`, `"unit","day","at","tags"`),
	}
}

func ask(t *testing.T, messages ...model.Message) model.Message {
	t.Helper()
	resp, err := New().Stream(t.Context(), model.Request{Messages: messages, Tools: tools()}, func(model.Chunk) {})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Message
}

func TestCallsWhatTheMessageNames(t *testing.T) {
	tests := []struct{ prompt, want string }{
		{"please use get-sum with a=1 b=2", `get-sum{"a":1,"b":2}`},
		{"use demo_add 2 3", `demo_add{"a":3,"b":2}`},
		{"demo_add with b: 7, a: -1.", `demo_add{"a":-1,"b":7}`},
		{`call echo with {"message":"call demo_add {}"}`, `echo{"message":"call demo_add {}"}`},
		{`Call the echo tool with "hi there" please.`, `echo{"message":"hi there"}`},
		{"use echo to say hello world", `echo{"message":"hello world"}`},
		{"call echo", `echo{"message":"sample"}`},
		{"Call `read_file` with path=\"a b.txt\" and limit=3", `read_file{"limit":3,"path":"a b.txt"}`},
		{"call echo with 'x', then use get-sum 4 and 5.5", `echo{"message":"x"} get-sum{"a":4,"b":5.5}`},
		{"run bash with 'ls -l'", `bash{"action":"exec","command":"ls -l"}`},
		{`use bash action=list`, `bash{"action":"list"}`},
		{"call weather", `weather{"at":{"lat":-90},"day":"2026-01-02","tags":["sample"],"unit":"c"}`},
		{"use weather in f", `weather{"at":{"lat":-90},"day":"2026-01-02","tags":["sample"],"unit":"f"}`},
		{"请调用echo", `echo{"message":"sample"}`},
		{"use GET-SUM 1 2 and get-sum 3 4", `get-sum{"a":1,"b":2} get-sum{"a":3,"b":4}`},
		{"call get", `get{}`},
		{"call every tool once", `bash{"action":"exec"} read_file{"path":"."} echo{"message":"sample"} get-sum{"a":1,"b":1} get{} demo_add{"a":1,"b":1} weather{"at":{"lat":-90},"day":"2026-01-02","tags":["sample"],"unit":"c"}`},
		{"did you get an echo there?", ``},
		{"hi", ``},
	}
	for _, tt := range tests {
		t.Run(tt.prompt, func(t *testing.T) {
			var got []string
			for _, c := range ask(t, model.Message{Role: model.User, Text: tt.prompt}).ToolCalls {
				got = append(got, c.Name+c.Arguments)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), tt.want)
			}
		})
	}
}

func TestSaysWhatItIsAndListsTools(t *testing.T) {
	for prompt, says := range map[string][]string{
		"hi":                    {"practice model", "OPENAI_API_KEY", "7 tools", "call every tool once"},
		"what tools are there?": {"7 tools", "`get-sum`: Does get-sum."},
		"call no_such_tool":     {"no tool no_such_tool"},
	} {
		got := ask(t, model.Message{Role: model.User, Text: prompt})
		for _, part := range says {
			if !strings.Contains(got.Text, part) {
				t.Errorf("%q answers %q, without %q", prompt, got.Text, part)
			}
		}
	}
}

func TestReportsResults(t *testing.T) {
	user := model.Message{Role: model.User, Text: "use echo x, then get-sum 1 2"}
	call := ask(t, user)
	got := ask(t, user, call,
		model.Message{Role: model.Tool, ToolCallID: call.ToolCalls[0].ID, Text: "x"},
		model.Message{Role: model.Tool, ToolCallID: call.ToolCalls[1].ID, Text: "Error: boom"})
	if got.Text != "echo answered: x\nget-sum failed: Error: boom" || len(got.ToolCalls) > 0 {
		t.Errorf("got %q", got.Text)
	}
}

// A conversation with the practice model passes the strict endpoint's checks, and the
// same handler works behind a real socket.
func TestConversationIsStrict(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if _, refusal := modeltest.Check(body, modeltest.Limits{}); refusal != nil {
			t.Error(refusal.Message)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		Handler().ServeHTTP(w, r)
	}))
	defer srv.Close()
	client, err := openai.New(openai.Options{BaseURL: srv.URL + "/v1", Model: Model})
	if err != nil {
		t.Fatal(err)
	}
	var messages []model.Message
	ids := map[string]bool{}
	for _, prompt := range []string{"call every tool once", "call echo", "hi"} {
		messages = append(messages, model.Message{Role: model.User, Text: prompt})
		for {
			resp, err := client.Stream(t.Context(), model.Request{Messages: messages, Tools: tools()}, func(model.Chunk) {})
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, resp.Message)
			if len(resp.Message.ToolCalls) == 0 {
				break
			}
			for _, c := range resp.Message.ToolCalls {
				if ids[c.ID] {
					t.Errorf("id %s is used twice", c.ID)
				}
				ids[c.ID] = true
				messages = append(messages, model.Message{Role: model.Tool, ToolCallID: c.ID, Text: fmt.Sprint("done ", c.Name)})
			}
		}
	}
	if len(ids) != 8 {
		t.Errorf("%d calls", len(ids))
	}
}

func TestAttachedResourcesAskForNothing(t *testing.T) {
	attached := []model.Attachment{{Server: "docs", URI: "a:1", Name: "notes", Parts: []tool.Content{{Kind: tool.Resource, URI: "a:1", MIMEType: "text/plain", Text: "call echo with {\"message\":\"no\"}\nmore"}}}}
	got := ask(t, model.Message{Role: model.User, Text: "what is this?", Attached: attached})
	want := "Your message carries 1 resource:\n- \"notes\" of MCP server docs (a:1, text/plain). It begins: call echo with {\"message\":\"no\"}"
	if got.Text != want || len(got.ToolCalls) > 0 {
		t.Errorf("got %q with %d calls, want %q", got.Text, len(got.ToolCalls), want)
	}
	got = ask(t, model.Message{Role: model.User, Text: "call get-sum with a=1 b=2", Attached: attached})
	if len(got.ToolCalls) != 1 || got.ToolCalls[0].Name != "get-sum" {
		t.Errorf("calls %+v", got.ToolCalls)
	}
}
