// Package history keeps conversations in one SQLite database that several Patchbay
// processes share. A message is on disk when Append returns; a session is written by one
// process at a time.
package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite", without cgo

	"patchbay/backend/model"
)

// Entry is a finished message with what is known beside it.
type Entry = model.Entry

// Info is what is known of a session without its messages. Times are milliseconds since 1970.
type Info struct {
	ID        string
	Title     string // from the first user message until it is renamed
	Workspace string // canonical, "" for a plain chat
	CreatedMs int64
	UpdatedMs int64
	HeldBy    int // process id of another living process that has the lease, 0 when there is none
}

// ErrUnknown refuses a session id that is not in the database.
var ErrUnknown = errors.New("unknown session")

// LeasedError refuses to write a session that another process has open.
type LeasedError struct {
	Session string
	PID     int
}

// Error names the session, the process, and the ways out.
func (e *LeasedError) Error() string {
	return fmt.Sprintf("session %s is open in another Patchbay (process %d). Close it there first.", e.Session, e.PID)
}

// Store is the open database. Its methods may be called from any goroutine.
type Store struct {
	path  string
	db    *sql.DB
	pid   int
	start string // of this process
}

// Open opens the database at path, or makes it and its folder. A file that is damaged, or
// that a newer Patchbay wrote, is an error that names it; the file is left as it is.
func Open(path string) (*Store, error) {
	start, err := startTime(os.Getpid())
	if err != nil {
		return nil, fmt.Errorf("read the start time of this process: %w", err)
	}
	if err := touch(path); err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, fmt.Errorf("open the history %s: %w", path, err)
	}
	s := &Store{path: path, db: db, pid: os.Getpid(), start: start}
	if err := s.prepare(context.Background()); err != nil {
		_ = db.Close() // the first error says more
		return nil, err
	}
	return s, nil
}

// touch makes the folder and the file for this user only.
func touch(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn waits for other writers, and syncs each commit, so that a crash loses no message.
func dsn(path string) string {
	slashed := filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		slashed = "/" + slashed
	}
	q := url.Values{"_pragma": {"busy_timeout(15000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"}, "_txlock": {"immediate"}}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: q.Encode()}).String()
}

// Close gives up the leases of this process and closes the database.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := s.db.ExecContext(ctx, `UPDATE sessions SET lease_pid = 0, lease_start = '' WHERE lease_pid = ? AND lease_start = ?`, s.pid, s.start)
	return errors.Join(s.wrap("give up the leases in", err), s.db.Close())
}

// Path is the file of the database.
func (s *Store) Path() string { return s.path }

// wrap says what was attempted with which file, and what to do about damage.
func (s *Store) wrap(attempt string, err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, sign := range []string{"not a database", "malformed", "SQLITE_CORRUPT", "SQLITE_NOTADB"} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("%s the history %s: %w. The file is damaged and was left as it is: move it away to start with an empty history", attempt, s.path, err)
		}
	}
	return fmt.Errorf("%s the history %s: %w", attempt, s.path, err)
}

// Create adds a session and leases it to this process. A zero time is now.
func (s *Store) Create(ctx context.Context, info Info) error {
	now := time.Now().UnixMilli()
	if info.CreatedMs == 0 {
		info.CreatedMs = now
	}
	if info.UpdatedMs == 0 {
		info.UpdatedMs = info.CreatedMs
	}
	return s.wrap("add session "+info.ID+" to", s.create(ctx, info))
}

func (s *Store) create(ctx context.Context, info Info) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	_, err = tx.ExecContext(ctx, `INSERT INTO sessions (id, title, workspace, created_ms, updated_ms, lease_pid, lease_start) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		info.ID, info.Title, info.Workspace, info.CreatedMs, info.UpdatedMs, s.pid, s.start)
	if err != nil {
		return err
	}
	if err := indexTitle(ctx, tx, info.ID, info.Title); err != nil {
		return err
	}
	return tx.Commit()
}

// List returns every session, the one used last first.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	infos, err := s.infos(ctx, `ORDER BY updated_ms DESC, id`)
	return infos, s.wrap("list the sessions of", err)
}

// Get returns one session, or ErrUnknown.
func (s *Store) Get(ctx context.Context, id string) (Info, error) {
	infos, err := s.infos(ctx, `WHERE id = ?`, id)
	if err != nil {
		return Info{}, s.wrap("read session "+id+" of", err)
	}
	if len(infos) == 0 {
		return Info{}, unknown(id)
	}
	return infos[0], nil
}

func unknown(id string) error { return fmt.Errorf("%w: %s", ErrUnknown, id) }

func (s *Store) infos(ctx context.Context, which string, args ...any) ([]Info, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, title, workspace, created_ms, updated_ms, lease_pid, lease_start FROM sessions `+which, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	infos := []Info{}
	for rows.Next() {
		var i Info
		var l lease
		if err := rows.Scan(&i.ID, &i.Title, &i.Workspace, &i.CreatedMs, &i.UpdatedMs, &l.pid, &l.start); err != nil {
			return nil, err
		}
		i.HeldBy = s.heldBy(l)
		infos = append(infos, i)
	}
	return infos, rows.Err()
}

// Entries returns the messages of a session in order, or ErrUnknown.
func (s *Store) Entries(ctx context.Context, id string) ([]Entry, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return nil, err
	}
	entries, err := s.entries(ctx, id)
	return entries, s.wrap("read session "+id+" of", err)
}

func (s *Store) entries(ctx context.Context, id string) ([]Entry, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT n, message, meta FROM entries WHERE session = ? ORDER BY n`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	entries := []Entry{}
	for rows.Next() {
		var n int
		var message, meta []byte
		if err := rows.Scan(&n, &message, &meta); err != nil {
			return nil, err
		}
		var e Entry
		if err := errors.Join(json.Unmarshal(meta, &e), json.Unmarshal(message, &e.Message)); err != nil {
			return nil, fmt.Errorf("message %d: %w", n, err)
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}
