package session

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/proc"
)

// doctorLimit bounds a whole examination.
const doctorLimit = 15 * time.Second

// Doctor says in what a server's start here differs from one in the person's terminal.
type Doctor struct {
	Type     mcpconf.Transport
	Problems []string // what keeps the server from starting here, a sentence each
	Notes    []string // what differs, a sentence each
	Command  string   // as the definition has it, references replaced
	Resolved string   // the file that is run, absolute; "" when there is none
	Target   string   // Resolved through symbolic links, "" when that is the same
	Folder   string   // where it runs
	EnvNames []string // that the definition sets
	Shell    string   // the login shell that was asked, "" for none
	Lacking  []Lacking
	// Variables are the names that the login shell sets and this process was not given.
	Variables []string
	Programs  []Program
	Reproduction
}

// Lacking is an entry of the login shell's PATH that this process was not given.
type Lacking struct {
	Folder string
	Added  bool // the server gets it all the same
}

// Program is a program that the command depends on, as found here and by the login shell.
type Program struct {
	Name        string
	Here, There Found
}

// Differs reports whether the server is run with another program than the terminal.
func (p Program) Differs() bool {
	return p.There != Found{} && (p.Here.Path != p.There.Path || p.Here.Version != p.There.Version)
}

// Found is where a program was found, and its version.
type Found struct {
	Path    string // "" when it was not found
	Version string // first line of --version, "" when it is not known
	Problem string // why not
}

