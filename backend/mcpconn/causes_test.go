package mcpconn_test

import (
	"context"
	"errors"
	"net"
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
)

// brief is a time limit for servers that never answer.
const brief = 1500 * time.Millisecond

// wanted is what a failed attempt must say.
type wanted struct {
	cause  mcpconn.Cause
	stage  mcpconn.Stage
	exit   int // -1: no exit code
	status int
	says   []string
}

func check(t *testing.T, f *mcpconn.Failure, want wanted) {
	t.Helper()
	if f.Cause != want.cause || f.Evidence.Stage != want.stage || f.Evidence.HTTPStatus != want.status {
		t.Errorf("got cause %s at %s, HTTP %d (%s); want %s at %s, HTTP %d", f.Cause, f.Evidence.Stage, f.Evidence.HTTPStatus, f.Message, want.cause, want.stage, want.status)
	}
	switch exit := f.Evidence.ExitCode; {
	case want.exit < 0 && exit != nil:
		t.Errorf("exit code %d, want none", *exit)
	case want.exit >= 0 && (exit == nil || *exit != want.exit):
		t.Errorf("exit code %v, want %d", exit, want.exit)
	}
	wantHas(t, "message", f.Message, want.says...)
}

// TestCausesOfStdio is every way a process can fail to become a connection.
func TestCausesOfStdio(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain.txt")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(command, dir string) mcpconf.Definition {
		return mcpconf.Definition{Name: "s", Type: mcpconf.Stdio, Command: command, CWD: dir}
	}
	for _, test := range []struct {
		name  string
		def   mcpconf.Definition
		limit time.Duration // 0: patience
		want  wanted
	}{
		{"not found", command("no-such-command", ""), 0, wanted{mcpconn.NotFound, mcpconn.Resolve, -1, 0, []string{`"no-such-command"`, "Searched: ", "/bin", "full path"}}},
		{"no such file", command("/no/such/file", ""), 0, wanted{mcpconn.NotFound, mcpconn.Resolve, -1, 0, []string{`"/no/such/file" was not found: there is no such file`}}},
		{"not executable", command(plain, ""), 0, wanted{mcpconn.NotExecutable, mcpconn.Resolve, -1, 0, []string{plain, "permission"}}},
		{"bad cwd", command("sh", "/no/such/folder"), 0, wanted{mcpconn.BadCWD, mcpconn.Spawn, -1, 0, []string{"/no/such/folder"}}},
		{"exits with an error", mcptest.Definition("exit1"), 0, wanted{mcpconn.Exited, mcpconn.Initialize, 1, 0, []string{"exit status 1", "Error: Cannot find module 'foo'"}}},
		{"exits with a code alone", mcptest.Definition("silentexit"), 0, wanted{mcpconn.Exited, mcpconn.Initialize, 7, 0, []string{"exit status 7", "nothing on stderr"}}},
		{"exits well", mcptest.Definition("okexit"), 0, wanted{mcpconn.Exited, mcpconn.Initialize, 0, 0, []string{"exit status 0"}}},
		{"exits while listing", mcptest.Definition("diesonlist"), 0, wanted{mcpconn.Exited, mcpconn.List, 4, 0, []string{"RuntimeError: no tools today"}}},
		{"prints a usage text", mcptest.Definition("noiseexit"), 0, wanted{mcpconn.BadStdout, mcpconn.Initialize, -1, 0, []string{"Usage: server --stdio", "stdout", "stderr"}}},
		{"speaks no MCP", mcptest.Definition("noisehang"), brief, wanted{mcpconn.BadStdout, mcpconn.Initialize, -1, 0, []string{"Listening on port 3000", "reserved"}}},
		{"never answers initialize", mcptest.Definition("hang"), brief, wanted{mcpconn.Timeout, mcpconn.Initialize, -1, 0, []string{"1.5s", "initialize"}}},
		{"never answers tools/list", mcptest.Definition("hanglist"), brief, wanted{mcpconn.Timeout, mcpconn.List, -1, 0, []string{"1.5s", "tools/list"}}},
		{"refuses initialize", mcptest.Definition("initerror"), 0, wanted{mcpconn.Protocol, mcpconn.Initialize, -1, 0, []string{"database is locked", "-32603"}}},
		{"speaks an unknown revision", mcptest.Definition("oldversion"), 0, wanted{mcpconn.Protocol, mcpconn.Initialize, -1, 0, []string{"2099-01-01"}}},
		{"refuses tools/list", mcptest.Definition("listerror"), 0, wanted{mcpconn.Protocol, mcpconn.List, -1, 0, []string{"tools/list", "the catalogue is down"}}},
		{"sends a frame that is too large", mcptest.Definition("bigframe"), 0, wanted{mcpconn.FrameTooLarge, mcpconn.Initialize, -1, 0, []string{"16 MiB"}}},
		{"lists a text", mcptest.Definition("listnotlist"), 0, wanted{mcpconn.ListInvalid, mcpconn.List, -1, 0, []string{"tools/list"}}},
		{"lists nothing at all", mcptest.Definition("listmissing"), 0, wanted{mcpconn.ListInvalid, mcpconn.List, -1, 0, []string{"tools/list"}}},
		{"repeats its cursor", mcptest.Definition("cursorloop"), 0, wanted{mcpconn.ListInvalid, mcpconn.List, -1, 0, []string{"cursor"}}},
		{"lists without end", mcptest.Definition("cursorendless"), 0, wanted{mcpconn.ListInvalid, mcpconn.List, -1, 0, []string{"does not end"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limit := test.limit
			if limit == 0 {
				limit = patience
			}
			f, heard := newRig(t).fail(t, within(test.def, limit))
			check(t, f, test.want)
			if stages := heard.stages; len(stages) == 0 || stages[0] != mcpconn.Resolve || !slices.Contains(stages, f.Evidence.Stage) {
				t.Errorf("stages %v", stages)
			}
		})
	}
}

