// Package bench measures what the runtime costs over bare go-sdk clients on this machine.
package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/benchtest"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

const (
	serverEnv = "PATCHBAY_BENCH_SERVER" // its value is how long the handshake takes
	servers   = 40
	handshake = 300 * time.Millisecond
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "watchdog" {
		os.Exit(proc.WatchdogMain(os.Stdin))
	}
	if wait := os.Getenv(serverEnv); wait != "" {
		os.Exit(serve(wait))
	}
	os.Exit(m.Run())
}

type echoArgs struct {
	Text string `json:"text"`
}

// serve is the measured server: one echo tool, ready after wait.
func serve(wait string) int {
	d, err := time.ParseDuration(wait)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	time.Sleep(d)
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo_" + os.Getenv("BENCH_SERVER"), Description: "answers with its text"},
		func(_ context.Context, _ *mcp.CallToolRequest, in echoArgs) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
		})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

// BenchmarkRuntime measures everything once, prints it, and keeps it in the file that
// BENCH_OUT names. Run it alone:
//
//	BENCH_OUT=$PWD/build/bench/results.json go test -run '^$' -bench Runtime -benchtime 1x ./backend/mcphost/bench
func BenchmarkRuntime(b *testing.B) {
	for b.Loop() {
		benchtest.Report(b, append(startForty(b), callOverhead(b)...)...)
	}
}

// startForty measures P1 and P2, ours and bare in turn so that a busy machine is unfair to
// both.
func startForty(t testing.TB) []benchtest.Result {
	const rounds = 5
	var ours, bare, retry, single []float64
	for round := range rounds {
		bare = append(bare, bareConnect(t, names(servers)))
		host := newHost(t)
		rt := host.NewRuntime(mcphost.RuntimeOptions{Session: "bench", Workspace: t.TempDir()})
		ours = append(ours, applied(t, rt, nil))
		one := names(servers)[round]
		single = append(single, bareConnect(t, []string{one}))
		retry = append(retry, applied(t, rt, map[string]uint64{one: uint64(round) + 1}))
		stop(t, host, rt)
	}
	return []benchtest.Result{
		benchtest.Judged("P1", fmt.Sprintf("%d stdio servers with a handshake of %s, time until all are settled, against bare go-sdk clients", servers, handshake), benchtest.Median(ours)/benchtest.Median(bare), 1.1),
		benchtest.Plain("P1.ours", "the same, milliseconds", benchtest.Median(ours)),
		benchtest.Plain("P1.bare", "bare go-sdk clients, milliseconds", benchtest.Median(bare)),
		benchtest.Judged("P2", fmt.Sprintf("Retry of one connected server among %d, its stop included, against a bare connect of it", servers), benchtest.Median(retry)/benchtest.Median(single), 1.1),
		benchtest.Plain("P2.ours", "the same, milliseconds", benchtest.Median(retry)),
		benchtest.Plain("P2.bare", "bare connect, milliseconds", benchtest.Median(single)),
	}
}

func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("s%02d", i)
	}
	return list
}

// applied returns the milliseconds until the forty servers are settled and connected.
func applied(t testing.TB, rt *mcphost.Runtime, attempts map[string]uint64) float64 {
	t.Helper()
	began := time.Now()
	rt.Apply(mcphost.Plan{Servers: resolved(t, servers, handshake), Attempts: attempts})
	if err := rt.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	snap, _ := rt.Snapshot().Get()
	for _, r := range snap.Rows {
		if r.State != mcphost.Connected {
			t.Fatalf("%s is %s: %s", r.Name, r.State, r.Reason)
		}
	}
	return benchtest.MS(took)
}

func resolved(t testing.TB, n int, wait time.Duration) []mcpconf.Resolved {
	self := executable(t)
	var list []mcpconf.Resolved
	for _, name := range names(n) {
		list = append(list, mcpconf.Resolved{Name: name, State: mcpconf.Wanted, Enabled: true, Trusted: true, Definition: &mcpconf.Definition{
			Name: name, Type: mcpconf.Stdio, Command: self,
			Env: map[string]string{serverEnv: wait.String(), "BENCH_SERVER": name},
		}})
	}
	return list
}

// bareConnect returns the milliseconds until bare clients have connected and listed.
func bareConnect(t testing.TB, list []string) float64 {
	t.Helper()
	began := time.Now()
	sessions := make([]*mcp.ClientSession, len(list))
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for i, name := range list {
		wg.Go(func() { sessions[i], errs[i] = bareSession(t, name, handshake) })
	}
	wg.Wait()
	took := time.Since(began)
	for i, s := range sessions {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		wg.Go(func() { _ = s.Close() })
	}
	wg.Wait()
	return benchtest.MS(took)
}

func bareSession(t testing.TB, name string, wait time.Duration) (*mcp.ClientSession, error) {
	command := exec.Command(executable(t))
	command.Env = append(os.Environ(), serverEnv+"="+wait.String(), "BENCH_SERVER="+name)
	client := mcp.NewClient(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, err
	}
	_, err = session.ListTools(context.Background(), nil)
	return session, err
}

// callOverhead measures P3: one call through table and runtime and one by a bare client, in
// turn, each to a server of its own.
func callOverhead(t testing.TB) []benchtest.Result {
	const warm, calls = 200, 3000
	host := newHost(t)
	rt := host.NewRuntime(mcphost.RuntimeOptions{Session: "bench", Workspace: t.TempDir()})
	defer stop(t, host, rt)
	rt.Apply(mcphost.Plan{Servers: resolved(t, 1, 0)})
	if err := rt.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	session, err := bareSession(t, "s00", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	var ours, bare []float64
	for i := range warm + calls {
		a, b := callOurs(t, rt), callBare(t, session)
		if i >= warm {
			ours, bare = append(ours, a), append(bare, b)
		}
	}
	return []benchtest.Result{
		benchtest.Judged("P3", "what the executor adds to a call of a bare go-sdk client, p50, milliseconds", benchtest.Median(ours)-benchtest.Median(bare), 0.1),
		benchtest.Plain("P3.p99", "the same, p99, milliseconds", benchtest.Percentile(ours, 0.99)-benchtest.Percentile(bare, 0.99)),
		benchtest.Plain("P3.ours", "a call through the executor, p50, milliseconds", benchtest.Median(ours)),
		benchtest.Plain("P3.bare", "a bare call, p50, milliseconds", benchtest.Median(bare)),
	}
}

func callOurs(t testing.TB, rt *mcphost.Runtime) float64 {
	began := time.Now()
	got := rt.Table().Call(t.Context(), tool.Call{ID: "1", Name: "echo_s00", Arguments: json.RawMessage(`{"text":"hello"}`)}, nil)
	took := time.Since(began)
	if !got.OK {
		t.Fatalf("call: %+v", got)
	}
	return benchtest.MS(took)
}

func callBare(t testing.TB, session *mcp.ClientSession) float64 {
	began := time.Now()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo_s00", Arguments: json.RawMessage(`{"text":"hello"}`)})
	took := time.Since(began)
	if err != nil || got.IsError {
		t.Fatalf("bare call: %v %+v", err, got)
	}
	return benchtest.MS(took)
}

func stop(t testing.TB, host *mcphost.Host, rt *mcphost.Runtime) {
	t.Helper()
	if err := rt.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := host.Close(); err != nil {
		t.Fatal(err)
	}
}

func executable(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