// Doctor examines a defined server, whether it runs or not. It asks the login shell and
// some programs for their versions: answers are kept, again asks anew. It ends with ctx.
func (s *Session) Doctor(ctx context.Context, name string, again bool) (Doctor, error) {
	def, err := s.Definition(name)
	if err != nil {
		return Doctor{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	x := &examination{owners: s.owners, workspace: s.workspace, again: again, safe: s.mayRun(name)}
	x.out = Doctor{Type: def.Type, EnvNames: slices.Sorted(maps.Keys(def.Env))}
	x.reproduce(ctx, def)
	if def.Invalid != "" {
		x.problem("The definition is not valid: %s", def.Invalid)
		return x.out, nil
	}
	if def.Type == mcpconf.Stdio {
		x.stdio(ctx, def)
	} else if _, err := x.expand(ctx, def); err != nil {
		x.problem("%s", err)
	}
	return x.out, ctx.Err()
}

// mayRun reports whether programs of the workspace may be run for a server.
func (s *Session) mayRun(name string) bool {
	row := s.row(name)
	return row.Enabled && row.Trusted
}

// examination is one look at one server.
type examination struct {
	owners    *owners
	workspace string
	again     bool
	safe      bool // programs inside the workspace may be run
	out       Doctor
}

func (x *examination) problem(format string, args ...any) {
	x.out.Problems = append(x.out.Problems, asSentence(fmt.Sprintf(format, args...)))
}

func (x *examination) note(format string, args ...any) {
	x.out.Notes = append(x.out.Notes, asSentence(fmt.Sprintf(format, args...)))
}

func asSentence(text string) string {
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// expand replaces references by what the server would get; keys stay in the keyring.
func (x *examination) expand(ctx context.Context, def mcpconf.Definition) (mcpconf.Definition, error) {
	env := x.owners.env.Environ(ctx)
	return mcpconf.Expand(def, mcpconf.ExpandEnv{
		LookupEnv: func(name string) (string, bool) { return lookup(env, name) },
		Keyring:   func(name string) (string, error) { return placeholder(name), nil },
		Workspace: x.workspace, Home: x.owners.home,
	})
}

// reproduce writes the line for a terminal, where variables have the terminal's values.
func (x *examination) reproduce(ctx context.Context, def mcpconf.Definition) {
	env := x.owners.env.Environ(ctx)
	shown, err := mcpconf.Expand(def, mcpconf.ExpandEnv{
		LookupEnv: func(name string) (string, bool) {
			_, set := lookup(env, name)
			return placeholder(name), set
		},
		Keyring:   func(name string) (string, error) { return placeholder(name), nil },
		Workspace: x.workspace, Home: x.owners.home,
	})
	if err != nil { // what is missing stays as it is written, and stdio says so
		x.owners.Logger.Debug("reproduce", "server", def.Name, "error", err)
	}
	x.out.Reproduction = reproduce(runtime.GOOS, shown, shown.CWD)
}

func (x *examination) stdio(ctx context.Context, raw mcpconf.Definition) {
	def, err := x.expand(ctx, raw)
	if err != nil {
		x.problem("%s", err)
	}
	x.out.Command, x.out.Folder = mcpconn.Redact(raw, def.Command), mcpconn.Redact(raw, def.CWD)
	env := x.owners.env.ForCommand(ctx, def.Command, def.CWD, def.Env)
	if info, err := os.Stat(def.CWD); def.CWD != "" && (err != nil || !info.IsDir()) {
		x.problem("The working folder %s does not exist", x.out.Folder)
		def.CWD = ""
	}
	path, err := proc.LookPath(def.Command, def.CWD, env)
	if err != nil {
		x.problem("%s", mcpconn.Redact(raw, err.Error()))
	}
	x.resolved(path)
	shell, err := x.owners.env.LoginShell(ctx, x.again)
	x.out.Shell = shell.Path
	if err != nil && ctx.Err() == nil {
		x.note("What the login shell has is not known: %v", err)
	}
	x.compare(shell, env, def)
	x.programs(ctx, def, env, shell)
	x.differences()
}

func (x *examination) resolved(path string) {
	if path == "" {
		return
	}
	x.out.Resolved = path
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		x.out.Target = real
	}
}

// compare lists what the login shell has and this process was not given.
func (x *examination) compare(shell proc.Shell, env []string, def mcpconf.Definition) {
	folders, names := x.owners.env.Lacks(shell)
	search, _ := proc.Lookup(env, "PATH")
	has := filepath.SplitList(search)
	for _, folder := range folders {
		x.out.Lacking = append(x.out.Lacking, Lacking{Folder: folder, Added: slices.Contains(has, folder)})
	}
	x.out.Variables = names
	if _, own := proc.Lookup(slices.Collect(entries(def.Env)), "PATH"); own {
		x.note("The definition sets PATH: the server gets no other folder")
	}
}

func entries(env map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name, value := range env {
			if !yield(name + "=" + value) {
				return
			}
		}
	}
}

// programs finds what the command depends on, here and as the login shell would, and asks
// for the versions, all at once.
func (x *examination) programs(ctx context.Context, def mcpconf.Definition, env []string, shell proc.Shell) {
	names := relevant(def.Command, interpreter(x.out.Resolved))
	x.out.Programs = make([]Program, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		p := &x.out.Programs[i]
		p.Name = name
		command := name
		if base(def.Command) == name {
			command = def.Command
		}
		wait.Go(func() { p.Here = x.find(ctx, command, def.CWD, env) })
		if len(shell.Env) > 0 {
			wait.Go(func() { p.There = x.find(ctx, command, def.CWD, proc.Merge(shell.Env, def.Env)) })
		}
	}
	wait.Wait()
}

func (x *examination) find(ctx context.Context, command, dir string, env []string) Found {
	path, err := proc.LookPath(command, dir, env)
	if err != nil {
		return Found{Problem: "not found"}
	}
	if !x.mayAsk(path) {
		return Found{Path: path, Problem: "not asked: it lies in the workspace, which is not trusted with this server"}
	}
	version, err := x.owners.versions.Of(ctx, path, dir, env, x.again)
	if err != nil {
		return Found{Path: path, Problem: err.Error()}
	}
	return Found{Path: path, Version: version}
}

// mayAsk keeps an untrusted repository from running its own programs.
func (x *examination) mayAsk(path string) bool {
	if x.safe || x.workspace == "" {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	for _, each := range []string{path, real} {
		if rel, err := filepath.Rel(x.workspace, each); err == nil && filepath.IsLocal(rel) {
			return false
		}
	}
	return true
}

// differences puts what was found into sentences.
func (x *examination) differences() {
	for _, p := range x.out.Programs {
		switch {
		case !p.Differs():
		case p.Here.Path == "" && p.There.Path != "":
			x.problem("%s is not found here; the login shell finds it at %s", p.Name, p.There.Path)
		case p.There.Path == "":
			x.note("%s is found here, and not by the login shell", p.Name)
		case p.Here.Version != p.There.Version:
			x.note("%s is %s here and %s in the login shell", p.Name, orUnknown(p.Here.Version), orUnknown(p.There.Version))
		default:
			x.note("%s is the same version here and in the login shell, from different folders", p.Name)
		}
	}
	left := 0
	for _, l := range x.out.Lacking {
		if !l.Added {
			left++
		}
	}
	if n := len(x.out.Lacking); n > 0 {
		x.note("The login shell's PATH has %s that Patchbay was not started with%s", count(n, "folder"), map[bool]string{true: "; the server gets them all the same", false: ""}[left == 0])
	}
}

func orUnknown(version string) string {
	if version == "" {
		return "of an unknown version"
	}
	return version
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// askable are the programs that may be asked for their version, and what each depends on.
var askable = map[string][]string{
	"node": nil, "npm": {"node"}, "npx": {"node"}, "pnpm": {"node"}, "pnpx": {"node"}, "yarn": {"node"}, "tsx": {"node"},
	"bun": nil, "bunx": nil, "deno": nil,
	"python": nil, "python3": nil, "uv": {"python3"}, "uvx": {"uv", "python3"}, "pipx": {"python3"},
	"docker": nil, "podman": nil, "go": nil, "java": nil, "ruby": nil, "dotnet": nil,
}

// relevant lists the programs worth asking about for a command whose file is run by
// interpreter, "" for none.
func relevant(command, interpreter string) []string {
	var names []string
	for _, name := range []string{base(command), interpreter} {
		if more, known := askable[name]; known {
			names = append(append(names, name), more...)
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		had := seen[name]
		seen[name] = true
		return had
	})
}

// base is the name of a command without folders and Windows' endings.
func base(command string) string {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	for _, ending := range []string{".exe", ".cmd", ".bat"} {
		if len(name) > len(ending) && strings.EqualFold(name[len(name)-len(ending):], ending) {
			return name[:len(name)-len(ending)]
		}
	}
	return name
}

// interpreter is the program that the first line of a script names, "" for anything else.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 200)
	n, _ := f.Read(head) // what cannot be read names none
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	line, script := strings.CutPrefix(line, "#!")
	if !script {
		return ""
	}
	words := strings.Fields(line)
	if len(words) > 0 && base(words[0]) == "env" {
		words = slices.DeleteFunc(words[1:], func(word string) bool { return strings.HasPrefix(word, "-") || strings.Contains(word, "=") })
	}
	if len(words) == 0 {
		return ""
	}
	return base(words[0])
}
