// Package cli is the command line: it reads the grammar, assembles a session, prints, and
// closes it. It has no state of its own.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"patchbay/backend/demo"
	"patchbay/backend/proc"
)

// Exit codes of the contract.
const (
	exitOK      = 0
	exitTrouble = 1 // a row is in error or missing, a request was refused, a turn did not end well
	exitUsage   = 2 // bad usage or an unreadable configuration
)

// Watchdog is the hidden command that the program runs itself as: see package proc.
const Watchdog = "watchdog"

// Program is what a command line runs in.
type Program struct {
	Version string
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
}

// WantsWindow reports whether the arguments ask for the window: none at all, or only
// --workspace DIR.
func WantsWindow(args []string) bool {
	return len(args) == 0 || args[0] == "--workspace" || strings.HasPrefix(args[0], "--workspace=")
}

// Main runs the command that the arguments name and returns the exit code. SIGINT and
// SIGTERM end it in order: turns are cancelled and every process it started is gone.
func Main(p Program) int {
	if len(p.Args) > 0 && p.Args[0] == Watchdog {
		return proc.WatchdogMain(os.Stdin)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return p.run(ctx)
}

func (p Program) run(ctx context.Context) int {
	if len(p.Args) == 0 {
		return p.help(p.Stderr, exitUsage)
	}
	command, rest := p.Args[0], p.Args[1:]
	switch command {
	case "mcp":
		return p.mcp(ctx, rest)
	case "run":
		return p.runTurn(ctx, rest)
	case "demo-server":
		return p.demoServer(ctx, rest)
	case "--version", "-v", "version":
		fmt.Fprintf(p.Stdout, "patchbay %s\n", p.Version)
		return exitOK
	case "--help", "-h", "help":
		return p.help(p.Stdout, exitOK)
	}
	fmt.Fprintf(p.Stderr, "Unknown command: %s. See patchbay --help.\n", command)
	return exitUsage
}

func (p Program) demoServer(ctx context.Context, args []string) int {
	if len(args) > 0 {
		return p.usage("Usage: patchbay demo-server")
	}
	if err := demo.Run(ctx, p.Stdin, p.Stdout); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, io.EOF) {
		fmt.Fprintln(p.Stderr, err)
		return exitTrouble
	}
	return exitOK
}

func (p Program) usage(text string) int {
	fmt.Fprintln(p.Stderr, text)
	return exitUsage
}

func (p Program) help(w io.Writer, code int) int {
	fmt.Fprint(w, helpText)
	return code
}

const helpText = `Patchbay: a coding agent whose tools come from MCP servers, and the table of those servers.

  patchbay [--workspace DIR]             Open the window

  patchbay mcp [list]                    Show current MCP services and status
  patchbay mcp add --transport <stdio|sse|http> <name> <target>
                                         Add a global MCP service
  patchbay mcp enable|disable <name>     Toggle workspace MCP enablement
  patchbay mcp retry <name>              Reconnect an enabled MCP service
  patchbay mcp remove <name>             Delete a global MCP service
      Flags stand after the action and end at the first name:
      --workspace DIR   the workspace (default: the current folder)
      --pause NAME      leave NAME out of this run; repeatable
      --trust           trust the servers that workspace.json enables, for this run
      --json            print one JSON object
      Exit: 0 when nothing is in error or missing, 1 when something is or the request was
      refused, 2 for bad usage or an unreadable configuration

  patchbay run [flags] PROMPT            Run one turn of the agent
      --workspace DIR   the workspace (default: the current folder)
      --servers a,b     open these services only ("" opens none; default: the workspace's)
      --approve auto|safe   auto never asks; safe (default) runs what needs no approval or
                        has a workspace grant, and rejects the rest
      --trust           as above
      --save            keep the session in the history
      --json            print one event per line
      The model: the profile stored in the window's settings, else OPENAI_BASE_URL,
      OPENAI_API_KEY and OPENAI_MODEL, else the built-in practice model
      Exit: 0 when the turn ended, 1 otherwise, 2 for bad usage

  patchbay demo-server                   A small MCP server on stdio
  patchbay --version
  patchbay --help
`

// flags are the options that stand before the first name.
type flags struct {
	values map[string][]string
	set    map[string]bool
	rest   []string
}

// parseFlags reads flags up to the first word that is none, or "--".
func parseFlags(args []string, withValue, plain []string) (flags, error) {
	f := flags{values: map[string][]string{}, set: map[string]bool{}}
	for len(args) > 0 {
		word := args[0]
		if word == "--" {
			args = args[1:]
			break
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			break
		}
		name, value, inline := strings.Cut(word, "=")
		args = args[1:]
		switch {
		case slices.Contains(plain, word):
			f.set[word] = true
		case slices.Contains(withValue, name) && inline:
			f.values[name] = append(f.values[name], value)
		case slices.Contains(withValue, name) && len(args) > 0:
			f.values[name] = append(f.values[name], args[0])
			args = args[1:]
		case slices.Contains(withValue, name):
			return f, fmt.Errorf("%s needs a value", name)
		default:
			return f, fmt.Errorf("unknown flag: %s", word)
		}
	}
	f.rest = args
	return f, nil
}

// last is the last value of a flag, or otherwise.
func (f flags) last(name, otherwise string) string {
	if vs := f.values[name]; len(vs) > 0 {
		return vs[len(vs)-1]
	}
	return otherwise
}
