package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"patchbay/backend/model"
)

// lease is who may write a session: a process id, and its start time, because ids are
// used again.
type lease struct {
	pid   int
	start string
}

// heldBy is the process that holds l when it is another one and still lives, else 0.
func (s *Store) heldBy(l lease) int {
	if l.pid == 0 || l.pid == s.pid && l.start == s.start {
		return 0
	}
	if now, err := startTime(l.pid); err != nil || now != l.start {
		return 0
	}
	return l.pid
}

// Lease takes a session for this process until Release or Close. It returns a
// *LeasedError while another living process has it; the lease of a dead one is free.
func (s *Store) Lease(ctx context.Context, id string) error {
	return s.write(ctx, "lease session "+id+" of", id, func(*sql.Tx) error { return nil })
}

// Release lets other processes take a session.
func (s *Store) Release(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE sessions SET lease_pid = 0, lease_start = '' WHERE id = ? AND lease_pid = ? AND lease_start = ?`, id, s.pid, s.start)
	return s.wrap("release session "+id+" of", err)
}

// Append adds messages to the end of a session, all or none. They are on disk when it
// returns. The first user message gives a session without a title its title.
func (s *Store) Append(ctx context.Context, id string, entries ...Entry) error {
	return s.write(ctx, "save to session "+id+" of", id, func(tx *sql.Tx) error {
		for _, e := range entries {
			if err := appendEntry(ctx, tx, id, e); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `UPDATE sessions SET updated_ms = ? WHERE id = ?`, time.Now().UnixMilli(), id)
		return err
	})
}

func appendEntry(ctx context.Context, tx *sql.Tx, id string, e Entry) error {
	message, err := json.Marshal(e.Message)
	if err != nil {
		return err
	}
	title, role, text := "", e.Message.Role, e.Message.Text
	if role == model.User {
		title = Title(text)
	}
	e.Message = model.Message{}
	meta, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var n int
	err = tx.QueryRowContext(ctx, `INSERT INTO entries (session, n, message, meta)
		VALUES (?, (SELECT coalesce(max(n), 0) + 1 FROM entries WHERE session = ?), ?, ?) RETURNING n`, id, id, message, meta).Scan(&n)
	if err != nil {
		return err
	}
	if err := indexText(ctx, tx, id, n, role, text); err != nil || title == "" {
		return err
	}
	return setTitle(ctx, tx, id, title, `title = ''`)
}

// setTitle changes the title of a session when that is so as the condition says.
func setTitle(ctx context.Context, tx *sql.Tx, id, title, when string, args ...any) error {
	done, err := tx.ExecContext(ctx, `UPDATE sessions SET title = ? WHERE id = ? AND `+when, append([]any{title, id}, args...)...)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return indexTitle(ctx, tx, id, title)
}

// Rename gives a session a title; a blank one is refused.
func (s *Store) Rename(ctx context.Context, id, title string) error {
	title = strings.TrimSpace(title)
	if title == "" {
		return errors.New("the title is empty")
	}
	return s.write(ctx, "rename session "+id+" of", id, func(tx *sql.Tx) error {
		return setTitle(ctx, tx, id, title, `true`)
	})
}

// Delete removes a session and its messages.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.write(ctx, "delete session "+id+" of", id, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE id = ?`, id)
		return err
	})
}

// write runs change in a transaction that holds the lease of the session.
func (s *Store) write(ctx context.Context, attempt, id string, change func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.wrap(attempt, err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := s.take(ctx, tx, id); err != nil {
		var leased *LeasedError
		if errors.Is(err, ErrUnknown) || errors.As(err, &leased) {
			return err
		}
		return s.wrap(attempt, err)
	}
	if err := change(tx); err != nil {
		return s.wrap(attempt, err)
	}
	return s.wrap(attempt, tx.Commit())
}

func (s *Store) take(ctx context.Context, tx *sql.Tx, id string) error {
	var l lease
	err := tx.QueryRowContext(ctx, `SELECT lease_pid, lease_start FROM sessions WHERE id = ?`, id).Scan(&l.pid, &l.start)
	if errors.Is(err, sql.ErrNoRows) {
		return unknown(id)
	}
	if err != nil {
		return err
	}
	if pid := s.heldBy(l); pid != 0 {
		return &LeasedError{Session: id, PID: pid}
	}
	_, err = tx.ExecContext(ctx, `UPDATE sessions SET lease_pid = ?, lease_start = ? WHERE id = ?`, s.pid, s.start, id)
	return err
}

const maxTitle = 60 // characters

// Title is the first line of a message that says something, at most 60 characters.
func Title(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		if r := []rune(line); len(r) > maxTitle {
			return strings.TrimSpace(string(r[:maxTitle-1])) + "…"
		}
		return line
	}
	return ""
}
