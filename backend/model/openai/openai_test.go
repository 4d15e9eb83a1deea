package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"patchbay/backend/model"
	"patchbay/backend/model/modeltest"
	"patchbay/backend/tool"
)

const secret = "sk-secret-0123456789"

func dial(s *modeltest.Server, change ...func(*Options)) model.Client {
	o := Options{BaseURL: s.URL(), Key: secret, Model: "fake-1", RetryBase: time.Millisecond, IdleTimeout: 30 * time.Second}
	for _, c := range change {
		c(&o)
	}
	client, err := New(o)
	if err != nil {
		panic(err) // the test's own options
	}
	return client
}

func ask(t *testing.T, c model.Client, messages ...model.Message) (model.Response, error) {
	t.Helper()
	if len(messages) == 0 {
		messages = []model.Message{{Role: model.User, Text: "hi"}}
	}
	var streamed strings.Builder
	resp, err := c.Stream(t.Context(), model.Request{Messages: messages}, func(ch model.Chunk) {
		if ch.Kind == model.TextChunk {
			streamed.WriteString(ch.Text)
		}
	})
	if streamed.String() != resp.Message.Text {
		t.Errorf("streamed %q, returned %q", streamed.String(), resp.Message.Text)
	}
	return resp, err
}

// show is an answer in one line: text, reasoning, calls.
func show(m model.Message) string {
	s := m.Text
	if m.Reasoning != "" {
		s = "[" + m.Reasoning + "]" + s
	}
	for _, c := range m.ToolCalls {
		s += fmt.Sprintf(" %s(%s)", c.Name, c.Arguments)
		if c.Malformed != "" {
			s += "!"
		}
	}
	return strings.TrimSpace(s)
}

func tc(index, id, name, args string) string {
	return fmt.Sprintf(`{%s"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`, index, id, name, args)
}

func deltas(calls ...string) string {
	var b strings.Builder
	for _, c := range calls {
		b.WriteString(`data: {"choices":[{"index":0,"delta":{"tool_calls":[` + c + `]}}]}` + "\n\n")
	}
	return b.String()
}

