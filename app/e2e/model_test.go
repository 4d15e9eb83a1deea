//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// llm is an OpenAI-compatible server that streams a fixed answer word by word (Chat
// Completions). What it was asked is kept.
type llm struct {
	*httptest.Server
	answer string

	mu   sync.Mutex
	keys []string // Authorization of each request for an answer
}

func newLLM(t *testing.T, answer string) *llm {
	t.Helper()
	l := &llm{answer: answer}
	l.Server = httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(l.Close)
	return l
}

func (l *llm) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	l.mu.Lock()
	l.keys = append(l.keys, r.Header.Get("Authorization"))
	l.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for word := range strings.SplitAfterSeq(l.answer, " ") {
		delta, _ := json.Marshal(word) // a string always marshals
		fmt.Fprintf(w, `data: {"id":"1","object":"chat.completion.chunk","model":"loud","choices":[{"index":0,"delta":{"role":"assistant","content":%s}}]}`+"\n\n", delta)
		w.(http.Flusher).Flush()
		time.Sleep(2 * time.Millisecond) // a stream, not one piece
	}
	fmt.Fprint(w, `data: {"id":"1","object":"chat.completion.chunk","model":"loud","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

func (l *llm) asked() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.keys...)
}

// hostile is an answer that tries everything to run or to load; %s is a foreign address.
const hostile = `# A heading

| a | b |
|---|---|
| 1 | 2 |

<script>window.__hit = "script"</script> <img src="%[1]s/raw" onerror="window.__hit = 'onerror'"> ![picture](%[1]s/picture)

[a link](%[1]s/link) [bad](javascript:window.__hit='href') <iframe src="%[1]s/frame"></iframe> <style>@import "%[1]s/style"</style>

<a href="x" onclick="window.__hit='click'">raw</a> <svg onload="window.__hit='svg'"></svg> <form action="%[1]s/form"><button>Send</button></form>

` + "```go\nfunc main() { println(\"last word\") }\n```\n"

// A profile is saved by the dialog and a real endpoint answers; nothing of its answer, and
// nothing of a tool's result, runs or loads.
func TestHostileAnswersOfARealEndpoint(t *testing.T) {
	var hits atomic.Int32
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer foreign.Close()
	answers := newLLM(t, fmt.Sprintf(hostile, foreign.URL))
	a, program := withDemo(t)
	connect(t, a, program)
	result := strings.NewReplacer("a link", "link of a tool", "last word", "word of a tool").Replace(fmt.Sprintf(hostile, foreign.URL))
	a.say(`call demo_echo with ` + toJSON(map[string]string{"text": result}))
	a.answer("demo_echo", "Allow once")
	a.by("article", "Tool call demo · demo_echo").says("the result as text", has("<script>"))
	a.idle()

	a.savesProfile(t, answers.URL+"/v1")
	a.say("go on")
	a.conversation("the answer to its end", has("last word", "A heading"))
	a.idle()
	if keys := answers.asked(); len(keys) != 1 || keys[0] != "Bearer sk-of-this-test" {
		t.Errorf("the endpoint was asked with %q", keys)
	}
	a.shot("model-2-hostile")
	a.by("link", "bad").goes()
	a.by("link", "a link").click()
	dialog := a.by("dialog", "Open this link in the browser?")
	dialog.says("where it leads", has(foreign.URL+"/link"))
	a.shot("model-3-link")
	dialog.by("button", "Cancel").click()
	dialog.goes()
	a.harmless(t)
	if n := hits.Load(); n != 0 {
		t.Errorf("the foreign server was asked %d times", n)
	}
}

func toJSON(v any) string {
	data, _ := json.Marshal(v) // strings and maps of strings always marshal
	return string(data)
}

// savesProfile makes an endpoint the model, with a key that no keyring takes.
func (a *app) savesProfile(t *testing.T, baseURL string) {
	t.Helper()
	a.by("button", "Settings").click()
	dialog := a.by("dialog", "Settings")
	dialog.by("textbox", "Base URL").fill(baseURL)
	dialog.by("textbox", "Model").fill("loud")
	dialog.by("textbox", "Key").fill("sk-of-this-test")
	dialog.by("checkbox", "Where there is no keyring, keep the key in a file only I can read").click()
	dialog.by("button", "Save profile").click()
	dialog.says("the model in use", has("loud, from this profile"))
	a.shot("model-1-profile")
	if text := a.page(t); strings.Contains(text, "sk-of-this-test") {
		t.Error("the key is still in the page")
	}
	a.press(escape)
	dialog.goes()
	a.keepsKey(t)
}

// keepsKey looks for the key in the files of the home: only one that nobody else can read
// may hold it.
func (a *app) keepsKey(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(a.home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // gone meanwhile, or a socket
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !strings.Contains(string(data), "sk-of-this-test") {
			return nil
		}
		info, statErr := entry.Info()
		if err == nil && statErr == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s holds the key and has mode %v", path, info.Mode())
		}
		return errors.Join(err, statErr)
	})
	if err != nil {
		t.Error(err)
	}
}

// harmless fails when script ran or the page holds what could run or load.
func (a *app) harmless(t *testing.T) {
	t.Helper()
	var bad []string
	const look = `const log = document.querySelector("[role=log]");
return [window.__hit ?? "", ...[...log.querySelectorAll("script,img,iframe,style,form,svg:not(.lamp)")].map(e => e.outerHTML), ...[...log.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on"))).map(e => e.outerHTML)].filter(Boolean)`
	if err := a.session.run(t.Context(), look, &bad); err != nil {
		t.Fatal(err)
	}
	if len(bad) > 0 {
		t.Errorf("the conversation holds %q", bad)
	}
}
