package app

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
)

// formOf is a definition as a person would have filled it in.
func formOf(def mcpconf.Definition) ServerForm {
	form := ServerForm{Name: def.Name, Type: string(def.Type), Command: def.Command, Args: def.Args, URL: def.URL}
	for name, value := range def.Env {
		form.Env = append(form.Env, NamedValue{Name: name, Value: value})
	}
	for name, value := range def.Headers {
		form.Headers = append(form.Headers, NamedValue{Name: name, Value: value})
	}
	return form
}

// try runs a trial to its end and returns every state of it.
func (r *changeRig) try(form ServerForm, edits string) []Trial {
	r.t.Helper()
	id, err := r.StartTrial(r.ctx(), form, edits)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.over(id)
}

// over waits for the end of a trial.
func (r *changeRig) over(id string) []Trial {
	r.t.Helper()
	var states []Trial
	r.eventually("the trial is over", func() bool {
		state, _ := r.Trials().Get()
		if state.ID != id {
			r.t.Fatalf("trial %s took the place of %s", state.ID, id)
		}
		states = append(states, state)
		return !state.Running
	})
	return states
}

func last(states []Trial) Trial { return states[len(states)-1] }

func TestTrialThatConnects(t *testing.T) {
	t.Setenv("PATCHBAY_TEST_TOOLS", "search,echo,held")
	r := newServerRig(t, []mcpconf.Definition{fake("running", "ok", "other"), fake("edited", "ok", "search", rules("held"))})
	var before MCPSnapshot
	r.eventually("the session's servers run", func() bool {
		before, _ = r.Servers().Get()
		return len(before.Rows) == 2 && before.Rows[0].PID > 0 && before.Rows[1].PID > 0
	})
	form := r.detail("edited").Form
	form.Name = "new name"
	for i := range form.Env {
		if form.Env[i].Name == "PATCHBAY_FAKE_TOOLS" {
			form.Env[i] = NamedValue{Name: form.Env[i].Name, Value: "${env:PATCHBAY_TEST_TOOLS}"}
		}
	}
	states := r.try(form, "edited")
	end := last(states)
	if !end.OK || end.Cause != "" || end.Reason != "" || end.Evidence != nil || end.Name != "new name" || end.TookMs <= 0 || end.StartedMs == 0 {
		t.Fatalf("trial = %+v", end)
	}
	var stages []string
	for _, s := range end.Stages {
		stages = append(stages, s.Stage)
	}
	if got := strings.Join(stages, " "); got != "resolve spawn initialize list validate claim" {
		t.Errorf("stages = %s", got)
	}
	if end.Protocol != "2025-11-25" || end.ServerName != "fake" || end.ServerVersion != "1.2.3" {
		t.Errorf("server = %s %s %s", end.Protocol, end.ServerName, end.ServerVersion)
	}
	wantTools(t, end.Tools, "search", "echo readOnly", "held held")
	if want := end.Tools[0].SchemaTokens + end.Tools[1].SchemaTokens; end.SchemaTokens != want || len(end.Conflicts) != 0 {
		t.Errorf("%d tokens, want %d; conflicts %v", end.SchemaTokens, want, end.Conflicts)
	}
	r.settle()
	after, _ := r.Servers().Get()
	for i, row := range after.Rows {
		if row.PID == 0 || row.PID != before.Rows[i].PID || len(row.Shared) != 0 {
			t.Errorf("the session's %s was disturbed: process %d, before %d, shared %v", row.Name, row.PID, before.Rows[i].PID, row.Shared)
		}
	}
}

func TestTrialThatFails(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{fake("other", "ok", "search"), fake("edited", "ok", "echo")})
	tests := []struct {
		def                  mcpconf.Definition
		edits                string
		cause, reason, stage string
		conflicts            string
	}{
		{fake("new", "exit1", ""), "", "exited", "Exited (exit status 1): Error: Cannot find module 'foo'.", "initialize", "[]"},
		{fake("new", "ok", "bash,Search,own"), "", "tool_builtin", "Tool names taken by built-ins: bash. Tool names taken by other: Search.", "claim", "[{bash built-in} {Search other}]"},
		{fake("new", "ok", "echo"), "", "tool_taken", "Tool names taken by edited: echo.", "claim", "[{echo edited}]"},
		{mcpconf.Definition{Name: "new", Type: mcpconf.Stdio, Command: "no-such-command-anywhere"}, "", "not_found", "no-such-command-anywhere", "resolve", "[]"},
		{fake("new", "ok", "", mcptest.Env("TOKEN", "${env:PATCHBAY_TEST_NEVER_SET}")), "", "env_missing", "PATCHBAY_TEST_NEVER_SET", "resolve", "[]"},
	}
	for _, tt := range tests {
		end := last(r.try(formOf(tt.def), tt.edits))
		if end.OK || end.Cause != tt.cause || !strings.Contains(end.Reason, tt.reason) || end.Stage != tt.stage || fmt.Sprint(end.Conflicts) != tt.conflicts {
			t.Errorf("trial = %+v\nwant %s %q at %s, conflicts %s", end, tt.cause, tt.reason, tt.stage, tt.conflicts)
		}
		if slices.ContainsFunc(end.Stages, func(s StageTime) bool { return s.Stage == end.Stage }) {
			t.Errorf("the stage that failed, %s, is among the finished ones: %v", end.Stage, end.Stages)
		}
	}
	exited := last(r.try(formOf(tests[0].def), ""))
	if exited.Evidence == nil || exited.Evidence.ExitCode == nil || *exited.Evidence.ExitCode != 1 || len(exited.Evidence.Stderr) == 0 {
		t.Errorf("evidence = %+v", exited.Evidence)
	}
	data, err := json.Marshal(exited)
	if err != nil || strings.Contains(string(data), "null") {
		t.Errorf("the page gets %s, %v", data, err)
	}
}