func TestStreamsOfAllKinds(t *testing.T) {
	stop, done := modeltest.Finish("stop"), "data: [DONE]\n\n"
	hello := modeltest.Delta(map[string]any{"content": "hello"})
	f1 := tc(`"index":0,`, `"a"`, `"f"`, `"{\"n\":1}"`)
	tests := []struct{ name, body, want string }{
		{"plain", hello + stop + done, "hello"},
		{"A23 keep-alive comments", strings.Repeat(": OPENROUTER PROCESSING\n\n", 200) + hello + stop + done, "hello"},
		{"CRLF, no space, ids and names", strings.ReplaceAll("event: message\nid: 1\n"+strings.Replace(hello, "data: ", "data:", 1)+stop+done, "\n", "\r\n"), "hello"},
		{"data over lines", "data: {\"choices\":[\ndata: {\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\n", "hello"},
		{"last event without newline, no DONE", hello + strings.TrimSpace(stop), "hello"},
		{"no empty lines between", strings.ReplaceAll(hello+stop+done, "\n\n", "\n"), "hello"},
		{"byte order mark", "\xef\xbb\xbf" + hello + stop, "hello"},
		{"content array", `data: {"choices":[{"delta":{"content":[{"type":"text","text":"he"},{"type":"text","text":"llo"}]},"finish_reason":"stop"}]}` + "\n\n", "hello"},
		{"float created and usage", `data: {"created":1.5,"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1.0,"completion_tokens":2.5}}` + "\n\n", "hello"},
		{"whole answer as JSON", `{"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`, "hello"},
		{"reasoning", modeltest.Delta(map[string]any{"reasoning": "hm"}) + hello + stop, "[hm]hello"},
		{"reasoning in both fields", modeltest.Delta(map[string]any{"reasoning": "hm", "reasoning_content": "hm"}) + hello + stop, "[hm]hello"},
		{"A09 stop although tools were called", deltas(f1) + modeltest.End("stop"), `f({"n":1})`},
		{"A09 null finish", deltas(f1) + modeltest.Finish(nil) + done, `f({"n":1})`},
		{"A09 blank finish", deltas(f1) + modeltest.Finish("") + done, `f({"n":1})`},
		{"A01 index always 0", deltas(f1, tc(`"index":0,`, `"b"`, `"f"`, `"{\"n\":2}"`)) + stop, `f({"n":1}) f({"n":2})`},
		{"A01 both in one chunk", deltas(f1+","+tc(`"index":0,`, `"b"`, `"f"`, `"{\"n\":2}"`)) + stop, `f({"n":1}) f({"n":2})`},
		{"no index", deltas(tc("", `"a"`, `"f"`, `"{}"`), tc("", `"b"`, `"g"`, `"{}"`)) + stop, `f({}) g({})`},
		{"index as string", deltas(tc(`"index":"0",`, `"a"`, `"f"`, `"{\"n\""`), tc(`"index":"1",`, `"b"`, `"g"`, `"{}"`), tc(`"index":"0",`, `null`, `null`, `":1}"`)) + stop, `f({"n":1}) g({})`},
		{"one call at several indices", deltas(tc(`"index":0,`, `"a"`, `"f"`, `"{\"n\""`), tc(`"index":1,`, `""`, `""`, `":1}"`)) + stop, `f({"n":1})`},
		{"A03 blank id and name", deltas(tc(`"index":0,`, `"a"`, `"f"`, `"{\"n\""`), tc(`"index":0,`, `""`, `""`, `":1}"`)) + stop, `f({"n":1})`},
		{"id and name repeated", deltas(tc(`"index":0,`, `"a"`, `"f"`, `"{\"n\""`), tc(`"index":0,`, `"a"`, `"f"`, `":1}"`)) + stop, `f({"n":1})`},
		{"fresh id on every piece", deltas(tc(`"index":0,`, `"a"`, `"f"`, `"{\"n\""`), tc(`"index":0,`, `"b"`, `""`, `":1}"`)) + stop, `f({"n":1})`},
		{"no ids, same name", deltas(tc(`"index":0,`, `""`, `"f"`, `"{\"n\":1}"`), tc(`"index":0,`, `""`, `"f"`, `"{\"n\":2}"`)) + stop, `f({"n":1}) f({"n":2})`},
		{"one id for two calls", deltas(f1, tc(`"index":1,`, `"a"`, `"f"`, `"{\"n\":2}"`)) + stop, `f({"n":1}) f({"n":2})`},
		{"arguments object", deltas(tc(`"index":0,`, `"a"`, `"f"`, `{"n":1}`)) + stop, `f({"n":1})`},
		{"A05 blank arguments", deltas(tc(`"index":0,`, `"a"`, `"f"`, `""`)) + stop, `f({})`},
		{"A05 space arguments", deltas(tc(`"index":0,`, `"a"`, `"f"`, `"  "`)) + stop, `f({})`},
		{"A05 null arguments", deltas(tc(`"index":0,`, `"a"`, `"f"`, `null`)) + stop, `f({})`},
		{"A05 no arguments", deltas(`{"index":0,"id":"a","function":{"name":"f"}}`) + stop, `f({})`},
		{"malformed arguments", deltas(tc(`"index":0,`, `"a"`, `"f"`, `"[1]"`)) + stop, `f({})!`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Limits{}, modeltest.Raw(tt.body))
			resp, err := ask(t, dial(s))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(resp.Message); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			seen := map[string]bool{}
			for _, c := range resp.Message.ToolCalls {
				if c.ID == "" || seen[c.ID] {
					t.Errorf("id %q is blank or not unique", c.ID)
				}
				seen[c.ID] = true
			}
		})
	}
}

