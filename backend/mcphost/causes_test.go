package mcphost

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/proc"
)

// causeCase is a server that misbehaves, and what its row must say.
type causeCase struct {
	cause  mcpconn.Cause
	state  State
	action Action
	server mcpconf.Resolved
	text   string           // in the reason
	seen   func(e Row) bool // the evidence, nil where there is none to give
}

// realHost is a Host over real processes and real HTTP.
func realHost(t *testing.T) *Host {
	t.Helper()
	procs := proc.NewSupervisor(proc.SupervisorOptions{})
	env := proc.NewEnvironment(os.Environ(), proc.EnvironmentOptions{Probe: proc.ProbeNever, Supervisor: procs})
	host := NewHost(HostOptions{
		Dialer:   mcpconn.NewDialer(mcpconn.Options{Version: "test", Supervisor: procs, Environment: env}),
		Reserved: []string{"bash", "read_file", "write_file", "apply_patch"},
		Expand: func(def mcpconf.Definition, workspace string) (mcpconf.Definition, error) {
			return mcpconf.Expand(def, mcpconf.ExpandEnv{LookupEnv: os.LookupEnv, Workspace: workspace, Home: t.TempDir()})
		},
		Timing: Timing{Connect: time.Minute, ConnectMost: time.Minute}, // a loaded machine may be very slow
	})
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
		procs.Close()
	})
	return host
}

// serve answers HTTP on loopback until the test ends.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL + "/mcp"
}

// closedPort is an address that nothing listens at.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/mcp"
}

func resolved(name string, def mcpconf.Definition, state mcpconf.State) mcpconf.Resolved {
	def.Name = name
	return mcpconf.Resolved{
		Name: name, Definition: &def, State: state, Trusted: true, Line: 3,
		Enabled: state != mcpconf.Disabled, Paused: state == mcpconf.Paused,
	}
}

func command(path string, args ...string) mcpconf.Definition {
	return mcpconf.Definition{Type: mcpconf.Stdio, Command: path, Args: args}
}

func remote(kind mcpconf.Transport, url string) mcpconf.Definition {
	return mcptest.Remote(kind, url)
}

func withEnv(def mcpconf.Definition, name, value string) mcpconf.Definition {
	mcptest.Env(name, value)(&def)
	return def
}

