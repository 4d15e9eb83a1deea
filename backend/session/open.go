package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/builtin"
	"patchbay/backend/history"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
	"patchbay/backend/model"
	"patchbay/backend/tool"
	"patchbay/backend/watch"
)

func newSession(id, workspace string, conf *mcpconf.Workspace, w *owners) *Session {
	s := &Session{
		id: id, workspace: workspace, owners: w, conf: conf, created: time.Now(),
		wanted:  watch.NewValue(wanted{}),
		changed: watch.NewValue(struct{}{}),
		events:  watch.NewLog[agent.Event](keptEvents),

		retrying: map[uint64]bool{},
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.runtime = w.host.NewRuntime(mcphost.RuntimeOptions{Session: id, Title: s.Title, Workspace: workspace})
	if workspace != "" {
		s.builtins = builtin.New(builtin.Options{
			Supervisor: w.procs, Environment: w.env, Workspace: workspace, OutputDir: s.outputDir(),
		})
	}
	return s
}

// restore takes the session's lease, unless it is only read, and reads its messages.
func (s *Session) restore(ctx context.Context, info history.Info) error {
	if !s.readOnly {
		if err := s.owners.History.Lease(ctx, info.ID); err != nil {
			return err
		}
	}
	entries, err := s.owners.History.Entries(ctx, info.ID)
	if err != nil {
		return err
	}
	for _, e := range entries {
		s.messages, s.kept = append(s.messages, e.Message), append(s.kept, true)
	}
	s.saved, s.title = true, info.Title
	for _, e := range agent.Replay(entries) {
		s.emit(e)
	}
	return nil
}

// save keeps one finished message; the first one makes the session enter the history.
func (s *Session) save(e agent.Entry) error {
	if s.owners.History == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), listLimit)
	defer cancel()
	if !s.isSaved() {
		if err := s.owners.History.Create(ctx, history.Info{ID: s.id, Workspace: s.workspace}); err != nil {
			return err
		}
		s.mu.Lock()
		s.saved = true
		s.mu.Unlock()
	}
	if err := s.owners.History.Append(ctx, s.id, e); err != nil {
		return err
	}
	if e.Message.Role == model.User {
		s.owners.publish()
	}
	return nil
}

func (s *Session) isSaved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saved
}

// Title names the session for people.
func (s *Session) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.title == "" {
		return Untitled
	}
	return s.title
}

func (s *Session) setTitle(title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.title = title
}

// outputDir is where results that are too long for a model are kept whole.
func (s *Session) outputDir() string { return s.owners.outputDir(s.id) }

func (w *owners) outputDir(id string) string { return filepath.Join(w.dirs.Cache, "output", id) }

// deleteOutput removes the long results of a session. An id that is no plain name is
// nobody's, and must not lead elsewhere.
func (w *owners) deleteOutput(id string) error {
	if id == "" || id != strings.Map(safeInName, id) {
		return nil
	}
	if err := os.RemoveAll(w.outputDir(id)); err != nil {
		return fmt.Errorf("delete the long results of the session: %w", err)
	}
	return nil
}

// modelText is what the model reads of a result: cut when long, whole in a file.
func (s *Session) modelText(callID string, r tool.Result) string {
	return tool.ModelText(r, tool.ModelTextLimit, func(full string) (string, error) {
		name := strings.Map(safeInName, callID)
		path := filepath.Join(s.outputDir(), name+".txt")
		if err := os.MkdirAll(s.outputDir(), 0o700); err != nil {
			return "", fmt.Errorf("create the folder of long results: %w", err)
		}
		return path, os.WriteFile(path, []byte(full), 0o600)
	})
}

func safeInName(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
		return r
	}
	return '_'
}

// close ends the turn, the view on the servers and the session's own processes.
func (s *Session) close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel(errClosed)
	s.wg.Wait()
	if err := s.runtime.Close(ctx); err != nil {
		s.owners.Logger.Warn("close a session", "session", s.id, "error", err)
	}
	if s.builtins != nil {
		s.builtins.Close()
	}
}

// question completes a question with what it is about.
func (s *Session) question(q approval.Question) approval.Question {
	if q.Spec.Server == "" && s.builtins != nil {
		q.Preview = s.builtins.Preview(q.Call)
	} else {
		q.Preview = builtin.Arguments(q.Call.Arguments)
	}
	return s.owners.Approvals.About(q)
}