func TestBrokenAnswersAreErrors(t *testing.T) {
	half := modeltest.Delta(map[string]any{"content": "par"})
	cut := modeltest.Raw(half)
	cut.Cut = true
	cutCall := modeltest.Raw(deltas(tc(`"index":0,`, `"a"`, `"f"`, `"{\"n\""`)))
	cutCall.Cut = true
	idle := modeltest.Raw(half)
	idle.Hold = true
	html := modeltest.Status(200, "<html>login</html>", "Content-Type", "text/html")
	tests := []struct {
		name   string
		answer modeltest.Answer
		code   model.Code
		text   string // what is kept
		says   string
	}{
		{"A25 cut", cut, model.Broken, "par", "cut"},
		{"A25 clean end without finish", modeltest.Raw(half), model.Broken, "par", "cut"},
		{"A25 half a JSON line", modeltest.Raw(half + `data: {"choices":[{"del`), model.Broken, "par", "cut"},
		{"A25 cut in arguments", cutCall, model.Broken, "", "cut"},
		{"A21 error object", modeltest.Raw(half + `data: {"error":{"message":"overloaded","code":503}}` + "\n\n"), model.Overloaded, "par", "overloaded"},
		{"A21 error not first key", modeltest.Raw(half + `data: {"id":"1","choices":[{"delta":{},"finish_reason":"error"}],"error":{"message":"overloaded"}}` + "\n\n"), model.Overloaded, "par", "overloaded"},
		{"A21 error as string after a comment", modeltest.Raw(half + ": ping\n\ndata: {\"error\":\"boom\"}\n\n"), model.Overloaded, "par", "boom"},
		{"A21 event: error", modeltest.Raw(half + "event: error\ndata: {\"message\":\"boom\"}\n\n"), model.Overloaded, "par", "boom"},
		{"HTML", html, model.BadURL, "", "web page"},
		{"empty body", modeltest.Raw(""), model.BadURL, "", "empty body"},
		{"other JSON", modeltest.Status(200, `{"status":"ok"}`), model.BadURL, "", "no answer"},
		{"error as JSON body", modeltest.Status(200, `{"error":{"message":"no such thing","code":400}}`), model.BadRequest, "", "no such thing"},
		{"nothing said", modeltest.Raw(modeltest.End("stop")), model.Empty, "", "empty answer"},
		{"idle", idle, model.Stalled, "par", "sent nothing"},
		{"400", modeltest.Status(400, `{"error":{"message":"bad thing"}}`), model.BadRequest, "", "bad thing"},
		{"401", modeltest.Status(401, `{"error":{"message":"Incorrect API key: `+secret+`"}}`), model.BadKey, "", "Check the key"},
		{"404 model", modeltest.Status(404, `{"error":"model 'x' not found"}`), model.BadModel, "", "fake-1"},
		{"404", modeltest.Status(404, `404 page not found`), model.BadURL, "", "base URL"},
		{"too long", modeltest.Status(400, `{"error":{"message":"m","code":"context_length_exceeded"}}`), model.TooLong, "", "window"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Limits{}, tt.answer)
			resp, err := ask(t, dial(s, func(o *Options) { o.MaxRetries = -1; o.IdleTimeout = time.Second }))
			var e *model.Error
			if !errors.As(err, &e) || e.Code != tt.code || !strings.Contains(e.Message, tt.says) {
				t.Fatalf("got %v, want %s with %q", err, tt.code, tt.says)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the key is in the error: %v", err)
			}
			if resp.Message.Text != tt.text || len(resp.Message.ToolCalls) > 0 {
				t.Errorf("kept %s", show(resp.Message))
			}
			if got := len(s.Requests()); got != 1 {
				t.Errorf("%d requests", got)
			}
		})
	}
}

func TestA19ThinkTagsSplitAtEveryByte(t *testing.T) {
	tests := []struct{ in, reasoning, answer string }{
		{"<think>plan</think>Answer", "plan", "Answer"},
		{"\n<think>\nplan <b> </th </think>\n\nAnswer with <think> in it", "\nplan <b> </th ", "Answer with <think> in it"},
		{"</think>\n\nAnswer", "", "Answer"},
		{"left over\n</think>\n\nAnswer", "", "left over\n\nAnswer"},
		{"a < b, <thinking", "", "a < b, <thinking"},
		{"<think>never closed", "never closed", ""},
		{"<thi", "", "<thi"},
	}
	for _, tt := range tests {
		for i := range len(tt.in) + 1 {
			for j := i; j <= len(tt.in); j++ {
				var reasoning, answer strings.Builder
				s := splitter{emit: func(r bool, text string) {
					if r {
						reasoning.WriteString(text)
					} else {
						answer.WriteString(text)
					}
				}}
				s.push(tt.in[:i])
				s.push(tt.in[i:j])
				s.push(tt.in[j:])
				s.end()
				if reasoning.String() != tt.reasoning || answer.String() != tt.answer {
					t.Fatalf("%q cut at %d, %d: reasoning %q, answer %q", tt.in, i, j, reasoning.String(), answer.String())
				}
			}
		}
	}
}

