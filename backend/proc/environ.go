package proc

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ProbeMode says when the login shell is asked for its environment.
type ProbeMode string

// The modes.
const (
	ProbeAuto   ProbeMode = "auto"   // when the application has no terminal, or Completed is asked for
	ProbeAlways ProbeMode = "always" // at the first question
	ProbeNever  ProbeMode = "never"
)

// probeLimit is how long a login shell may take: its start-up files are not ours to trust.
const probeLimit = 3 * time.Second

// EnvironmentOptions says how an Environment completes what the application was given.
type EnvironmentOptions struct {
	Probe      ProbeMode     // "" is ProbeAuto
	Timeout    time.Duration // of the login shell, 0 for three seconds
	Supervisor *Supervisor   // starts the shell; nil: one without a watchdog
	Logger     *slog.Logger  // nil: nothing is logged
}

// Environment is the environment that child processes start from: the application's own,
// completed from the login shell and from the folders where people keep their tools. A
// program started from a dock or launcher has only the system's PATH. All methods may be
// called concurrently.
type Environment struct {
	base     []string
	own      EnvironmentOptions
	terminal bool

	// slot is held by the one caller that completes; it guards what follows.
	slot      chan struct{}
	completed []string // nil until known
	shell     Shell    // the last answer
	shellErr  error    // why there is none
}

// Shell is what the login shell answered.
type Shell struct {
	Path string   // of the shell, "" where none is asked (Windows)
	Env  []string // as programs see it that are started from it
}

// NewEnvironment returns the Environment around base (usually os.Environ()).
func NewEnvironment(base []string, o EnvironmentOptions) *Environment {
	if o.Probe == "" {
		o.Probe = ProbeAuto
	}
	if o.Timeout <= 0 {
		o.Timeout = probeLimit
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Supervisor == nil {
		o.Supervisor = NewSupervisor(SupervisorOptions{})
	}
	return &Environment{
		base:     merge(runtime.GOOS, base, nil),
		own:      o,
		terminal: hasTerminal(),
		slot:     make(chan struct{}, 1),
	}
}

// hasTerminal reports whether one of the standard streams is a terminal.
func hasTerminal() bool {
	return slices.ContainsFunc([]*os.File{os.Stdin, os.Stdout, os.Stderr}, isTerminal)
}

// Environ returns the environment for children: the application's own when it was started
// from a terminal, else what Completed returns. The slice is the caller's.
func (e *Environment) Environ(ctx context.Context) []string {
	if e.own.Probe == ProbeAlways || e.own.Probe == ProbeAuto && !e.terminal {
		return e.Completed(ctx)
	}
	return slices.Clone(e.base)
}

// Completed returns the application's environment with what it lacks: variables of the
// login shell that are not set, and entries of PATH, which are appended; nothing is
// overwritten. The first call waits for the login shell, three seconds at most, and the
// outcome is kept; when ctx ends first, only the well-known folders are added. It is also
// what to try when a command is not found in Environ. The slice is the caller's.
func (e *Environment) Completed(ctx context.Context) []string {
	select {
	case e.slot <- struct{}{}:
	case <-ctx.Done():
		return e.complete(nil)
	}
	defer func() { <-e.slot }()
	if e.completed == nil && !e.askOnce(ctx) {
		return e.complete(nil) // the next caller asks again
	}
	return slices.Clone(e.completed)
}

// askOnce asks the login shell and completes with its answer, or without one. It reports
// false, and changes nothing, when ctx ended first. The caller holds slot.
func (e *Environment) askOnce(ctx context.Context) bool {
	var shell Shell
	err := errNotAsked
	if e.own.Probe != ProbeNever {
		shell.Env, err = e.probe(ctx)
		if err != nil && ctx.Err() != nil {
			return false
		}
		if runtime.GOOS != "windows" {
			shell.Path = e.shellPath()
		}
		if err != nil {
			e.own.Logger.Warn("the login shell's environment is not known: commands only it finds may be missing", "error", err)
		}
	}
	e.shell, e.shellErr = shell, err
	e.completed = e.complete(shell.Env)
	return true
}

// errNotAsked says why a shell's environment is not known.
var errNotAsked = errors.New("the login shell is not asked")

// LoginShell returns what the login shell answered: the kept answer, or that to one more
// question when again is set, which is then in force for Completed too. The error says why
// there is none; it ends with ctx.
func (e *Environment) LoginShell(ctx context.Context, again bool) (Shell, error) {
	select {
	case e.slot <- struct{}{}:
	case <-ctx.Done():
		return Shell{}, context.Cause(ctx)
	}
	defer func() { <-e.slot }()
	if (again || e.completed == nil) && !e.askOnce(ctx) {
		return Shell{}, context.Cause(ctx)
	}
	return Shell{Path: e.shell.Path, Env: slices.Clone(e.shell.Env)}, e.shellErr
}

// Own returns the environment that the application was given. The slice is the caller's.
func (e *Environment) Own() []string { return slices.Clone(e.base) }

// ForCommand returns the environment of a child that runs command in dir with overrides
// set: on Environ, or on Completed when the command is not found in that (S01).
func (e *Environment) ForCommand(ctx context.Context, command, dir string, overrides map[string]string) []string {
	env := Merge(e.Environ(ctx), overrides)
	var missing *NotFoundError
	if _, err := LookPath(command, dir, env); errors.As(err, &missing) {
		return Merge(e.Completed(ctx), overrides)
	}
	return env
}

// complete adds to the base what shell has and the base has not.
func (e *Environment) complete(shell []string) []string {
	out := slices.Clone(e.base)
	for _, entry := range shell {
		name, _, ok := splitVariable(entry)
		if _, set := Lookup(out, name); ok && !set && !shellsOwn(name) {
			out = append(out, entry)
		}
	}
	path, _ := Lookup(e.base, "PATH")
	more, _ := Lookup(shell, "PATH")
	folders := append(filepath.SplitList(path), filepath.SplitList(more)...)
	folders = append(folders, wellKnownFolders(e.home())...)
	return Merge(out, map[string]string{"PATH": joinPath(folders)})
}

func (e *Environment) home() string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	home, _ := Lookup(e.base, name)
	return home
}

