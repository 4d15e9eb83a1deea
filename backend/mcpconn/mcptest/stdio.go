package mcptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// startModes are what a server does before it serves; true means that it goes on to serve.
var startModes = map[string]func(arg string) bool{
	"exit1":      func(string) bool { complain("Error: Cannot find module 'foo'"); os.Exit(1); return false },
	"okexit":     func(string) bool { os.Exit(0); return false },
	"silentexit": func(string) bool { os.Exit(7); return false },
	"noiseexit":  func(string) bool { fmt.Println("Usage: server --stdio"); os.Exit(0); return false },
	"noisehang":  func(string) bool { fmt.Println("Listening on port 3000"); swallow(); return false },
	"hang":       func(string) bool { swallow(); return false },
	"deaf":       func(string) bool { signal.Ignore(syscall.SIGTERM); time.Sleep(time.Hour); return false }, // ends by KILL only
	"leak": func(string) bool {
		complain("refused: " + os.Getenv("API_KEY"))
		fmt.Println("token " + os.Getenv("API_KEY"))
		os.Exit(1)
		return false
	},
	"banner":      func(string) bool { fmt.Println("My MCP Server v1 running on stdio"); return true },
	"banneremoji": func(string) bool { fmt.Print("\xF0\x9F\x96\xA5 Server mode: STDIO\n"); return true },
	"bannerblank": func(string) bool { fmt.Print("\n\n  \n\ufeff\n"); return true },
	"bannerjson":  func(string) bool { fmt.Print("{\"level\":\"info\"}\n42\n[1]\n"); return true },
	"bannerflood": func(string) bool {
		for i := range 200 {
			fmt.Printf("line %d of the banner\n", i)
		}
		return true
	},
	"slow": func(arg string) bool {
		for end := time.Now().Add(length(arg)); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			complain("npm http fetch GET 200")
		}
		return true
	},
	"quietslow":   func(arg string) bool { time.Sleep(length(arg)); return true },
	"stderrflood": func(string) bool { flood(256 << 10); return true },
	"ignoreterm":  func(string) bool { signal.Ignore(syscall.SIGTERM); return true },
	"grandchild":  func(string) bool { grandchild(); return true },
}

func complain(text string) { fmt.Fprintln(os.Stderr, text) }

func swallow() {
	_, _ = io.Copy(io.Discard, os.Stdin) // until the client closes it
}

func length(arg string) time.Duration {
	d, err := time.ParseDuration(arg)
	if err != nil {
		panic("mcptest: " + err.Error())
	}
	return d
}

func flood(bytes int) {
	line := strings.Repeat("e", 127)
	for range bytes / 128 {
		complain(line)
	}
}

// grandchild starts a process that inherits everything and ends by itself only after a
// minute, as npx → sh → node does.
func grandchild() {
	cmd := exec.Command("sleep", "60")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic("mcptest: " + err.Error())
	}
}

// stdioServer serves JSON-RPC lines.
type stdioServer struct {
	mode, arg string

	mu      sync.Mutex
	out     *bufio.Writer
	grown   int
	follows bool                            // mode library: test://notes is subscribed to
	reads   int                             // of it
	waiting map[string]chan json.RawMessage // results of the server's own requests
	listens []json.RawMessage               // ids of the open subscriptions/listen, mode modern
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

func serveStdio(full string) int {
	mode, arg, _ := strings.Cut(full, "=")
	appendLine(os.Getenv(startsEnv), full)
	if mode == asking {
		return serveAsking()
	}
	if start, ok := startModes[mode]; ok && !start(arg) {
		return 0
	}
	s := &stdioServer{mode: mode, arg: arg, out: bufio.NewWriter(os.Stdout), waiting: map[string]chan json.RawMessage{}}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		appendLine(os.Getenv(heardEnv), strings.TrimSpace(string(line)))
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			complain("not JSON: " + err.Error())
			return 3
		}
		s.handle(m)
	}
	if mode == "ignoreterm" {
		time.Sleep(time.Minute)
	}
	return 0
}

func (s *stdioServer) handle(m message) {
	switch m.Method {
	case "":
		s.mu.Lock()
		waiting := s.waiting[string(m.ID)]
		s.mu.Unlock()
		if waiting != nil {
			waiting <- m.Result
		}
	case "initialize":
		s.initialize(m)
	case "ping":
		s.answer(m, object{})
	case "tools/list":
		s.list(m)
	case "tools/call":
		go s.call(m)
	default:
		if s.mode == "library" {
			s.library(m)
			return
		}
		s.unknown(m)
	}
}

func (s *stdioServer) initialize(m message) {
	switch s.mode {
	case "modernonly", "modern":
		s.unknown(m)
		return
	case "exitdiscover":
		if s.arg == "initerror" {
			s.refuse(m, -32603, "database is locked")
			return
		}
	case "initerror":
		s.refuse(m, -32603, "database is locked")
		return
	case "oldversion":
		s.answer(m, initResult("2099-01-01"))
		return
	case "version":
		s.answer(m, initResult(s.arg))
		return
	case "library":
		s.answer(m, libraryResult())
		return
	case "bigframe":
		s.raw(strings.Repeat("x", 17<<20))
		return
	case "pretty":
		text, _ := json.MarshalIndent(object{"jsonrpc": "2.0", "id": m.ID, "result": initResult("2025-06-18")}, "", "  ")
		s.raw(string(text))
		return
	}
	s.answer(m, initResult("2025-11-25"))
}

