package session

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"patchbay/backend/gateway"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
	"patchbay/backend/model/modeltest"
)

const (
	builtIns  = "bash read_file write_file apply_patch"
	demoTools = "demo_add demo_count demo_echo demo_time"
)

func TestEnableTrustsAndStarts(t *testing.T) {
	r := newRig(t)
	m := r.open(Options{})
	s, err := m.NewSession(r.workspace)
	r.must(err)
	m.Show(s.ID())
	r.settle(s)
	if got := r.wantState(s, "demo", mcphost.Disabled); got.Cause != "not_enabled" || got.Action != mcphost.ActEnable {
		t.Errorf("before: %+v", got)
	}
	r.must(s.Enable("demo"))
	s.Start()
	s.Start() // a second time does nothing
	r.settle(s)
	if got := r.wantState(s, "demo", mcphost.Connected); got.PID == 0 || !got.Trusted {
		t.Errorf("after: %+v", got)
	}
	if text := tree(t, r.workspace)[r.enablePath()]; !strings.Contains(text, `"demo"`) {
		t.Errorf("workspace.json holds %q", text)
	}
	r.must(s.Disable("demo"))
	r.settle(s)
	r.wantState(s, "demo", mcphost.Disabled)

	var unknown *mcpconf.UnknownError
	if err := s.Enable("Demo"); !errors.As(err, &unknown) || unknown.Similar != "demo" {
		t.Errorf("enable of another case: %v", err)
	}
	var not *mcpconf.NotEnabledError
	if err := s.Disable("demo"); !errors.As(err, &not) {
		t.Errorf("disable of what is not enabled: %v", err)
	}
}

func TestANameOfAnotherHandIsNotTrusted(t *testing.T) {
	r := newRig(t)
	r.write(r.enablePath(), `{"enabledMcpServers": ["demo", "ghost"]}`)
	m := r.open(Options{})
	s := r.session(m)
	if got := r.wantState(s, "demo", mcphost.Disabled); got.Cause != "untrusted" || got.Action != mcphost.ActTrust || got.PID != 0 {
		t.Errorf("row %+v", got)
	}
	r.wantState(s, "ghost", mcphost.Missing)
	if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], "demo is enabled by "+r.enablePath()+" but not trusted here") {
		t.Errorf("warnings %q", w)
	}
	r.must(s.Trust("demo"))
	r.settle(s)
	r.wantState(s, "demo", mcphost.Connected)
	if len(s.Warnings()) != 0 {
		t.Errorf("warnings %q", s.Warnings())
	}
	r.close(m)
	// Trust stays with the workspace, for another process too.
	r.wantState(r.session(r.open(Options{})), "demo", mcphost.Connected)
}

func TestTrustAllIsForOneRun(t *testing.T) {
	r := newRig(t)
	r.write(r.enablePath(), `{"enabledMcpServers": ["demo"]}`)
	m := r.open(Options{TrustAll: true})
	r.wantState(r.session(m), "demo", mcphost.Connected)
	r.close(m)
	r.wantState(r.session(r.open(Options{})), "demo", mcphost.Disabled)
}

