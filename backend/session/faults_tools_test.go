package session

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/model/modeltest"
)

// offering is a session whose one server, of a mode of the test servers, is open to a model
// endpoint with the given limits.
func offering(t *testing.T, mode string, limits modeltest.Limits, answers ...modeltest.Answer) (*rig, *Session) {
	t.Helper()
	r := newRigOf(t, limits, answers...)
	def := mcptest.Definition(mode)
	text, err := json.Marshal(map[string]any{"command": def.Command, "env": def.Env})
	r.must(err)
	r.write(r.storePath(), fmt.Sprintf(`{"mcpServers": {"odd": %s}}`, text))
	return r, r.session(r.open(Options{Mode: approval.Auto}), "odd")
}

// offered picks the tools of the first accepted request that have none of our own names.
func (r *rig) offered() []string {
	var theirs []string
	for _, name := range r.model.Requests()[0].Chat.ToolNames() {
		if !slices.Contains([]string{"bash", "read_file", "write_file", "apply_patch"}, name) {
			theirs = append(theirs, name)
		}
	}
	return theirs
}

// TestT05NamesThatProvidersRefuseReachTheirTools: the endpoint accepts what is offered, and
// a call of the mapped name reaches the tool of the server's own name.
func TestT05NamesThatProvidersRefuseReachTheirTools(t *testing.T) {
	r, s := offering(t, "names", modeltest.Limits{}, modeltest.Text("hello"))
	r.wantDone(r.send(s, Prompt{Text: "hi"}), agent.EndTurn)
	names := r.offered()
	if len(names) != 4 {
		t.Fatalf("offered: %q, want 4", names)
	}
	for i, original := range []string{"calendar.create", "user/update", "list files", "查询"} {
		r.model.Add(modeltest.Calls(modeltest.Call{ID: fmt.Sprint("c", i), Name: names[i], Arguments: `{}`}), modeltest.Text("done"))
		events := r.send(s, Prompt{Text: "call it"})
		r.wantDone(events, agent.EndTurn)
		if results := ofKind(events, agent.ToolResult); len(results) != 1 || !strings.HasPrefix(results[0].ModelText, original+" ") {
			t.Errorf("%s, called as %s: %+v", original, names[i], results)
		}
	}
}

// TestT09T12SchemasThatProvidersRefuseStayUsable, for a provider that wants properties and
// items, and for one that knows no type lists and no references besides.
func TestT09T12SchemasThatProvidersRefuseStayUsable(t *testing.T) {
	for name, limits := range map[string]modeltest.Limits{"openai": {}, "gemini": {Gemini: true}} {
		t.Run(name, func(t *testing.T) {
			r, s := offering(t, "schemas", limits, modeltest.Text("hello"))
			r.model.ExpectRefusals() // the stricter provider is found out by one
			r.wantDone(r.send(s, Prompt{Text: "hi"}), agent.EndTurn)
			names := r.offered()
			if len(names) != 7 || len(r.model.Refusals()) > 1 {
				t.Fatalf("offered: %q after %v", names, r.model.Refusals())
			}
			for i, tool := range names {
				r.model.Add(modeltest.Calls(modeltest.Call{ID: fmt.Sprint("c", i), Name: tool}), modeltest.Text("done"))
				events := r.send(s, Prompt{Text: "call it"})
				r.wantDone(events, agent.EndTurn)
				if results := ofKind(events, agent.ToolResult); len(results) != 1 || !results[0].Result.OK {
					t.Errorf("%s: %+v", tool, results)
				}
			}
		})
	}
}

// TestT16T18T20ResultsReachTheModelAsWhatTheyAre: an image as a note, data alone as JSON, a
// failure marked as one; the turn goes on after each.
func TestT16T18T20ResultsReachTheModelAsWhatTheyAre(t *testing.T) {
	r, s := offering(t, "ok", modeltest.Limits{})
	for tool, want := range map[string]struct {
		text   string
		failed bool
	}{"image": {text: "image/png"}, "scontent": {text: `{"accounts":[1]}`}, "fail": {text: "Error: upstream 500", failed: true}} {
		r.model.Add(modeltest.Calls(modeltest.Call{ID: "c-" + tool, Name: tool, Arguments: `{}`}), modeltest.Text("done"))
		events := r.send(s, Prompt{Text: "call it"})
		r.wantDone(events, agent.EndTurn)
		results := ofKind(events, agent.ToolResult)
		if len(results) != 1 || results[0].Result.OK == want.failed || !strings.Contains(results[0].ModelText, want.text) {
			t.Errorf("%s: %+v, want %+v", tool, results, want)
		}
	}
	for _, request := range r.model.Requests() {
		if regexp.MustCompile(`[A-Za-z0-9+/]{200}`).Match(request.Body) || strings.Contains(string(request.Body), mcptest.Pixel) {
			t.Error("base64 in a request")
		}
	}
}
