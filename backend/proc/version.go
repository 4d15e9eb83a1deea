package proc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Bounds of asking a program for its version.
const (
	versionLimit = 5 * time.Second
	versionKept  = time.Minute
	versionBytes = 200
)

// Versions asks programs for their versions and keeps the answers for a minute. All methods
// may be called concurrently.
type Versions struct {
	supervisor *Supervisor

	mu   sync.Mutex
	kept map[versionKey]versionAnswer
}

// versionKey is what an answer depends on: version managers look at the folder and at PATH.
type versionKey struct{ path, dir, search string }

type versionAnswer struct {
	text string
	err  error
	at   time.Time
}

// NewVersions returns an empty Versions that starts programs with s.
func NewVersions(s *Supervisor) *Versions {
	return &Versions{supervisor: s, kept: map[versionKey]versionAnswer{}}
}

// Of returns the first line that the program at path prints when it is run with --version
// in dir and env. It is for programs that are known to take that, and takes no longer than
// five seconds or ctx. again asks anew.
func (v *Versions) Of(ctx context.Context, path, dir string, env []string, again bool) (string, error) {
	search, _ := Lookup(env, "PATH")
	key := versionKey{path, dir, search}
	v.mu.Lock()
	kept, ok := v.kept[key]
	v.mu.Unlock()
	if ok && !again && time.Since(kept.at) < versionKept {
		return kept.text, kept.err
	}
	text, err := v.ask(ctx, path, dir, env)
	if ctx.Err() == nil { // else it is the caller's impatience, not an answer
		v.mu.Lock()
		v.kept[key] = versionAnswer{text, err, time.Now()}
		v.mu.Unlock()
	}
	return text, err
}

func (v *Versions) ask(ctx context.Context, path, dir string, env []string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, versionLimit, fmt.Errorf("it did not answer within %v", versionLimit))
	defer cancel()
	p, err := v.supervisor.Start(ctx, Spec{Path: path, Args: []string{"--version"}, Dir: dir, Env: env, NoStdin: true})
	if err != nil {
		return "", err
	}
	defer p.Kill()
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	line, err := bufio.NewReader(io.LimitReader(p.Stdout(), versionBytes)).ReadString('\n')
	line = strings.TrimSpace(line)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("ask %s for its version: %w", path, context.Cause(ctx))
	case line == "" && err != nil:
		return "", fmt.Errorf("ask %s for its version: it printed none", path)
	case !utf8.ValidString(line):
		line = strings.ToValidUTF8(line, "\uFFFD")
	}
	return line, nil
}
