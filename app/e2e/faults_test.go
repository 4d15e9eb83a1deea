//go:build linux

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// web is an MCP server over streamable HTTP that can go and come back at its address.
type web struct {
	t       *testing.T
	address string
	server  *http.Server
	wg      sync.WaitGroup
}

type webArgs struct {
	Text string `json:"text"`
}

// newWeb serves web_echo, web_hang, which ends only with its caller, and demo_echo, which
// the demo server has too.
func newWeb(t *testing.T) *web {
	t.Helper()
	w := &web{t: t, address: "127.0.0.1:0"}
	w.up()
	t.Cleanup(w.down)
	return w
}

func (w *web) up() {
	w.t.Helper()
	l, err := net.Listen("tcp", w.address)
	if err != nil {
		w.t.Fatal(err)
	}
	w.address = l.Addr().String()
	s := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, nil)
	echo := func(_ context.Context, _ *mcp.CallToolRequest, args webArgs) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the web says " + args.Text}}}, nil, nil
	}
	hang := func(ctx context.Context, _ *mcp.CallToolRequest, _ webArgs) (*mcp.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	}
	mcp.AddTool(s, &mcp.Tool{Name: "web_echo"}, echo)
	mcp.AddTool(s, &mcp.Tool{Name: "web_hang"}, hang)
	mcp.AddTool(s, &mcp.Tool{Name: "demo_echo"}, echo)
	w.server = &http.Server{Handler: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)}
	w.wg.Go(func() { _ = w.server.Serve(l) }) // ends with down
}

func (w *web) down() {
	_ = w.server.Close() // connections in use break
	w.wg.Wait()
}

// A server that hangs delays nobody, two that want one name are told apart, a name without
// a definition can be defined, and what a lost server did to a call is put right where it
// hurts: on the call's card.
func TestServersThatHangClashAndVanish(t *testing.T) {
	remote := newWeb(t)
	dir := t.TempDir()
	program, shell := link(t, dir, "demo", binary(t, "CLI_BIN")), link(t, dir, "shell", "/bin/sh")
	names := []string{"demo", "hang", "web", "ghost"}
	a := start(t, options{files: map[string]string{
		"~/.ai4j/mcp.json": store(t,
			stdio("demo", program, "demo-server"),
			definition{"hang", fmt.Sprintf(`{"command": %q, "args": ["-c", "cat >/dev/null"], "timeoutMs": 600000}`, shell)},
			definition{"web", fmt.Sprintf(`{"url": "http://%s/"}`, remote.address)}),
		workspaceFile: enablement(names...),
	}})
	a.by("button", "Trust selected").click()
	a.reaches("connected", "demo")
	a.reaches("busy", "hang")
	a.reaches("missing", "ghost")
	a.reaches("error", "web")
	a.because("web", "demo_echo", "demo")
	a.shot("faults-1-states")
	a.say(`call demo_echo with {"text": "without the others"}`)
	a.answer("demo_echo", "Allow for session")
	a.conversation("the answer", has("demo_echo answered: without the others"))
	a.idle()
	hanging := running(t, shell)
	a.holdsBack()
	if now := running(t, shell); len(now) != 1 || !slices.Equal(now, hanging) {
		t.Errorf("what web needed restarted hang: it was %v and is %v", hanging, now)
	}
	a.loses(remote)
	a.defines(program)
	a.by("row", "hang").by("button", "Disable hang").click()
	a.reaches("disabled", "hang")
	gone(t, a, shell)
	a.shot("faults-4-end")
}

// holdsBack settles the clash of web with demo; demo keeps the name.
func (a *app) holdsBack() {
	a.t.Helper()
	before := a.serverPIDs()
	a.by("row", "web").by("button", "Resolve web").click()
	dialog := a.by("dialog", "Resolve web")
	dialog.by("button", "Hold back all").click()
	dialog.by("button", "Apply").click()
	dialog.goes()
	a.reaches("connected", "web")
	a.say(`call web_echo with {"text": "hello"}`)
	a.answer("web_echo", "Allow once")
	a.conversation("the answer", has("web_echo answered: the web says hello"))
	a.idle()
	a.echoes("from the owner")
	a.same(before, "demo")
}

// loses breaks web under a call and puts it right by the button of the call's card.
func (a *app) loses(remote *web) {
	a.t.Helper()
	a.say(`call web_hang with {"text": "x"}`)
	a.answer("web_hang", "Allow once")
	card := a.by("article", "Tool call web · web_hang")
	card.says("that it runs", has("running"))
	remote.down()
	card.says("that it failed", has("failed"))
	a.idle()
	a.reaches("error", "web")
	a.shot("faults-2-lost")
	remote.up()
	card.by("button", "Retry call of web").click()
	a.reaches("connected", "web")
	// The same call is offered again; its tool says of itself neither that it only reads nor
	// that it may be repeated, so it is asked about.
	a.conversation("the offer", has("Run web_hang again: web is connected again."))
	a.answer("web_hang", "Reject")
	a.idle()
	a.say(`call web_echo with {"text": "again"}`)
	a.answer("web_echo", "Allow once")
	a.conversation("the answer", has("web_echo answered: the web says again"))
	a.idle()
}

// defines gives the name without a definition one, by its row.
func (a *app) defines(program string) {
	a.t.Helper()
	a.by("row", "ghost").by("button", "Define ghost").click()
	dialog := a.by("dialog", "Add server")
	dialog.by("textbox", "Command").fill(program)
	dialog.by("textbox", "Arguments, one per line").fill("demo-server")
	a.shot("faults-3-define")
	dialog.by("button", "Add").click()
	dialog.goes()
	a.reaches("error", "ghost") // every name of its tools is taken by demo
	a.because("ghost", "demo_echo")
	a.by("row", "ghost").by("button", "Resolve ghost").click()
	dialog = a.by("dialog", "Resolve ghost")
	dialog.by("textbox", "New name of demo_echo").fill("ghost_echo")
	dialog.by("button", "Apply").click()
	dialog.goes()
	a.reaches("connected", "ghost")
	a.say(`call ghost_echo with {"text": "boo"}`)
	a.answer("ghost_echo", "Allow once")
	a.conversation("the answer", has("ghost_echo answered: boo"))
	a.idle()
}
