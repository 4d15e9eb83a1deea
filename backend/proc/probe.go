package proc

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
)

// probeBytes is the most that is read of a login shell's output.
const probeBytes = 1 << 20

// shellSettings keep start-up files from asking questions or starting programs; a person's
// own files can look for the first.
func shellSettings() map[string]string {
	return map[string]string{
		"PATCHBAY_RESOLVING_ENVIRONMENT": "1",
		"DISABLE_AUTO_UPDATE":            "true",
		"ZSH_TMUX_AUTOSTART":             "false",
	}
}

// probe asks the login shell for its environment. The shell runs in a session of its own,
// away from any terminal, and is ended with all it started when it has answered, when the
// time is over or when ctx ends.
func (e *Environment) probe(ctx context.Context) ([]string, error) {
	if runtime.GOOS == "windows" {
		return nil, nil // programs get the person's environment whoever starts them
	}
	limit := fmt.Errorf("it did not answer within %v", e.own.Timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, e.own.Timeout, limit)
	defer cancel()
	shell := e.shellPath()
	text := rand.Text()
	mark := "patchbay-" + text
	// Not every env knows -0. Every shell with -c understands the rest. The mark is written in
	// two parts: shells hand on the last argument of a command in the variable _.
	script := fmt.Sprintf("printf %%s%%s patchbay- %[1]s; echo; command env -0 || command env; printf %%s%%s patchbay- %[1]s", text)
	dir := e.home()
	if dir == "" || checkDir(dir) != nil {
		dir = "/"
	}
	p, err := e.own.Supervisor.Start(ctx, Spec{
		Path: shell, Args: []string{"-l", "-i", "-c", script}, Dir: dir,
		Env: Merge(e.base, shellSettings()), NoStdin: true, session: true, unmarked: true,
	})
	if err != nil {
		return nil, fmt.Errorf("ask login shell: %w", err)
	}
	defer p.Kill()
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	env, err := readAnswer(p.Stdout(), mark)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("ask login shell %s: %w", shell, err)
	}
	return env, nil
}

// shellPath is the person's login shell, or one that is there.
func (e *Environment) shellPath() string {
	if shell, _ := Lookup(e.base, "SHELL"); strings.HasPrefix(shell, "/") {
		if _, err := LookPath(shell, "/", e.base); err == nil {
			return shell
		}
	}
	usual := "/bin/bash"
	if runtime.GOOS == "darwin" {
		usual = "/bin/zsh"
	}
	if _, err := LookPath(usual, "/", e.base); err == nil {
		return usual
	}
	return "/bin/sh"
}

// readAnswer reads up to the second mark, so that a program that start-up files left behind
// with the pipe in its hands does not matter, and returns what stands between the two.
func readAnswer(r io.Reader, mark string) ([]string, error) {
	var got []byte
	buf := make([]byte, 32<<10)
	for len(got) < probeBytes {
		n, err := r.Read(buf)
		got = append(got, buf[:n]...)
		if parts := bytes.SplitN(got, []byte(mark), 3); len(parts) == 3 {
			return splitEnv(bytes.TrimPrefix(parts[1], []byte("\n"))), nil
		}
		if err != nil {
			return nil, errors.New("it ended without an answer")
		}
	}
	return nil, fmt.Errorf("it wrote more than %d bytes", probeBytes)
}

// splitEnv takes NUL or, where env could not write those, line ends for separators.
func splitEnv(block []byte) []string {
	sep := "\x00"
	if !bytes.Contains(block, []byte(sep)) {
		sep = "\n"
	}
	var env []string
	for _, entry := range strings.Split(string(block), sep) {
		if name, _, ok := splitVariable(entry); ok && isName(name) {
			env = append(env, entry)
		}
	}
	return env
}

// isName reports whether name is one that programs, not only shells, give to variables.
func isName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