func initResult(version string) object {
	return object{
		"protocolVersion": version, "serverInfo": object{"name": "fake", "version": "1.2.3"},
		"capabilities": object{"tools": object{"listChanged": true}, "logging": object{}},
		"instructions": "Ask echo first.",
	}
}

// discoverResult is the answer to server/discover (MCP 2026-07-28).
func discoverResult(tells bool) object {
	return object{
		"resultType": "complete", "supportedVersions": []any{"2026-07-28"}, "capabilities": object{"tools": object{"listChanged": tells}},
		"ttlMs": 0, "cacheScope": "private",
		"_meta": object{"io.modelcontextprotocol/serverInfo": object{"name": "fake", "version": "1.2.3"}},
	}
}

func (s *stdioServer) list(m message) {
	switch s.mode {
	case "hanglist":
		return
	case "diesonlist":
		complain("RuntimeError: no tools today")
		os.Exit(4)
	case "listerror":
		s.refuse(m, -32603, "the catalogue is down")
		return
	}
	var params struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(m.Params, &params) // absent params are none
	result := listResult(s.mode, params.Cursor)
	s.mu.Lock()
	for i := range s.grown {
		list := result.(object)
		list["tools"] = append(list["tools"].([]any), toolObject(fmt.Sprintf("grown_%d", i)))
	}
	s.mu.Unlock()
	s.answer(m, result)
}

func (s *stdioServer) unknown(m message) {
	switch {
	case s.mode == "exitdiscover" && m.Method == "server/discover":
		os.Exit(5)
	case s.mode == "mutediscover" && m.Method == "server/discover":
		os.Stdout.Close()
	case (s.mode == "latediscover" || s.mode == "modernonly") && m.Method == "server/discover":
		time.Sleep(length(s.arg))
		s.answer(m, discoverResult(false))
	case s.mode == "modern" && (m.Method == "server/discover" || m.Method == "subscriptions/listen"):
		s.modern(m)
	case s.mode == "ignorediscover" || len(m.ID) == 0:
	default:
		s.refuse(m, -32601, "method not found: "+m.Method)
	}
}

func (s *stdioServer) call(m message) {
	var p callParams
	var raw struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(m.Params, &raw) != nil || len(raw.Arguments) == 0 || raw.Arguments[0] != '{' {
		s.refuse(m, -32602, "expected record, received null")
		return
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		s.refuse(m, -32602, err.Error())
		return
	}
	if s.mode == "stderrflood" {
		flood(64 << 10)
	}
	switch p.Name {
	case "hang":
	case "die":
		complain("Error: out of memory")
		os.Exit(9)
	case "refuse":
		s.refuse(m, -32602, "no such city")
	case "roots":
		s.answer(m, said(string(s.ask("roots/list"))))
	case "cut":
		s.cut()
		s.answer(m, said("cut"))
	case "grow":
		s.mu.Lock()
		s.grown++
		quiet := s.mode == "modern" && (len(s.listens) == 0 || s.arg != "")
		s.mu.Unlock()
		if quiet {
			s.answer(m, said("grown"))
			return
		}
		for range 4 {
			s.notify("notifications/tools/list_changed", object{})
		}
		s.answer(m, said("grown"))
	case "progress":
		for i := range p.Arguments.N {
			time.Sleep(p.each())
			s.notify("notifications/progress", object{"progressToken": p.Meta.Token, "progress": i + 1, "total": p.Arguments.N, "message": "working"})
		}
		s.answer(m, said("finished"))
	case "log":
		s.notify("notifications/message", object{"level": "warning", "logger": "db", "data": p.Arguments.Text})
		s.answer(m, said("logged"))
	default:
		s.answer(m, callResult(p, raw.Arguments))
	}
}

// ask sends a request of the server's own and returns its result.
func (s *stdioServer) ask(method string) json.RawMessage {
	reply := make(chan json.RawMessage, 1)
	s.mu.Lock()
	s.waiting[`"from-server"`] = reply
	s.mu.Unlock()
	s.send(object{"jsonrpc": "2.0", "id": "from-server", "method": method})
	return <-reply
}

func (s *stdioServer) answer(m message, result any) {
	s.send(object{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func (s *stdioServer) refuse(m message, code int, text string) {
	s.send(object{"jsonrpc": "2.0", "id": m.ID, "error": object{"code": code, "message": text}})
}

func (s *stdioServer) notify(method string, params any) {
	s.send(object{"jsonrpc": "2.0", "method": method, "params": params})
}

func (s *stdioServer) send(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic("mcptest: " + err.Error())
	}
	s.raw(string(data))
}

func (s *stdioServer) raw(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.WriteString(line + "\n") // a client that is gone ends stdin too
	_ = s.out.Flush()
}
