package session

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/mcphost"
	"patchbay/backend/model/modeltest"
	"patchbay/backend/tool"
)

var frailTools = []string{"look read Looks.", "put repeat Puts it there.", "send write Sends it."}

func frailCall(id, name string) modeltest.Answer {
	return modeltest.Calls(modeltest.Call{ID: id, Name: name, Arguments: `{"n":7}`})
}

// broken begins a session whose call of a tool ended with its server. The server stays down
// until "down" is removed.
func (r *rig) broken(m *Manager, name string, tools ...string) (*Session, fragile) {
	r.t.Helper()
	s := r.session(m)
	f := r.fragile(s, tools...)
	f.write("dies", "")
	f.write("down", "")
	r.model.Add(frailCall("c1", name), modeltest.Text("it broke"))
	events := r.send(s, Prompt{Text: "go"})
	r.wantDone(events, agent.EndTurn)
	if result := ofKind(events, agent.ToolResult)[0]; result.Result.Reason != tool.ServerGone || result.Server != "frail" {
		r.t.Fatalf("the call ended with %+v", result)
	}
	r.eventually("the loss is known", func() bool { return r.row(s, "frail").State == mcphost.Error })
	f.remove("dies")
	return s, f
}

// retried clicks Retry on c1 and returns the events up to a kind.
func (r *rig) retried(s *Session, kind agent.Kind) []agent.Event {
	r.t.Helper()
	from := s.Events().Last()
	r.must(s.RetryCall("c1"))
	return r.until(s, from, kind)
}

func TestRetryCallRunsItAgain(t *testing.T) {
	tests := []struct {
		tool string
		mode approval.Mode
		ask  bool
		by   approval.By
	}{
		{"look", approval.Manual, false, approval.ByPerson},
		{"put", approval.Safe, false, approval.ByPerson},
		{"send", approval.Safe, true, approval.ByPerson},
		{"send", approval.Auto, false, approval.ByMode},
		{"look", approval.Auto, false, approval.ByPerson},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.tool, " ", tt.mode), func(t *testing.T) {
			r := newRig(t)
			m := r.open(Options{})
			r.must(m.Settings().SetMode(approval.Auto))
			s, f := r.broken(m, tt.tool, frailTools...)
			r.must(m.Settings().SetMode(tt.mode))
			f.remove("down")
			r.model.Add(modeltest.Text("it works"))
			var events []agent.Event
			if tt.ask {
				events = r.retried(s, agent.Asking)
				if q := events[len(events)-1].Question; q.Why == "" || q.Call.Name != tt.tool {
					t.Errorf("question %+v", q)
				}
				if n := len(f.calls()); n != 1 {
					t.Errorf("%d calls before the answer", n)
				}
				r.answerWith(m, approval.AllowOnce)
				events = append(events, r.until(s, events[len(events)-1].Seq, agent.Done)...)
			} else {
				events = r.retried(s, agent.Done)
			}
			r.wantDone(events, agent.EndTurn)
			if asked := len(ofKind(events, agent.Asking)) > 0; asked != tt.ask {
				t.Errorf("asked %v", asked)
			}
			if a := ofKind(events, agent.Approval); len(a) != 1 || a[0].Answer != (approval.Answer{Decision: approval.AllowOnce, By: tt.by}) {
				t.Errorf("decided %+v", a)
			}
			ran := tt.tool + ` {"n":7}`
			if got := f.calls(); !reflect.DeepEqual(got, []string{ran, ran}) {
				t.Errorf("calls %q", got)
			}
			id := ofKind(events, agent.ToolCall)[0].ID
			if want := []string{"user Run " + tt.tool + " again: frail is connected again.", "call " + id + " frail " + ran, "result " + id + " ran " + ran, "text it works"}; !reflect.DeepEqual(said(events), want) {
				t.Errorf("the turn says\n%q, want\n%q", said(events), want)
			}
			if id == "c1" || len(id) > 40 {
				t.Errorf("the call's new id is %q", id)
			}
		})
	}
}

func TestRetryCallKeepsGrants(t *testing.T) {
	r := newRig(t)
	m := r.open(Options{Mode: approval.Safe})
	s := r.session(m)
	f := r.fragile(s, frailTools...)
	f.write("dies", "")
	r.model.Add(frailCall("c1", "send"), modeltest.Text("it broke"), modeltest.Text("it works"))
	r.must(s.Send(Prompt{Text: "go"}))
	r.until(s, 0, agent.Asking)
	r.answerWith(m, approval.AllowSession)
	r.until(s, 0, agent.Done)
	r.eventually("the loss is known", func() bool { return r.row(s, "frail").State == mcphost.Error })
	f.remove("dies")
	events := r.retried(s, agent.Done)
	if a := ofKind(events, agent.Approval); len(a) != 1 || a[0].Answer.By != approval.BySession || len(f.calls()) != 2 {
		t.Errorf("decided %+v, calls %q", a, f.calls())
	}
}

// TestRetryCallAfterARestore: the call is known from the history, its description too.
func TestRetryCallAfterARestore(t *testing.T) {
	r := newRig(t)
	m := r.open(Options{Mode: approval.Auto})
	s, f := r.broken(m, "look", frailTools...)
	f.remove("down")
	r.close(m)
	m = r.open(Options{Mode: approval.Manual})
	s, err := m.OpenSession(t.Context(), s.ID())
	r.must(err)
	m.Show(s.ID())
	s.Start()
	r.settle(s)
	pid := r.wantState(s, "frail", mcphost.Connected).PID
	r.model.Add(modeltest.Text("it works"))
	events := r.retried(s, agent.Done)
	if text := events[0].Text; text != "Run look again: frail is connected." {
		t.Errorf("the turn begins with %q", text)
	}
	if got := r.row(s, "frail"); got.PID != pid || len(f.calls()) != 2 {
		t.Errorf("a connected server was restarted: %+v; calls %q", got, f.calls())
	}
	// And what is replayed next time is what was told now.
	told, _, _ := s.Transcript()
	r.close(m)
	m = r.open(Options{})
	again, err := m.OpenSession(t.Context(), s.ID())
	r.must(err)
	if replayed, _, _ := again.Transcript(); !reflect.DeepEqual(said(replayed), said(told)) {
		t.Errorf("replayed\n%q\nwant\n%q", said(replayed), said(told))
	}
}