func TestPauseIsOfTheSessionAndNeverWritten(t *testing.T) {
	r := newRig(t)
	m := r.open(Options{})
	s := r.session(m, "demo")
	other, err := m.NewSession(r.workspace)
	r.must(err)
	before := tree(t, r.home)
	maps.Copy(before, tree(t, r.workspace))

	r.must(s.Pause("demo"))
	r.settle(s)
	if got := r.wantState(s, "demo", mcphost.Paused); got.Action != mcphost.ActResume {
		t.Errorf("row %+v", got)
	}
	r.settle(other)
	if got := r.row(other, "demo"); got.Paused {
		t.Errorf("the pause of one session is seen in another: %+v", got)
	}
	after := tree(t, r.home)
	maps.Copy(after, tree(t, r.workspace))
	if !maps.Equal(before, after) {
		t.Errorf("a pause wrote files: %v, before %v", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
	}

	r.must(s.Resume("demo"))
	r.settle(s)
	r.wantState(s, "demo", mcphost.Connected)

	r.must(s.Pause("demo"))
	r.must(s.Disable("demo"))
	r.must(s.Enable("demo"))
	r.settle(s)
	r.wantState(s, "demo", mcphost.Connected) // disable forgot the pause

	if err := s.Resume("demo"); err == nil || err.Error() != "MCP server is not paused in this session: demo" {
		t.Errorf("resume of what is not paused: %v", err)
	}
	var not *mcpconf.NotEnabledError
	if err := s.Pause("spare"); !errors.As(err, &not) {
		t.Errorf("pause of what is not enabled: %v", err)
	}
}

func TestAPlainChatLightsServersForItself(t *testing.T) {
	r := newRig(t, modeltest.Text("ok"), modeltest.Text("ok"))
	m := r.open(Options{})
	s, err := m.NewSession("")
	r.must(err)
	m.Show(s.ID())
	s.Start()
	r.settle(s)
	r.send(s, Prompt{Text: "hi"})
	if got := r.toolNames(); got != "" {
		t.Errorf("tools without a lit server: %s", got)
	}
	r.must(s.Enable("demo"))
	r.must(s.Enable("demo"))
	r.settle(s)
	r.wantState(s, "demo", mcphost.Connected)
	r.send(s, Prompt{Text: "hi"})
	if got := r.toolNames(); got != demoTools {
		t.Errorf("tools %s", got)
	}
	if text := tree(t, r.workspace)[r.enablePath()]; text != "" {
		t.Errorf("a plain chat wrote %s", text)
	}
	r.must(s.Disable("demo"))
	r.settle(s)
	r.wantState(s, "demo", mcphost.Disabled)
}

// TestServicesThatCannotBeOpened: named services are an error before anything is sent.
func TestServicesThatCannotBeOpened(t *testing.T) {
	r := newRig(t)
	m := r.open(Options{})
	s := r.session(m, "demo", "dead")
	dead := r.wantState(s, "dead", mcphost.Error)
	tests := []struct {
		name     string
		services []string
		want     string
	}{
		{"unknown", []string{"demo", "nobody"}, "Unknown MCP server: nobody"},
		{"another case", []string{"DEMO"}, "Unknown MCP server: DEMO"},
		{"in error", []string{"dead", "demo"}, "MCP unavailable: dead (" + dead.Error + ")"},
		{"not enabled", []string{"spare"}, "MCP unavailable: spare ("},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := s.Send(Prompt{Text: "hi", Services: &tt.services})
			var refused *gateway.ServiceError
			if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	r.must(s.Pause("demo"))
	r.settle(s)
	if err := s.Send(Prompt{Text: "hi", Services: &[]string{"demo"}}); err == nil || !strings.HasPrefix(err.Error(), "MCP unavailable: demo (") {
		t.Errorf("a paused service: %v", err)
	}
	if err := s.Send(Prompt{Text: " \n"}); err == nil || err.Error() != "the message is empty" {
		t.Errorf("an empty message: %v", err)
	}
	if events, seq, run := s.Transcript(); len(r.model.Requests()) != 0 || len(events) != 0 || seq != 0 || run != "" {
		t.Errorf("%d requests, events %+v, run %q", len(r.model.Requests()), events, run)
	}
}

// TestServicesOfARequest: what is lit is what is sent, and an empty list is never filled in.
func TestServicesOfARequest(t *testing.T) {
	r := newRig(t, modeltest.Text("1"), modeltest.Text("2"), modeltest.Text("3"),
		modeltest.Calls(modeltest.Call{ID: "c1", Name: "demo_echo", Arguments: `{"text":"x"}`}), modeltest.Text("5"))
	m := r.open(Options{Mode: "auto"})
	s := r.session(m, "demo", "dead")
	r.wantDone(r.send(s, Prompt{Text: "none", Services: &[]string{}}), "end_turn")
	if got := r.toolNames(); got != builtIns {
		t.Errorf("an empty list: %s", got)
	}
	r.send(s, Prompt{Text: "one", Services: &[]string{"demo"}})
	if got := r.toolNames(); got != builtIns+" "+demoTools {
		t.Errorf("one service: %s", got)
	}
	events := r.send(s, Prompt{Text: "the rule"})
	if got := r.toolNames(); got != builtIns+" "+demoTools {
		t.Errorf("the workspace's: %s", got)
	}
	if notices := ofKind(events, "notice"); len(notices) != 1 || !strings.Contains(notices[0].Text, "Left out of this turn: dead (error: ") {
		t.Errorf("notices %+v", notices)
	}
	requests := r.model.Requests()
	if system := requests[2].Chat.Messages[0].Text(); !strings.Contains(system, "- dead (error: ") || !strings.Contains(system, r.workspace) {
		t.Errorf("the model was told %q", system)
	}
	// A tool that the request did not open is refused at call time.
	events = r.send(s, Prompt{Text: "not open", Services: &[]string{}})
	r.wantDone(events, "end_turn")
	if results := ofKind(events, "tool_result"); len(results) != 1 || results[0].Result.OK {
		t.Errorf("results %+v", results)
	}
}