// joinPath joins folders, each where it stands first.
func joinPath(folders []string) string {
	var out []string
	for _, folder := range folders {
		if folder != "" && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return strings.Join(out, string(os.PathListSeparator))
}

// shellsOwn reports whether a variable describes the shell that was asked, not the person.
func shellsOwn(name string) bool {
	switch name {
	case "PWD", "OLDPWD", "SHLVL", "_", "TERM", "PS1", "COLUMNS", "LINES", Mark:
		return true
	}
	if _, ours := shellSettings()[name]; ours {
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_")
}

// wellKnownFolders lists the existing folders where package managers put commands without
// every shell start-up file naming them.
func wellKnownFolders(home string) []string {
	patterns := []string{"/opt/homebrew/bin", "/usr/local/bin"}
	if runtime.GOOS == "windows" {
		patterns = nil
	}
	if home != "" {
		for _, rel := range []string{
			".local/bin", ".cargo/bin", ".bun/bin", ".deno/bin", ".local/share/mise/shims",
			".asdf/shims", ".volta/bin", ".local/share/fnm/aliases/default/bin", ".fnm/aliases/default/bin",
		} {
			patterns = append(patterns, filepath.Join(home, filepath.FromSlash(rel)))
		}
		if node := newestNode(filepath.Join(home, ".nvm", "versions", "node")); node != "" {
			patterns = append(patterns, node)
		}
	}
	return slices.DeleteFunc(patterns, func(folder string) bool {
		info, err := os.Stat(folder)
		return err != nil || !info.IsDir()
	})
}

// newestNode is the bin folder of the highest version in an nvm folder, "" when it is empty.
func newestNode(versions string) string {
	entries, err := os.ReadDir(versions)
	if err != nil {
		return ""
	}
	var best []int
	var name string
	for _, entry := range entries {
		if v := version(entry.Name()); v != nil && slices.Compare(v, best) > 0 {
			best, name = v, entry.Name()
		}
	}
	if name == "" {
		return ""
	}
	return filepath.Join(versions, name, "bin")
}

// version reads v1.2.3 as numbers, nil when it is none.
func version(name string) []int {
	var numbers []int
	for _, part := range strings.Split(strings.TrimPrefix(name, "v"), ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// Lacks lists what the login shell has and the application was not given: entries of PATH,
// in the shell's order, and names of variables, sorted. Variables that describe the shell
// itself are left out.
func (e *Environment) Lacks(shell Shell) (folders, names []string) {
	own, _ := Lookup(e.base, "PATH")
	theirs, _ := Lookup(shell.Env, "PATH")
	have := filepath.SplitList(own)
	for _, folder := range filepath.SplitList(theirs) {
		if folder != "" && !slices.Contains(have, folder) && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, entry := range shell.Env {
		name, _, ok := splitVariable(entry)
		if _, set := Lookup(e.base, name); ok && !set && !shellsOwn(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return folders, slices.Compact(names)
}