// closedPort is an address where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/mcp"
}

// TestCausesOfHTTP is every way an address can fail to become a connection, for both kinds.
func TestCausesOfHTTP(t *testing.T) {
	refused := closedPort(t)
	secure := httptest.NewTLSServer(mcptest.NewHTTP("ok"))
	t.Cleanup(secure.Close)
	plainAsTLS := "https" + strings.TrimPrefix(serveHTTP(t, mcptest.NewHTTP("ok")), "http")
	const streamable, sse = mcpconf.StreamableHTTP, mcpconf.SSE
	serve := func(kind mcpconf.Transport, mode string) string {
		if kind == sse {
			return serveHTTP(t, mcptest.NewSSE(mode)) + "/sse"
		}
		return serveHTTP(t, mcptest.NewHTTP(mode)) + "/mcp"
	}
	type row struct {
		name  string
		kind  mcpconf.Transport
		url   string
		limit time.Duration
		want  wanted
	}
	rows := []row{
		{"initialize never answered", streamable, serve(streamable, "hanginit"), brief, wanted{mcpconn.Timeout, mcpconn.Initialize, -1, 0, []string{"initialize"}}},
		{"list never answered", streamable, serve(streamable, "hanglist"), brief, wanted{mcpconn.Timeout, mcpconn.List, -1, 0, []string{"tools/list"}}},
		{"initialize refused", streamable, serve(streamable, "initerror"), 0, wanted{mcpconn.Protocol, mcpconn.Initialize, -1, 0, []string{"not here"}}},
		{"JSON that is no MCP", streamable, serve(streamable, "notmcp"), 0, wanted{mcpconn.NotMCP, mcpconn.Initialize, -1, 200, nil}},
		{"plain text", streamable, serve(streamable, "text"), 0, wanted{mcpconn.NotMCP, mcpconn.Initialize, -1, 200, []string{"text/plain"}}},
		{"body too large", streamable, serve(streamable, "bigbody"), 0, wanted{mcpconn.FrameTooLarge, mcpconn.Initialize, -1, 0, []string{"16 MiB"}}},
		{"list that is none", streamable, serve(streamable, "listnotlist"), 0, wanted{mcpconn.ListInvalid, mcpconn.List, -1, 0, nil}},
		{"sse: initialize never answered", sse, serve(sse, "hanginit"), brief, wanted{mcpconn.Timeout, mcpconn.Initialize, -1, 0, []string{"initialize"}}},
		{"sse: list never answered", sse, serve(sse, "hanglist"), brief, wanted{mcpconn.Timeout, mcpconn.List, -1, 0, []string{"tools/list"}}},
		{"sse: stream never begins", sse, serve(sse, "silent"), brief, wanted{mcpconn.Timeout, mcpconn.Connect, -1, 0, nil}},
		{"sse: no endpoint event", sse, serve(sse, "noendpoint"), 0, wanted{mcpconn.NotMCP, mcpconn.Connect, -1, 0, []string{"endpoint"}}},
		{"sse: endpoint elsewhere", sse, serve(sse, "endpoint=http://other.invalid/x"), 0, wanted{mcpconn.WrongURL, mcpconn.Connect, -1, 0, []string{"http://other.invalid/x"}}},
		{"sse: posts refused", sse, serve(sse, "post=500"), 0, wanted{mcpconn.HTTPError, mcpconn.Initialize, -1, 500, nil}},
		{"no address", streamable, "nonsense", 0, wanted{mcpconn.WrongURL, "", -1, 0, []string{"no http or https address"}}},
	}
	for _, kind := range []mcpconf.Transport{streamable, sse} {
		stage := map[mcpconf.Transport]mcpconn.Stage{streamable: mcpconn.Initialize, sse: mcpconn.Connect}[kind]
		of := func(name, mode string, cause mcpconn.Cause, status int, says ...string) row {
			return row{string(kind) + ": " + name, kind, serve(kind, mode), 0, wanted{cause, stage, -1, status, says}}
		}
		at := func(name, url string, cause mcpconn.Cause, says ...string) row {
			return row{string(kind) + ": " + name, kind, url, 0, wanted{cause, mcpconn.Connect, -1, 0, says}}
		}
		rows = append(rows,
			at("refused", refused, mcpconn.Refused, "connection refused", refused),
			at("dns", "http://no-such-host.invalid/mcp", mcpconn.DNS, "no-such-host.invalid"),
			at("unknown authority", secure.URL+"/mcp", mcpconn.TLS, "certificate"),
			at("http as https", plainAsTLS, mcpconn.TLS, "http://"),
			of("401", "401", mcpconn.SignIn, 401, "sign-in", "127.0.0.1"),
			of("401 without a header", "401nohdr", mcpconn.SignIn, 401, "sign-in"),
			of("403", "status=403", mcpconn.Forbidden, 403, "403"),
			of("404", "status=404", mcpconn.WrongURL, 404, "404", "url"),
			of("405", "status=405", mcpconn.HTTPError, 405, "405"),
			of("429", "status=429", mcpconn.HTTPError, 429, "429"),
			of("500", "status=500", mcpconn.HTTPError, 500, "500"),
			of("web page", "html", mcpconn.WrongURL, 200, "web page"),
			of("redirect elsewhere", "redirect=307 http://other.invalid/mcp", mcpconn.WrongURL, 0, "http://other.invalid/mcp"),
			of("redirect that changes the method", "redirect=301 http://other.invalid/mcp", mcpconn.WrongURL, 0, "http://other.invalid/mcp"),
		)
		black := of("black hole", "blackhole", mcpconn.Timeout, 0)
		black.limit = brief
		rows = append(rows, black)
	}
	for _, test := range rows {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limit := test.limit
			if limit == 0 {
				limit = patience
			}
			f, _ := newRig(t).fail(t, within(mcptest.Remote(test.kind, test.url), limit))
			check(t, f, test.want)
			if f.Evidence.URL == "" && test.url != "nonsense" {
				t.Errorf("no URL in the evidence of %+v", f)
			}
		})
	}
}

