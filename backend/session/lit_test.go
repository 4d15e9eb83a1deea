package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"patchbay/backend/gateway"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
	"patchbay/backend/model/modeltest"
)

// lit names the lit servers, as the chips show them.
func lit(s *Session) string {
	snap, _ := s.Rows().Get()
	return strings.Join(s.litOf(snap.Rows), " ")
}

func TestWhatIsLitIsWhatIsSent(t *testing.T) {
	r := newRig(t, modeltest.Text("1"), modeltest.Text("2"), modeltest.Text("3"), modeltest.Text("4"))
	m := r.open(Options{})
	s := r.session(m, "demo", "dead")
	pid := r.wantState(s, "demo", mcphost.Connected).PID
	if got := lit(s); got != "demo dead" {
		t.Errorf("lit: %q", got)
	}
	_, seen := s.Changed().Get()
	r.must(s.Light("demo", false))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, _, err := s.Changed().Wait(ctx, seen); err != nil {
		t.Errorf("readers are not told: %v", err)
	}
	r.settle(s)
	if got := lit(s); got != "dead" {
		t.Errorf("lit after demo was switched off: %q", got)
	}
	events := r.send(s, Prompt{Text: "without"})
	if got := r.toolNames(); got != builtIns {
		t.Errorf("tools while demo is off: %s", got)
	}
	if notices := ofKind(events, "notice"); len(notices) != 1 || strings.Contains(notices[0].Text, "demo") {
		t.Errorf("what is off is not left out: %+v", notices)
	}
	if got := r.wantState(s, "demo", mcphost.Connected); got.PID != pid {
		t.Errorf("switching off restarted the server: %d, was %d", got.PID, pid)
	}
	// The switch is the session's: it stays through the other layers, and is nobody else's.
	r.must(s.Pause("demo"))
	r.must(s.Resume("demo"))
	r.must(s.Disable("demo"))
	r.must(s.Enable("demo"))
	r.settle(s)
	r.send(s, Prompt{Text: "still without"})
	if got := r.toolNames(); got != builtIns {
		t.Errorf("tools after pause, resume, disable, enable: %s", got)
	}
	if other := r.session(m); lit(other) != "demo dead" {
		t.Errorf("another session's: %q", lit(other))
	}
	// A request that names it opens it: off is about the rule.
	r.send(s, Prompt{Text: "named", Services: &[]string{"demo"}})
	if got := r.toolNames(); got != builtIns+" "+demoTools {
		t.Errorf("named: %s", got)
	}
	r.must(s.Light("demo", true))
	r.must(s.Light("demo", true))
	r.send(s, Prompt{Text: "with"})
	if got := r.toolNames(); got != builtIns+" "+demoTools || lit(s) != "demo dead" {
		t.Errorf("lit again: %s, tools %s", lit(s), got)
	}
}

func TestLitNeedsEveryLayer(t *testing.T) {
	all := mcphost.Row{Name: "demo", State: mcphost.Busy, Enabled: true, Trusted: true}
	tests := []struct {
		name   string
		change func(*mcphost.Row)
		want   bool
	}{
		{"still starting", func(*mcphost.Row) {}, true},
		{"in error", func(r *mcphost.Row) { r.State = mcphost.Error }, true},
		{"not enabled", func(r *mcphost.Row) { r.Enabled = false }, false},
		{"not trusted", func(r *mcphost.Row) { r.Trusted = false }, false},
		{"paused", func(r *mcphost.Row) { r.Paused = true }, false},
		{"missing", func(r *mcphost.Row) { r.State = mcphost.Missing }, false},
		{"switched off", func(r *mcphost.Row) { r.Name = "spare" }, false},
	}
	r := newRig(t)
	s := r.session(r.open(Options{}), "spare")
	r.must(s.Light("spare", false))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row := all
			if tt.change(&row); s.Lit(row) != tt.want {
				t.Errorf("lit %v, want %v", !tt.want, tt.want)
			}
		})
	}
	var not *mcpconf.NotEnabledError
	if err := s.Light("demo", false); !errors.As(err, &not) {
		t.Errorf("a server that is not enabled: %v", err)
	}
	var unknown *mcpconf.UnknownError
	if err := s.Light("nobody", true); !errors.As(err, &unknown) {
		t.Errorf("an unknown server: %v", err)
	}
}

// TestAPlainChatOpensWhatWasLitByHand: what was lit is opened or the message is not sent.
func TestAPlainChatOpensWhatWasLitByHand(t *testing.T) {
	r := newRig(t, modeltest.Text("1"), modeltest.Text("2"))
	m := r.open(Options{})
	s, err := m.NewSession("")
	r.must(err)
	m.Show(s.ID())
	s.Start()
	r.must(s.Light("dead", true))
	r.must(s.Light("demo", true))
	refused := func(part string) {
		t.Helper()
		err := s.Send(Prompt{Text: "hi"})
		var service *gateway.ServiceError
		if !errors.As(err, &service) || service.Service != "dead" || !strings.HasPrefix(err.Error(), "dead is switched on for this chat but not available (") ||
			!strings.Contains(err.Error(), part) || !strings.HasSuffix(err.Error(), "switch it off, then send again.") {
			t.Errorf("send: %v", err)
		}
	}
	refused("") // whatever it is doing at this moment
	r.settle(s)
	refused(r.wantState(s, "dead", mcphost.Error).Error)
	if events, _, run := s.Transcript(); len(r.model.Requests()) != 0 || len(events) != 0 || run != "" {
		t.Errorf("something was sent: %+v, run %q", events, run)
	}
	r.must(s.Light("dead", false))
	r.must(s.Light("dead", false)) // it is off
	r.settle(s)
	r.wantState(s, "dead", mcphost.Disabled)
	r.send(s, Prompt{Text: "hi"})
	if got := r.toolNames(); got != demoTools || lit(s) != "demo" {
		t.Errorf("lit %q, tools %s", lit(s), got)
	}
	r.must(s.Pause("demo"))
	r.settle(s)
	r.send(s, Prompt{Text: "paused is not lit"})
	if got := r.toolNames(); got != "" {
		t.Errorf("tools %s", got)
	}
	if text := tree(t, r.workspace)[r.enablePath()]; text != "" {
		t.Errorf("a plain chat wrote %s", text)
	}
}

// TestOnlyLitToolsAreCut: what is switched off takes no room in a request.
func TestOnlyLitToolsAreCut(t *testing.T) {
	r := newRig(t)
	m := r.open(Options{})
	s := r.session(m)
	var tools []string
	for n := range 130 {
		tools = append(tools, fmt.Sprintf("tool_%d read", n))
	}
	r.fragile(s, tools...)
	if cut := s.CutTools(); len(cut) == 0 {
		t.Fatal("nothing is cut: the check below would prove nothing")
	}
	r.must(s.Light("frail", false))
	if cut := s.CutTools(); len(cut) != 0 {
		t.Errorf("cut while the server is off: %v", cut)
	}
}
