package openai

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"patchbay/backend/model/modeltest"
)

// endpoint answers GET /v1/models with ids, when there are any, and everything else like chat.
func endpoint(t *testing.T, chat http.HandlerFunc, ids ...string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/v1/models" && ids != nil {
			fmt.Fprintf(w, `{"object":"list","data":[{"id":"%s"}]}`, strings.Join(ids, `"},{"id":"`))
			return
		}
		chat(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// says answers with a status, a kind and a body.
func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	closed.Close()
	tls := httptest.NewTLSServer(says(200, "text/event-stream", ""))
	defer tls.Close()
	json, html, events := "application/json", "text/html", "text/event-stream"
	tests := []struct {
		name, base string
		want       []string
		models     []string
	}{
		{"no address", "localhost", []string{"The base URL", "https://host/v1"}, nil},
		{"a password in a bad address", "ftp://me:" + secret + "@h/v1", []string{"The base URL"}, nil},
		{"no such host", "http://no-such-host.invalid/v1", []string{"was not found", "no-such-host.invalid"}, nil},
		{"refused", "http://" + nobody + "/v1", []string{"Nothing listens at", nobody, "Start the model server"}, nil},
		{"TLS", tls.URL + "/v1", []string{"TLS connection", "certificate"}, nil},
		{"https to a plain server", strings.Replace(endpoint(t, says(200, json, "")), "http:", "https:", 1) + "/v1", []string{"HTTP response to HTTPS client", "Check the base URL"}, nil},
		{"401 that repeats the key", endpoint(t, says(401, json, `{"error":{"message":"bad key `+secret+`"}}`)) + "/v1", []string{"refused the key", "HTTP 401"}, nil},
		{"403", endpoint(t, says(403, json, `{"error":"no"}`)) + "/v1", []string{"Check the key's rights"}, nil},
		{"a model it does not know", endpoint(t, says(404, json, `{"error":{"message":"model 'm' not found"}}`), "qwen3", "gemma3") + "/v1",
			[]string{`does not know the model "m"`, "(HTTP 404). It offers qwen3, gemma3."}, []string{"qwen3", "gemma3"}},
		{"the path without /v1", endpoint(t, says(404, "text/plain", "404 page not found"), "qwen3"), []string{"Nothing speaks Chat Completions", "/v1 answers: use that"}, nil},
		{"another server", endpoint(t, says(404, "text/plain", "404 page not found")) + "/v1", []string{"Nothing speaks Chat Completions"}, nil},
		{"429", endpoint(t, says(429, json, `{"error":{"message":"slow down"}}`)) + "/v1", []string{"limits the rate", "slow down"}, nil},
		{"no quota", endpoint(t, says(429, json, `{"error":{"code":"insufficient_quota"}}`)) + "/v1", []string{"no quota left"}, nil},
		{"500", endpoint(t, says(500, json, `{"error":"out of memory"}`)) + "/v1", []string{"overloaded or broken", "out of memory"}, nil},
		{"a web page", endpoint(t, says(200, html, "<html>hello</html>"), "qwen3"), []string{"a web page", "/v1 answers: use that"}, nil},
		{"a web page says its address as it is", endpoint(t, says(200, html, "<html>hello</html>")) + "/v1", []string{"http://"}, nil},
		{"an answer without text", endpoint(t, says(200, events, modeltest.End("stop"))) + "/v1", []string{"empty answer"}, nil},
		{"a cut answer", endpoint(t, says(200, events, modeltest.Delta(map[string]any{"content": "o"}))) + "/v1", []string{"cut before the answer ended"}, nil},
		{"an error in the stream", endpoint(t, says(200, events, `data: {"error":{"message":"boom"}}`+"\n\n")) + "/v1", []string{"boom"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Check(t.Context(), Options{BaseURL: tt.base, Key: secret, Model: "m"})
			if got.OK || !slices.Equal(got.Models, tt.models) {
				t.Errorf("Check = %+v, want a failure and the models %q", got, tt.models)
			}
			for _, part := range tt.want {
				if !strings.Contains(got.Message, part) {
					t.Errorf("it says %q, want %q in it", got.Message, part)
				}
			}
			if strings.Contains(got.Message, secret) {
				t.Errorf("it tells the key: %q", got.Message)
			}
		})
	}
}

func TestCheckOfAModelThatAnswers(t *testing.T) {
	think := modeltest.Raw(modeltest.Delta(map[string]any{"reasoning": "hm"}) + modeltest.Finish("length") + "data: [DONE]\n\n")
	tests := []struct {
		name    string
		answers []modeltest.Answer
	}{
		{"text", []modeltest.Answer{modeltest.Text("o", "k")}},
		{"whose thoughts take the whole limit", []modeltest.Answer{think}},
		{"that thinks in silence", []modeltest.Answer{modeltest.Raw(modeltest.End("length")), modeltest.Text("ok")}},
		{"that does not know the limit", []modeltest.Answer{
			modeltest.Status(400, `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}`), modeltest.Text("ok")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Limits{}, tt.answers...)
			base := endpoint(t, s.ServeHTTP, "qwen3")
			got := Check(t.Context(), Options{BaseURL: base + "/v1", Key: secret, Model: "qwen3"})
			if !got.OK || !strings.HasPrefix(got.Message, "qwen3 answered in ") || got.Took <= 0 || !slices.Equal(got.Models, []string{"qwen3"}) {
				t.Fatalf("Check = %+v", got)
			}
			if n := len(s.Requests()); n != len(tt.answers) {
				t.Errorf("it asked %d times, want %d", n, len(tt.answers))
			}
		})
	}
}

func TestCheckEndsWithItsLimit(t *testing.T) {
	silent := modeltest.Raw("")
	silent.Hold = true
	begun := modeltest.Raw(modeltest.Delta(map[string]any{"content": "ok"}))
	begun.Hold = true
	s := modeltest.New(t, modeltest.Limits{}, silent, begun)
	o := Options{BaseURL: s.URL(), Key: secret, Model: "slow"}
	got := check(t.Context(), o, 200*time.Millisecond)
	if got.OK || !strings.Contains(got.Message, "slow did not answer within 200ms") {
		t.Errorf("silence: %+v", got)
	}
	if got := check(t.Context(), o, time.Second); !got.OK {
		t.Errorf("an answer that does not end: %+v", got)
	}
}

func TestManyModelsAreCut(t *testing.T) {
	var ids []string
	for i := range 500 {
		ids = append(ids, fmt.Sprintf("model-%d", i))
	}
	base := endpoint(t, says(404, "application/json", `{"error":{"message":"The model does not exist"}}`), ids...)
	got := Check(t.Context(), Options{BaseURL: base + "/v1", Model: "m"})
	if len(got.Models) != maxModels || !strings.HasSuffix(got.Message, "model-7 and 192 more.") {
		t.Fatalf("%d models; it says %q", len(got.Models), got.Message)
	}
}