func TestA28RetryAfterIsHonouredAndToldAndRefusalsAreFinal(t *testing.T) {
	s := modeltest.New(t, modeltest.Limits{},
		modeltest.Status(429, `{"error":{"message":"slow down"}}`, "Retry-After", "1"),
		modeltest.Status(503, `oops`), modeltest.Text("hello"))
	var waits []time.Duration
	resp, err := dial(s).Stream(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "hi"}}}, func(c model.Chunk) {
		if c.Kind == model.RetryChunk {
			waits = append(waits, c.Wait)
		}
	})
	if err != nil || resp.Message.Text != "hello" {
		t.Fatalf("%q, %v", resp.Message.Text, err)
	}
	reqs := s.Requests()
	if len(reqs) != 3 || reqs[1].At.Sub(reqs[0].At) < time.Second {
		t.Errorf("%d requests, second after %s", len(reqs), reqs[1].At.Sub(reqs[0].At))
	}
	if len(waits) < 2 || waits[0] > time.Second {
		t.Errorf("waits told: %v", waits)
	}
	if got := retryAfter(http.Header{"Retry-After": {time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)}}, time.Now()); got < 80*time.Second || got > 91*time.Second {
		t.Errorf("date form: %s", got)
	}
}

func TestA28StopWhileWaiting(t *testing.T) {
	s := modeltest.New(t, modeltest.Limits{}, modeltest.Status(429, `{}`, "Retry-After", "200"))
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	_, err := dial(s).Stream(ctx, model.Request{Messages: []model.Message{{Role: model.User, Text: "hi"}}}, func(model.Chunk) { cancel(stop) })
	if !errors.Is(err, stop) {
		t.Fatalf("got %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	s := modeltest.Start(modeltest.Limits{})
	url := s.URL()
	s.Close()
	_, err := dial(s, func(o *Options) { o.BaseURL = url }).Stream(t.Context(), model.Request{}, func(model.Chunk) {})
	var e *model.Error
	if !errors.As(err, &e) || e.Code != model.Unreachable || !strings.Contains(e.Message, url) {
		t.Fatalf("got %v", err)
	}
}

func conversation() []model.Message {
	return []model.Message{
		{Role: model.System, Text: "sys"},
		{Role: model.User, Text: "look", Images: []tool.Content{{Kind: tool.Image, MIMEType: "image/png", Data: []byte("png")}}},
		{Role: model.Assistant, Reasoning: "hm", ReasonedAs: "reasoning_content", ToolCalls: []model.ToolCall{
			{ID: "a", Name: "functions.f:0", Arguments: " ", Extra: json.RawMessage(`{"extra_content":{"google":{"thought_signature":"sig"}}}`)},
			{ID: "b", Name: "g", Arguments: `{"n":1}`}}},
		{Role: model.Tool, ToolCallID: "a"},
		{Role: model.Tool, ToolCallID: "b", Text: "shot", Images: []tool.Content{{Kind: tool.Image, MIMEType: "image/png", Data: []byte("png")}}},
		{Role: model.Assistant, Incomplete: true},
		{Role: model.Assistant, Text: "answer"},
		{Role: model.User, Text: "more"},
	}
}

func TestA16A17HistoryPassesStrictProviders(t *testing.T) {
	s := modeltest.New(t, modeltest.Limits{DeepSeek: true}, modeltest.Text("ok"), modeltest.Text("ok"))
	for _, vision := range []bool{false, true} {
		if _, err := ask(t, dial(s, func(o *Options) { o.Vision = vision }), conversation()...); err != nil {
			t.Fatal(err)
		}
	}
	reqs := s.Requests()
	if n := strings.Count(string(reqs[0].Body), "image_url\":{"); n != 1 {
		t.Errorf("%d images without vision", n)
	}
	if n := strings.Count(string(reqs[1].Body), "image_url\":{"); n != 2 {
		t.Errorf("%d images with vision", n)
	}
	for _, want := range []string{`"thought_signature":"sig"`, `"reasoning_content":"hm"`, `"content":"(no output)"`, `"arguments":"{}"`, `functions_f_0`} {
		if !strings.Contains(string(reqs[0].Body), want) {
			t.Errorf("the request has no %s", want)
		}
	}
	if got := reqs[0].Header.Get("Authorization"); got != "Bearer "+secret {
		t.Errorf("Authorization %q", got)
	}
}

func TestExtraFieldsOfCallsAreKept(t *testing.T) {
	s := modeltest.New(t, modeltest.Limits{}, modeltest.Raw(deltas(`{"index":0,"id":"a","type":"function","extra_content":{"google":{"thought_signature":"sig"}},"function":{"name":"f","arguments":"{}"}}`)+modeltest.End("tool_calls")))
	resp, err := ask(t, dial(s))
	if err != nil || string(resp.Message.ToolCalls[0].Extra) != `{"extra_content":{"google":{"thought_signature":"sig"}}}` {
		t.Fatalf("%v: %s", err, resp.Message.ToolCalls[0].Extra)
	}
	if resp.Usage == nil || resp.Usage.Input != 11 || resp.Usage.Output != 7 || resp.Model != "fake-1" {
		t.Errorf("usage %+v of %q", resp.Usage, resp.Model)
	}
}

func TestSchemasAreRepairedWhenRefused(t *testing.T) {
	s := modeltest.New(t, modeltest.Limits{Gemini: true}, modeltest.Text("one"), modeltest.Text("two"))
	s.ExpectRefusals()
	c := dial(s, func(o *Options) {
		o.RepairSchema = func(json.RawMessage) json.RawMessage {
			return json.RawMessage(`{"type":"object","properties":{}}`)
		}
	})
	req := model.Request{Messages: []model.Message{{Role: model.User, Text: "hi"}}, Tools: []tool.Spec{{Name: "f",
		Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":["string","null"]}}}`)}}}
	for range 2 {
		if _, err := c.Stream(t.Context(), req, func(model.Chunk) {}); err != nil {
			t.Fatal(err)
		}
	}
	if reqs, refused := s.Requests(), s.Refusals(); len(reqs) != 3 || len(refused) != 1 {
		t.Fatalf("%d requests, refused: %v", len(reqs), refused)
	}
}

// What a request asks of the answer is sent, and left out where an endpoint refuses it.
func TestLimitsOfARequest(t *testing.T) {
	refuse := func(message string) modeltest.Answer {
		return modeltest.Status(400, `{"error":{"message":"`+message+`"}}`)
	}
	s := modeltest.New(t, modeltest.Limits{}, modeltest.Text("one"),
		refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
		refuse("Unsupported value: 'temperature' does not support 0.5 with this model."), modeltest.Text("two"))
	c := dial(s, func(*Options) {})
	half := 0.5
	req := model.Request{Messages: []model.Message{{Role: model.User, Text: "hi"}}, MaxTokens: 7, Temperature: &half, Stop: []string{"END"}}
	for range 2 {
		if _, err := c.Stream(t.Context(), req, func(model.Chunk) {}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{`"max_tokens":7`, `"max_tokens":7`, `"max_completion_tokens":7`, `"max_completion_tokens":7`} {
		body := string(s.Requests()[i].Body)
		if !strings.Contains(body, want) || !strings.Contains(body, `"stop":["END"]`) || strings.Contains(body, `"temperature":0.5`) != (i < 3) {
			t.Errorf("request %d: %s", i, body)
		}
	}
}

func TestNewNamesWhatIsWrong(t *testing.T) {
	for base, says := range map[string]string{"localhost:11434": "https://host/v1", "ftp://x": "ftp://x", "http://ok/v1": "OPENAI_MODEL"} {
		if _, err := New(Options{BaseURL: base}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", base, err)
		}
	}
}