// TestAnAttemptThatIsGivenUp ends with its context, and says so.
func TestAnAttemptThatIsGivenUp(t *testing.T) {
	for _, def := range []mcpconf.Definition{
		mcptest.Definition("hang"),
		mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, mcptest.NewHTTP("blackhole"))),
		mcptest.Remote(mcpconf.SSE, serveHTTP(t, mcptest.NewHTTP("blackhole"))),
	} {
		t.Run(string(def.Type), func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := time.AfterFunc(200*time.Millisecond, func() { cancel(errors.New("the definition was edited")) })
			defer stop.Stop()
			_, err := newRig(t).Dial(ctx, target(def), newEar())
			var f *mcpconn.Failure
			if !errors.As(err, &f) || f.Cause != mcpconn.Timeout {
				t.Fatalf("got %v", err)
			}
			wantHas(t, "message", f.Message, "given up", "the definition was edited")
		})
	}
}

// TestLostSaysWhy: the ways in which a live connection ends.
func TestLostSaysWhy(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		c, _ := newRig(t).connect(t, target(mcptest.Definition("ok")))
		got := call(t, c, "die", `{}`)
		wantHas(t, "call", textOf(got), "out of memory", "ok")
		ended(t, c)
		check(t, c.Lost(), wanted{mcpconn.Lost, "", 9, 0, []string{"exit status 9", "Error: out of memory"}})
	})
	t.Run("sse", func(t *testing.T) {
		server := mcptest.NewSSE("ok")
		c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.SSE, serveHTTP(t, server))))
		server.Cut()
		ended(t, c)
		check(t, c.Lost(), wanted{mcpconn.Lost, "", -1, 0, []string{"closed the connection"}})
	})
	for _, mode := range []string{"ok", "stream"} {
		t.Run("streamable "+mode, func(t *testing.T) {
			s := httptest.NewServer(mcptest.NewHTTP(mode))
			c, heard := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, s.URL)))
			s.CloseClientConnections()
			s.Close()
			if err := c.Check(t.Context()); err == nil {
				t.Error("the check of a dead server succeeds")
			}
			ended(t, c)
			check(t, c.Lost(), wanted{mcpconn.Lost, "", -1, 0, nil}) // refused or cut, as the system notices it
			heard.until(t, "a failed heartbeat", func(e *ear) bool { return slices.Contains(e.health, false) })
		})
	}
}
