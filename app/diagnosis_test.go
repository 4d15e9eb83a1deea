package app

import (
	"net/http/httptest"
	"strings"
	"testing"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
)

func (r *changeRig) diagnosis(name string) string {
	r.t.Helper()
	text, err := r.Diagnosis(r.ctx(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

// wantText wants every part in text, in this order.
func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		i := strings.Index(rest, part)
		if i < 0 {
			t.Errorf("%q is not in, or not in this order in:\n%s", part, text)
			return
		}
		rest = rest[i+len(part):]
	}
}

func TestDiagnosisHoldsNoSecret(t *testing.T) {
	http := httptest.NewServer(mcptest.NewHTTP("401"))
	t.Cleanup(http.Close)
	local := fake("local", "leak", "", mcptest.Env("API_KEY", "planted-env"))
	local.Args = []string{"--api-key", "planted-flag", "--token=planted-joined", "--header", "Authorization: Bearer planted-header",
		"-e", "X=planted-pair", "postgres://planteduser:planted-word@db/x?k=planted-query", "a word", "--verbose", "stored word: planted-env"}
	address := strings.Replace(http.URL, "http://", "http://planted-user:planted-word@", 1) + "/mcp?key=planted-query&mode=planted-mode#planted-fragment"
	remote := mcptest.Remote(mcpconf.StreamableHTTP, address, mcptest.Named("remote"), mcptest.Header("X-Api-Key", "planted-head"))
	nowhere := mcptest.Remote(mcpconf.SSE, strings.Replace(address, "127.0.0.1", "no-such-host.invalid", 1), mcptest.Named("nowhere"))
	r := newServerRig(t, []mcpconf.Definition{local, remote, nowhere})
	for _, name := range []string{"local", "remote", "nowhere"} {
		text := r.diagnosis(name)
		if strings.Contains(text, "planted") {
			t.Errorf("a secret is in:\n%s", text)
		}
		if again := r.diagnosis(name); again != text {
			t.Errorf("it changes:\n%s\n%s", text, again)
		}
	}
	wantText(t, r.diagnosis("local"), "Patchbay: test, ", "Server: local\n", "Transport: stdio\n",
		`--api-key ••• --token=••• --header "Authorization: •••" -e X=••• postgres://db/x?k=••• "a word" --verbose "stored word: •••"`,
		"Environment: API_KEY, PATCHBAY_FAKE\n", "File: ", "State: error\n", "Since: 20", "Layer: runtime\n", "Cause: exited\n",
		"Reason: Exited (exit status 1): refused: •••.\n", "Failed at: initialize\n", "Exit code: 1\n", "Last lines of stderr:\n  refused: •••\n", "Last 1 of 1 starts:\n  1 (first) failed after ", "; exited (exit status 1): refused: •••\n",
		"Stages of the last start: resolve ", "Tools: 0 ", "Last 5 lines of the log:\n", "stderr refused: •••\n")
	wantText(t, r.diagnosis("remote"), "Transport: streamable_http\n", "URL: "+http.URL+"/mcp?key=•••&mode=•••\n", "Headers: X-Api-Key\n",
		"Cause: sign_in\n", "HTTP status: 401\n", "Asked: "+http.URL+"/mcp\n")
}

func TestDiagnosisOfEveryState(t *testing.T) {
	r := newServerRig(t, append(clashing(), fake("bad", "badann", "")), "never")
	wantText(t, r.diagnosis("early"), "State: connected\n", "Protocol: 2025-11-25\n", "Calls itself: fake 1.2.3\n", "Process: ", "claim ", "Tools: 2 for the model, ", "of 3 listed", "Held back:\n  held\n")
	wantText(t, r.diagnosis("late"), "Cause: tool_taken\n", "Tools: 0 for the model, about 0 tokens, of 7 listed",
		"Held back:\n  kept\n", "Conflicts:\n  Find is held by early\n  bash is held by built-in\n  twice is held by late\n")
	wantText(t, r.diagnosis("bad"), "Skipped:\n  bad: its annotations are malformed")
	wantText(t, r.diagnosis("never"), "Layers: enabled false, trusted false, paused false\n", "State: disabled\n", "Cause: not_enabled\n")
	if _, err := r.Diagnosis(r.ctx(), "nobody"); err == nil {
		t.Error("a name that is nowhere has a diagnosis")
	}
}