func TestAnInvalidTrialIsRefusedAtOnce(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{fake("other", "ok", "")}, "other")
	for _, tt := range []struct {
		form  ServerForm
		edits string
	}{
		{ServerForm{Name: "new", Type: "stdio"}, ""},
		{ServerForm{Name: "new", Type: "sse"}, ""},
		{ServerForm{Name: "new", Type: "carrier pigeon", Command: "x"}, ""},
		{ServerForm{Name: " ", Type: "stdio", Command: "x"}, ""},
		{ServerForm{Name: "other", Type: "stdio", Command: "x"}, ""},
	} {
		_, got := r.StartTrial(r.ctx(), tt.form, tt.edits)
		_, want := r.AddServer(r.ctx(), tt.form)
		if got == nil || want == nil || got.Error() != want.Error() {
			t.Errorf("trial of %+v: %v, saving it: %v", tt.form, got, want)
		}
	}
	if _, err := r.StartTrial(r.ctx(), formOf(fake("new", "ok", "")), "nobody"); err == nil {
		t.Error("a trial edits a server that is defined nowhere")
	}
	if state, _ := r.Trials().Get(); state.ID != "" {
		t.Errorf("a trial began: %+v", state)
	}
}

func TestTrialShowsStagesAndProgressWhileItRuns(t *testing.T) {
	r := newServerRig(t, nil)
	states := r.try(formOf(fake("new", "slow=1s", "")), "")
	seen := slices.ContainsFunc(states, func(s Trial) bool {
		return s.Running && s.Stage == "initialize" && strings.HasPrefix(s.Progress, "npm http") &&
			len(s.Stages) == 2 && s.Stages[1].Stage == "spawn"
	})
	if !seen || !last(states).OK || last(states).Progress != "" {
		t.Errorf("states = %+v", states)
	}
}

func TestTrialKeepsSecretsToItself(t *testing.T) {
	r := newServerRig(t, nil)
	end := last(r.try(formOf(fake("new", "leak", "", mcptest.Env("API_KEY", "sk-very-secret"))), ""))
	data, err := json.Marshal(end)
	if err != nil || end.Cause != "exited" || strings.Contains(string(data), "sk-very-secret") || !strings.Contains(string(data), "•••") {
		t.Errorf("trial = %s, %v", data, err)
	}
	server := httptest.NewServer(mcptest.NewHTTP("401"))
	t.Cleanup(server.Close)
	address := strings.Replace(server.URL, "http://", "http://some-user:very-secret@", 1) + "/mcp?key=very-secret"
	remote := mcptest.Remote(mcpconf.StreamableHTTP, address, mcptest.Header("Authorization", "Bearer very-secret"))
	end = last(r.try(formOf(remote), ""))
	data, err = json.Marshal(end)
	if err != nil || end.Cause != "sign_in" || end.Evidence.HTTPStatus != 401 || strings.Contains(string(data), "very-secret") {
		t.Errorf("trial = %s, %v", data, err)
	}
}

func TestTrialIsStopped(t *testing.T) {
	r := newServerRig(t, nil)
	if err := r.StopTrial(r.ctx()); err != nil {
		t.Fatalf("stop without a trial: %v", err)
	}
	id, err := r.StartTrial(r.ctx(), formOf(fake("new", "hang", "")), "")
	if err != nil {
		t.Fatal(err)
	}
	r.eventually("it waits for initialize", func() bool { s, _ := r.Trials().Get(); return s.Stage == "initialize" })
	if err := r.StopTrial(r.ctx()); err != nil {
		t.Fatal(err)
	}
	state, rev := r.Trials().Get()
	if state.ID != id || state.Running || state.OK || state.Reason != "stopped" || state.Stage != "initialize" || len(state.Stages) != 2 {
		t.Errorf("state = %+v", state)
	}
	if err := r.StopTrial(r.ctx()); err != nil {
		t.Error(err)
	}
	if _, again := r.Trials().Get(); again != rev {
		t.Error("stopping twice changed the state")
	}
}

func TestANewTrialEndsTheOneThatRuns(t *testing.T) {
	r := newServerRig(t, nil)
	if _, err := r.StartTrial(r.ctx(), formOf(fake("first", "hang", "")), ""); err != nil {
		t.Fatal(err)
	}
	if end := last(r.try(formOf(fake("second", "ok", "echo")), "")); !end.OK || end.Name != "second" {
		t.Errorf("trial = %+v", end)
	}
}

func TestTrialAfterCloseIsRefused(t *testing.T) {
	ts := newTrials(nil)
	ts.close()()
	if _, err := ts.start(nil); err == nil {
		t.Error("a trial began")
	}
}