// allCauses is one server for every cause of the contract but lost, which needs a
// connection first.
func allCauses(t *testing.T) []causeCase {
	t.Helper()
	soon := func(d *mcpconf.Definition) { d.TimeoutMs = 3000 }
	later := func(d *mcpconf.Definition) { d.TimeoutMs = 8000 } // time to get as far as the list
	plain := filepath.Join(t.TempDir(), "not-executable")
	if err := os.WriteFile(plain, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewTLSServer(mcptest.NewHTTP("ok"))
	t.Cleanup(secure.Close)
	status := func(code string) string { return serve(t, mcptest.NewHTTP("status="+code)) }
	wanted := func(name string, def mcpconf.Definition) mcpconf.Resolved {
		return resolved(name, def, mcpconf.Wanted)
	}
	untrusted := resolved("untrusted", mcptest.Definition("ok"), mcpconf.Disabled)
	untrusted.Enabled, untrusted.Trusted = true, false
	invalid := resolved("invalid", mcpconf.Definition{Type: mcpconf.Stdio, Invalid: "stdio transport requires command"}, mcpconf.Invalid)
	needs := mcptest.Definition("ok")
	needs.Env["TOKEN"] = "${env:PATCHBAY_TEST_NEVER_SET}"
	nowhere := command("sh")
	nowhere.CWD = "/no/such/folder"
	http4xx := func(r Row) bool { return r.Evidence != nil && r.Evidence.HTTPStatus >= 400 && r.Evidence.URL != "" }
	exit1 := func(r Row) bool {
		return r.Evidence != nil && r.Evidence.ExitCode != nil && *r.Evidence.ExitCode == 1 && len(r.Evidence.Stderr) > 0
	}
	at := func(stage mcpconn.Stage) func(Row) bool {
		return func(r Row) bool { return r.Evidence != nil && r.Evidence.Stage == stage }
	}
	return []causeCase{
		{mcpconn.NotEnabled, Disabled, ActEnable, resolved("off", mcptest.Definition("ok"), mcpconf.Disabled), "Not enabled", nil},
		{mcpconn.Untrusted, Disabled, ActTrust, untrusted, "not trusted", nil},
		{mcpconn.Paused, Paused, ActResume, resolved("paused", mcptest.Definition("ok"), mcpconf.Paused), "Paused", nil},
		{mcpconn.Invalid, Error, ActEdit, invalid, "stdio transport requires command", nil},
		{mcpconn.EnvMissing, Error, ActEdit, wanted("needs", needs), "PATCHBAY_TEST_NEVER_SET", nil},
		{mcpconn.NotFound, Error, ActEdit, wanted("gone", command("no-such-command-anywhere")), "no-such-command-anywhere", at(mcpconn.Resolve)},
		{mcpconn.NotExecutable, Error, ActEdit, wanted("plain", command(plain)), "not-executable", nil},
		{mcpconn.BadCWD, Error, ActEdit, wanted("nowhere", nowhere), "/no/such/folder", nil},
		{mcpconn.Exited, Error, ActRetry, wanted("exit1", mcptest.Definition("exit1")), "Cannot find module 'foo'", exit1},
		{mcpconn.BadStdout, Error, ActRetry, wanted("noisy", mcptest.Definition("noiseexit")), "Usage: server", nil},
		{mcpconn.Timeout, Error, ActRetry, wanted("hang", mcptest.Definition("hang", soon)), "initialize", at(mcpconn.Initialize)},
		{mcpconn.Timeout, Error, ActRetry, wanted("hanglist", mcptest.Definition("hanglist", later)), "tools/list", at(mcpconn.List)},
		{mcpconn.Refused, Error, ActRetry, wanted("refused", remote(mcpconf.StreamableHTTP, closedPort(t))), "refused", nil},
		{mcpconn.DNS, Error, ActEdit, wanted("dns", remote(mcpconf.StreamableHTTP, "http://no-such-host.invalid/mcp")), "no-such-host.invalid", nil},
		{mcpconn.TLS, Error, ActEdit, wanted("tls", remote(mcpconf.StreamableHTTP, secure.URL+"/mcp")), "secure", nil},
		{mcpconn.SignIn, Error, ActSignIn, wanted("signin", remote(mcpconf.StreamableHTTP, serve(t, mcptest.NewHTTP("401")))), "sign-in", http4xx},
		{mcpconn.Forbidden, Error, ActEdit, wanted("forbidden", remote(mcpconf.StreamableHTTP, status("403"))), "403", http4xx},
		{mcpconn.WrongURL, Error, ActEdit, wanted("wrongurl", remote(mcpconf.StreamableHTTP, status("404"))), "404", http4xx},
		{mcpconn.WrongTransport, Error, ActEdit, wanted("issse", remote(mcpconf.StreamableHTTP, serve(t, mcptest.NewSSE("post=405")))), "sse", http4xx},
		{mcpconn.WrongTransport, Error, ActEdit, wanted("ishttp", remote(mcpconf.SSE, serve(t, mcptest.NewHTTP("ok")))), "streamable_http", http4xx},
		{mcpconn.HTTPError, Error, ActRetry, wanted("http500", remote(mcpconf.StreamableHTTP, status("500"))), "500", http4xx},
		{mcpconn.NotMCP, Error, ActEdit, wanted("notmcp", remote(mcpconf.StreamableHTTP, serve(t, mcptest.NewHTTP("notmcp")))), "no MCP message", nil},
		{mcpconn.Protocol, Error, ActRetry, wanted("refuses", mcptest.Definition("initerror")), "database is locked", nil},
		{mcpconn.FrameTooLarge, Error, ActRetry, wanted("big", mcptest.Definition("bigframe")), "16 MiB", nil},
		{mcpconn.ListInvalid, Error, ActRetry, wanted("nolist", mcptest.Definition("listnotlist")), "tools/list", at(mcpconn.List)},
		{mcpconn.ToolUnnamed, Error, ActResolve, wanted("unnamed", mcptest.Definition("unnamed")), "no name", nil},
		{mcpconn.ToolDuplicate, Error, ActResolve, wanted("dup", mcptest.Definition("dup")), "twice", nil},
		{mcpconn.ToolBuiltin, Error, ActResolve, wanted("builtin", withEnv(mcptest.Definition("ok"), "PATCHBAY_FAKE_TOOLS", "bash,other")), "bash", nil},
		{"", Connected, "", wanted("owner", withEnv(mcptest.Definition("ok"), "PATCHBAY_FAKE_TOOLS", "search")), "", nil},
		{mcpconn.ToolTaken, Error, ActResolve, wanted("taken", withEnv(mcptest.Definition("ok"), "PATCHBAY_FAKE_TOOLS", "search")), "search", nil},
		{mcpconn.Undefined, Missing, ActDefine, mcpconf.Resolved{Name: "ghost", State: mcpconf.Missing, Enabled: true, Trusted: true, Line: 3}, "defined nowhere", nil},
	}
}

func TestEveryCauseIsReachedByARealServer(t *testing.T) {
	cases := allCauses(t)
	var servers []mcpconf.Resolved
	covered := []mcpconn.Cause{mcpconn.Lost} // by TestAKilledServerIsLostAndComesBack
	for _, c := range cases {
		servers = append(servers, c.server)
		covered = append(covered, c.cause)
	}
	for _, cause := range mcpconn.AllCauses {
		if !slices.Contains(covered, cause) {
			t.Errorf("no server reaches %s", cause)
		}
	}
	rt := realHost(t).NewRuntime(RuntimeOptions{Session: "s", Workspace: t.TempDir()})
	rt.Apply(Plan{Servers: servers, Store: "mcp.json", Enablement: "workspace.json"})
	if err := rt.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	snap, _ := rt.Now()
	for _, c := range cases {
		t.Run(string(c.cause)+" "+c.server.Name, func(t *testing.T) { c.check(t, row(t, snap, c.server.Name)) })
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (c causeCase) check(t *testing.T, r Row) {
	t.Helper()
	if r.State != c.state || r.Cause != c.cause || r.Action != c.action || !strings.Contains(r.Reason, c.text) {
		t.Errorf("row %s %s %s %q, want %s %s %s %q", r.State, r.Cause, r.Action, r.Reason, c.state, c.cause, c.action, c.text)
	}
	if c.seen != nil && !c.seen(r) {
		t.Errorf("the evidence %+v does not show it", r.Evidence)
	}
	if hasError := r.State == Error || r.State == Missing; (r.Error != "") != hasError {
		t.Errorf("error %q in state %s", r.Error, r.State)
	}
	if r.State != Connected && (r.Reason == "" || r.Layer == "") {
		t.Errorf("row %+v does not explain itself", r)
	}
}

func TestAKilledServerIsLostAndComesBack(t *testing.T) {
	host := realHost(t)
	host.opts.Timing.ReconnectFirst = 500 * time.Millisecond
	rt := host.NewRuntime(RuntimeOptions{Session: "s", Workspace: t.TempDir()})
	rt.Apply(Plan{Servers: []mcpconf.Resolved{resolved("a", mcptest.Definition("ok"), mcpconf.Wanted)}})
	if err := rt.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	snap, _ := rt.Now()
	before := row(t, snap, "a")
	if before.State != Connected || before.PID == 0 {
		t.Fatalf("row %+v, want connected with a pid", before)
	}
	p, err := os.FindProcess(before.PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	lost := awaitRow(t, rt, "a", func(r Row) bool { return r.State == Error })
	if lost.Cause != mcpconn.Lost || lost.Action != ActWait || lost.NextTry.IsZero() || lost.Reason == "" || lost.Evidence == nil {
		t.Errorf("row %+v, want lost with its reason, evidence and next try", lost)
	}
	after := awaitRow(t, rt, "a", func(r Row) bool { return r.State == Connected })
	if after.PID == before.PID || after.Recovered == 0 {
		t.Errorf("row %+v, want a new process and a recovery counted", after)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// awaitRow waits for a row to be as wanted.
func awaitRow(t *testing.T, rt *Runtime, name string, is func(Row) bool) Row {
	t.Helper()
	for rev := uint64(0); ; {
		snap, next, err := rt.Snapshot().Wait(t.Context(), rev)
		if err != nil {
			t.Fatal(err)
		}
		rev = next
		for _, r := range snap.Rows {
			if r.Name == name && is(r) {
				return r
			}
		}
	}
}

func TestTheStagesOfAStartAreShown(t *testing.T) {
	host := realHost(t)
	rt := host.NewRuntime(RuntimeOptions{Session: "s", Workspace: t.TempDir()})
	silent := serve(t, mcptest.NewSSE("silent"))
	rt.Apply(Plan{Servers: []mcpconf.Resolved{
		resolved("hang", mcptest.Definition("hang"), mcpconf.Wanted),
		resolved("hanglist", mcptest.Definition("hanglist"), mcpconf.Wanted),
		resolved("silent", remote(mcpconf.SSE, silent), mcpconf.Wanted),
	}})
	for name, stage := range map[string]mcpconn.Stage{"hang": mcpconn.Initialize, "hanglist": mcpconn.List, "silent": mcpconn.Connect} {
		awaitRow(t, rt, name, func(r Row) bool { return r.State == Busy && r.Stage == stage })
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
