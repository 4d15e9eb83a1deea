// Package mcptest is for tests only: MCP servers that misbehave in one named way each, on
// stdio (the test binary runs itself again) and over HTTP (handlers for httptest).
//
// A test package calls Main first in its TestMain and then starts servers by mode:
//
//	func TestMain(m *testing.M) { mcptest.Main(); os.Exit(m.Run()) }
//	def := mcptest.Definition("exit1", mcptest.Named("broken"))
//
// A mode is a word of the tables in stdio.go and http.go, some with an argument: "slow=8s".
// Every server answers the same tools unless its mode is about the list: see tools.go.
package mcptest

import (
	"bytes"
	"maps"
	"os"
	"strings"

	"patchbay/backend/mcpconf"
)

const (
	modeEnv   = "PATCHBAY_FAKE"
	startsEnv = "PATCHBAY_FAKE_STARTS" // file that counts starts
	heardEnv  = "PATCHBAY_FAKE_HEARD"  // file that collects what the server received
	toolsEnv  = "PATCHBAY_FAKE_TOOLS"  // names of the tools to offer, by comma
)

// Main serves and exits when this process was started as a fake server, and returns at once
// otherwise. It stands first in TestMain.
func Main() {
	if mode, ok := os.LookupEnv(modeEnv); ok {
		os.Exit(serveStdio(mode))
	}
}

// Option changes a Definition.
type Option func(*mcpconf.Definition)

// Definition is a stdio server that runs this test binary in a mode. Its name is the mode's
// word unless Named says otherwise.
func Definition(mode string, opts ...Option) mcpconf.Definition {
	self, err := os.Executable()
	if err != nil {
		panic("mcptest: " + err.Error()) // a test binary knows where it is
	}
	word, _, _ := strings.Cut(mode, "=")
	def := mcpconf.Definition{
		Name: word, Type: mcpconf.Stdio, Command: self, Env: map[string]string{modeEnv: mode},
	}
	for _, o := range opts {
		o(&def)
	}
	return def
}

// Remote is a server of a type at a URL, named after its type.
func Remote(kind mcpconf.Transport, url string, opts ...Option) mcpconf.Definition {
	def := mcpconf.Definition{Name: string(kind), Type: kind, URL: url}
	for _, o := range opts {
		o(&def)
	}
	return def
}

// Header adds an HTTP header.
func Header(name, value string) Option {
	return func(d *mcpconf.Definition) {
		headers := map[string]string{name: value}
		maps.Copy(headers, d.Headers)
		d.Headers = headers
	}
}

// Named names the server.
func Named(name string) Option { return func(d *mcpconf.Definition) { d.Name = name } }

// Env adds a variable to the server's environment.
func Env(name, value string) Option {
	return func(d *mcpconf.Definition) {
		env := maps.Clone(d.Env)
		env[name] = value
		d.Env = env
	}
}

// Tools makes the server offer exactly these tools, which answer with their own name and
// their arguments.
func Tools(names ...string) Option { return Env(toolsEnv, strings.Join(names, ",")) }

// Starts counts the server's starts in a file, to be read by Count.
func Starts(file string) Option { return Env(startsEnv, file) }

// Heard collects the messages that the server receives in a file, one a line.
func Heard(file string) Option { return Env(heardEnv, file) }

// Count returns how many starts a file of Starts holds; 0 when there is none.
func Count(file string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0 // nothing has started yet
	}
	return bytes.Count(data, []byte("\n"))
}

func appendLine(file, line string) {
	if file == "" {
		return
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic("mcptest: " + err.Error())
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		panic("mcptest: " + err.Error())
	}
}
