package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/proc"
)

// patience is the ceiling of every wait: a loaded machine may be very slow.
const patience = 60 * time.Second

// TestMain makes the test binary be the servers of the tests and the watchdog.
func TestMain(m *testing.M) {
	mcptest.Main()
	if len(os.Args) > 1 && os.Args[1] == "watchdog" {
		os.Exit(proc.WatchdogMain(os.Stdin))
	}
	os.Exit(m.Run())
}

// newServerRig is a changeRig whose mcp.json holds these definitions, with a shown session
// in the workspace "ws" that has all but those named off started.
func newServerRig(t *testing.T, defs []mcpconf.Definition, off ...string) *changeRig {
	t.Helper()
	r := newChangeRig(t)
	r.open("ws")
	for _, name := range []string{"fetch", "memory"} {
		done(t)(r.RemoveServer(r.ctx(), name))
	}
	for _, def := range defs {
		if err := r.manager.Store().Add(def); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(off, def.Name) {
			done(t)(r.EnableServer(r.ctx(), def.Name))
		}
	}
	r.Start()
	r.settle()
	return r
}

func (r *changeRig) settle() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx(), patience)
	defer cancel()
	if err := r.manager.Current().Settled(ctx); err != nil {
		r.t.Fatal(err)
	}
}

func (r *changeRig) detail(name string) ServerDetail {
	r.t.Helper()
	d, err := r.ServerDetail(r.ctx(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// fake is a server in a mode with these tools.
func fake(name, mode, tools string, opts ...mcptest.Option) mcpconf.Definition {
	opts = append([]mcptest.Option{mcptest.Named(name)}, opts...)
	if tools != "" {
		opts = append(opts, mcptest.Tools(strings.Split(tools, ",")...))
	}
	return mcptest.Definition(mode, opts...)
}

func rules(exclude string, rename ...string) mcptest.Option {
	return func(d *mcpconf.Definition) {
		if exclude != "" {
			d.Tools.Exclude = strings.Split(exclude, ",")
		}
		for i := 0; i < len(rename); i += 2 {
			d.Tools.Rename = map[string]string{rename[i]: rename[i+1]}
		}
	}
}

// clashing is a set of servers of which "late" may not have three of its names.
func clashing() []mcpconf.Definition {
	return []mcpconf.Definition{
		fake("early", "ok", "search,echo,held", rules("held", "search", "find")),
		fake("late", "ok", "Find,bash,twice,twice,twice,own,kept", rules("kept")),
		fake("broken", "exit1", ""),
		fake("never", "ok", ""),
	}
}

func TestServerDetail(t *testing.T) {
	r := newServerRig(t, clashing(), "never")
	d := r.detail("early")
	if d.Form.Type != "stdio" || len(d.Form.Env) != 2 || d.Form.Env[0].Value != "" || !d.Form.Env[0].HasValue || !d.Form.Enable {
		t.Errorf("form = %+v: wants names without values", d.Form)
	}
	if !slices.Equal(d.Rules.Exclude, []string{"held"}) || d.Rules.Rename["search"] != "find" {
		t.Errorf("rules = %+v", d.Rules)
	}
	var stages []string
	for _, s := range d.Stages {
		stages = append(stages, s.Stage)
	}
	if got := strings.Join(stages, " "); got != "resolve spawn initialize list validate claim" {
		t.Errorf("stages = %s", got)
	}
	if d.Instructions != "Ask echo first." {
		t.Errorf("instructions = %q", d.Instructions)
	}
	wantTools(t, d.Tools, "find(search)", "echo readOnly", "held held")
	if echo := d.Tools[1]; echo.Schema != `{"type":"object"}` || echo.SchemaTokens == 0 || echo.Description != "the tool echo" {
		t.Errorf("echo = %+v", echo)
	}
	wantTools(t, r.detail("late").Tools, "Find <early", "bash <built-in", "twice", "twice <late", "twice <late", "own", "kept held")
	broken := r.detail("broken")
	if len(broken.Tools) != 0 || len(broken.Stages) == 0 || broken.Stages[0].Stage != "resolve" {
		t.Errorf("detail of a failed server = %+v", broken)
	}
	if never := r.detail("never"); len(never.Stages) != 0 || never.Form.Command == "" || never.Form.Enable {
		t.Errorf("detail of a server that was never started = %+v", never)
	}
	r.write(r.folder+"/ws/.ai4j/workspace.json", `{"enabledMcpServers": ["ghost"]}`)
	r.eventually("the row of a name that is defined nowhere", func() bool { return r.manager.Current().IsEnabled("ghost") })
	data, err := json.Marshal(r.detail("ghost"))
	if err != nil || strings.Contains(string(data), "null") {
		t.Errorf("detail of a name that is defined nowhere = %s, %v", data, err)
	}
	if _, err := r.ServerDetail(r.ctx(), "nobody"); err == nil {
		t.Error("a name that is nowhere has a detail")
	}
}

// wantTools compares tools written as "name(original) held readOnly <owner".
func wantTools(t *testing.T, tools []ServerTool, want ...string) {
	t.Helper()
	var got []string
	for _, tool := range tools {
		text := tool.Name
		if tool.Original != tool.Name {
			text += "(" + tool.Original + ")"
		}
		if tool.Held {
			text += " held"
		}
		if tool.ReadOnly {
			text += " readOnly"
		}
		if tool.Owner != "" {
			text += " <" + tool.Owner
		}
		if tool.Skipped != "" {
			text += " !" + tool.Skipped
		}
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("tools = %q, want %q", got, want)
	}
}

func (r *changeRig) eventually(what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func TestToolsThatCannotBeUsedSayWhy(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{fake("bad", "badann", ""), fake("unnamed", "unnamed", ""), fake("apps", "apponly", "")})
	for name, want := range map[string]string{"bad": "annotations are malformed", "unnamed": "it has no name", "apps": "keeps it from the model"} {
		tools := r.detail(name).Tools
		if !slices.ContainsFunc(tools, func(s ServerTool) bool { return strings.Contains(s.Skipped, want) }) {
			t.Errorf("tools of %s = %+v, want one with %q", name, tools, want)
		}
	}
}

func TestServerLogPages(t *testing.T) {
	r := newServerRig(t, clashing(), "never")
	first, err := r.ServerLog(r.ctx(), "broken", 0)
	if err != nil || len(first.Lines) == 0 || first.Lost || first.Next == 0 {
		t.Fatalf("log of a failed server = %+v, %v", first, err)
	}
	line := first.Lines[0]
	if line.Text != "Error: Cannot find module 'foo'" || line.Level != "stderr" || line.AtMs == 0 || line.Seq == 0 {
		t.Errorf("line = %+v", line)
	}
	if again, err := r.ServerLog(r.ctx(), "broken", first.Next); err != nil || len(again.Lines) != 0 || again.Next != first.Next {
		t.Errorf("the page after = %+v, %v", again, err)
	}
	if page, err := r.ServerLog(r.ctx(), "never", 0); err != nil || page.Lines == nil || len(page.Lines) != 0 || page.Lost {
		t.Errorf("log of a server that was never started = %+v, %v", page, err)
	}
	if _, err := r.ServerLog(r.ctx(), "nobody", 0); err == nil {
		t.Error("a name that is nowhere has a log")
	}
}

func TestClashesShowBothSides(t *testing.T) {
	r := newServerRig(t, clashing(), "never")
	got, err := r.Clashes(r.ctx(), "late")
	if err != nil || len(got.Clashes) != 3 {
		t.Fatalf("clashes = %+v, %v", got, err)
	}
	for i, want := range []struct{ tool, mine, owner, theirs, description string }{
		{"Find", "Find", "early", "search", "the tool search"},
		{"bash", "bash", "built-in", "bash", "command"},
		{"twice", "twice", "late", "twice", "the tool twice"},
	} {
		c := got.Clashes[i]
		if c.Tool != want.tool || c.Mine.Owner != "late" || c.Mine.Original != want.mine || c.Mine.Schema != `{"type":"object"}` {
			t.Errorf("mine = %+v, want %+v", c, want)
		}
		if c.Theirs.Owner != want.owner || c.Theirs.Original != want.theirs || !strings.Contains(c.Theirs.Description, want.description) || !strings.Contains(c.Theirs.Schema, "object") {
			t.Errorf("theirs = %+v, want %+v", c.Theirs, want)
		}
	}
	if taken := strings.Join(got.Taken, " "); taken != "apply_patch bash echo find own read_file twice write_file" {
		t.Errorf("taken = %s", taken)
	}
	if none, err := r.Clashes(r.ctx(), "early"); err != nil || none.Clashes == nil || len(none.Clashes) != 0 {
		t.Errorf("clashes of a connected server = %+v, %v", none, err)
	}
}

func TestCallToolByHand(t *testing.T) {
	r := newServerRig(t, append(clashing(), fake("all", "ok", "", rules("image,echo,hang"))), "never")
	tests := []struct{ server, tool, arguments, want string }{
		{"early", "search", `{"q":1}`, `search`},
		{"early", "held", "", "held"},
		{"late", "bash", `{}`, "bash"},
		{"late", "kept", `{}`, "kept"},
		{"all", "echo", `{"text":"hello"}`, "hello"},
	}
	for i, tt := range tests {
		out, err := r.CallTool(r.ctx(), fmt.Sprint(i), tt.server, tt.tool, tt.arguments)
		if err != nil || !out.OK || len(out.Content) != 1 || !strings.Contains(out.Content[0].Text, tt.want) || out.TookMs == 0 {
			t.Errorf("%s of %s = %+v, %v", tt.tool, tt.server, out, err)
		}
	}
	image, err := r.CallTool(r.ctx(), "i", "all", "image", "{}")
	if err != nil || !slices.ContainsFunc(image.Content, func(c ChatContent) bool { return c.Kind == "image" && strings.HasPrefix(c.URL, mediaPath) }) {
		t.Errorf("image = %+v, %v", image, err)
	}
	if out, err := r.CallTool(r.ctx(), "f", "all", "fail", "{}"); err != nil || out.OK || out.Reason != "" {
		t.Errorf("a tool that goes wrong = %+v, %v", out, err)
	}
	refused := []struct{ server, tool, arguments, want string }{
		{"all", "echo", `[1]`, "must be a JSON object"},
		{"all", "echo", `{`, "not valid JSON"},
		{"all", "nothing", `{}`, "lists no tool nothing"},
		{"broken", "echo", `{}`, "not connected (error): Exited (exit status 1)"},
		{"never", "echo", `{}`, "not connected (disabled): Not enabled in this workspace."},
		{"nobody", "echo", `{}`, "nobody"},
	}
	for _, tt := range refused {
		if out, err := r.CallTool(r.ctx(), "r", tt.server, tt.tool, tt.arguments); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %s with %s = %+v, %v; want %s", tt.tool, tt.server, tt.arguments, out, err, tt.want)
		}
	}
}

func TestCallToolIsCancelled(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{fake("all", "ok", "")})
	for _, id := range []string{"by id", "by context"} {
		ctx, stop := context.WithCancel(r.ctx())
		defer stop()
		answer := make(chan ToolOutcome, 1)
		go func() {
			out, err := r.CallTool(ctx, id, "all", "hang", "{}")
			if err != nil {
				t.Error(err)
			}
			answer <- out
		}()
		r.eventually("the call runs", func() bool {
			r.byHand.mu.Lock()
			defer r.byHand.mu.Unlock()
			return r.byHand.running[id] != nil
		})
		var command *CommandError
		if _, err := r.CallTool(r.ctx(), id, "all", "echo", "{}"); !errors.As(err, &command) || command.Code != CodeConflict {
			t.Errorf("a second call with the id = %v, want %s", err, CodeConflict)
		}
		if id == "by id" {
			stop = func() { _ = r.CancelTool(r.ctx(), id) } // it never fails
		}
		stop()
		select {
		case out := <-answer:
			if out.OK || out.Reason != "cancelled" {
				t.Errorf("%s: %+v", id, out)
			}
		case <-time.After(patience):
			t.Fatalf("%s: it does not end", id)
		}
	}
	if err := r.CancelTool(r.ctx(), "by id"); err != nil {
		t.Errorf("cancelling a call that is over: %v", err)
	}
	if _, err := r.CallTool(r.ctx(), "", "all", "echo", "{}"); err == nil {
		t.Error("a call without an id runs")
	}
}