// TestRetryCallThatIsNotMade says why, and asks the model nothing.
func TestRetryCallThatIsNotMade(t *testing.T) {
	tests := []struct {
		name   string
		before func(fragile)
		want   string
	}{
		{"the server stays down", func(fragile) {}, "look was not run again: frail is not connected ("},
		{"the tool is gone", func(f fragile) { f.write("tools", "other read Looks."); f.remove("down") }, "look was not run again: frail is connected, but no longer offers it."},
		{"another description", func(f fragile) {
			f.write("tools", "look read Looks, and deletes what it saw.")
			f.remove("down")
		}, "look was not run again: frail is connected, but describes the tool differently now."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			s, f := r.broken(r.open(Options{Mode: approval.Auto}), "look", frailTools...)
			tt.before(f)
			notice := r.retried(s, agent.Notice)
			if text := notice[len(notice)-1].Text; len(notice) != 1 || !strings.HasPrefix(text, tt.want) || !strings.HasSuffix(text, ".") {
				t.Errorf("told %+v", notice)
			}
			if n := len(r.model.Requests()); n != 2 || s.RunID() != "" || len(f.calls()) != 1 {
				t.Errorf("%d requests, run %q, calls %q", n, s.RunID(), f.calls())
			}
			if tt.name == "the server stays down" { // and can come back
				f.remove("down")
				r.model.Add(modeltest.Text("it works"))
				r.wantDone(r.retried(s, agent.Done), agent.EndTurn)
			}
		})
	}
}

func TestRetryCallDuringATurnTriesTheServerOnly(t *testing.T) {
	r := newRig(t)
	s, f := r.broken(r.open(Options{Mode: approval.Auto}), "look", frailTools...)
	r.model.Add(modeltest.Answer{Hold: true})
	r.must(s.Send(Prompt{Text: "wait"}))
	if !r.model.WaitRequests(3, patience) {
		t.Fatal("the model was not asked")
	}
	f.remove("down")
	r.must(s.RetryCall("c1"))
	r.eventually("the server is back", func() bool { return r.row(s, "frail").State == mcphost.Connected })
	from := s.Events().Last()
	s.Stop()
	r.wantDone(r.until(s, from, agent.Done), agent.Cancelled)
	if len(f.calls()) != 1 || len(r.model.Requests()) != 3 {
		t.Errorf("calls %q", f.calls())
	}
}

func TestRetryCallIsRefused(t *testing.T) {
	r := newRig(t)
	m := r.open(Options{Mode: approval.Auto})
	s := r.session(m)
	f := r.fragile(s, frailTools...)
	r.model.Add(modeltest.Calls(modeltest.Call{ID: "ok", Name: "look", Arguments: "{}"}, modeltest.Call{ID: "rd", Name: "read_file", Arguments: `{"path":"nothing"}`}, modeltest.Call{ID: "no", Name: "nothing", Arguments: "{}"}),
		modeltest.Text("done"))
	r.send(s, Prompt{Text: "go"})
	f.write("dies", "")
	r.model.Add(frailCall("c1", "look"), modeltest.Text("done"))
	r.send(s, Prompt{Text: "go"})
	tests := []struct{ id, want string }{
		{"never", "there is no call never in this conversation"},
		{"ok", "look was answered: there is nothing to try again"},
		{"rd", "read_file is a built-in tool: there is no server to try again. Ask the model to run it once more"},
		{"no", "which server nothing belongs to is not known: it was not open when it was called"},
	}
	refused := func(id, want string) {
		t.Helper()
		if err := s.RetryCall(id); err == nil || err.Error() != want {
			t.Errorf("retry of %s: %v, want %s", id, err, want)
		}
	}
	for _, tt := range tests {
		refused(tt.id, tt.want)
	}
	r.must(s.Pause("frail"))
	r.settle(s)
	refused("c1", "look was not run again: frail is paused (Paused in this session only)")
	r.must(s.RemoveServer("frail"))
	r.settle(s)
	refused("c1", "Unknown MCP server: frail")
	f.remove("dies")
	if n := len(r.model.Requests()); n != 4 {
		t.Errorf("%d requests", n)
	}
}

// TestACallCutOffByHandIsNoLoss: retrying its server is not the way out.
func TestACallCutOffByHandIsNoLoss(t *testing.T) {
	for name, leave := range map[string]func(*Session) error{
		"pause":   func(s *Session) error { return s.Pause("frail") },
		"disable": func(s *Session) error { return s.Disable("frail") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.session(r.open(Options{Mode: approval.Auto}))
			f := r.fragile(s, frailTools...)
			f.write("hangs", "")
			r.model.Add(frailCall("c1", "look"), modeltest.Text("done"))
			r.must(s.Send(Prompt{Text: "go"}))
			r.eventually("the call runs", func() bool { return len(f.calls()) == 1 })
			r.must(leave(s))
			result := ofKind(r.until(s, 0, agent.Done), agent.ToolResult)[0]
			if result.Result.Reason != tool.Withdrawn {
				t.Errorf("result %+v", result.Result)
			}
		})
	}
}
