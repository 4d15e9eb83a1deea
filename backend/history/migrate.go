package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// migration is one step: statements, and what no statement can do.
type migration struct {
	sql  string
	then func(context.Context, *sql.Tx) error // nil for nothing
}

// migrations bring an older file up to date, in order. A released one is never changed.
var migrations = []migration{
	{sql: `CREATE TABLE sessions (
		id TEXT PRIMARY KEY,
		title TEXT NOT NULL,
		workspace TEXT NOT NULL,
		created_ms INTEGER NOT NULL,
		updated_ms INTEGER NOT NULL,
		lease_pid INTEGER NOT NULL DEFAULT 0,
		lease_start TEXT NOT NULL DEFAULT ''
	);
	CREATE TABLE entries (
		session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
		n INTEGER NOT NULL,
		message TEXT NOT NULL,
		meta TEXT NOT NULL,
		PRIMARY KEY (session, n)
	)`},
	{sql: `CREATE TABLE aside (
		session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
		rewind INTEGER NOT NULL,
		n INTEGER NOT NULL,
		message TEXT NOT NULL,
		meta TEXT NOT NULL,
		aside_ms INTEGER NOT NULL,
		PRIMARY KEY (session, rewind, n)
	)`},
	// What can be searched: the text of message n, 0 for the title. The words are in the
	// index alone, under the id; they go with the message.
	{sql: `CREATE TABLE texts (
		id INTEGER PRIMARY KEY,
		session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
		n INTEGER NOT NULL,
		role TEXT NOT NULL,
		UNIQUE (session, n)
	);
	CREATE VIRTUAL TABLE words USING fts5 (body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
	CREATE TRIGGER texts_gone AFTER DELETE ON texts BEGIN DELETE FROM words WHERE rowid = old.id; END;
	CREATE TRIGGER entries_gone AFTER DELETE ON entries BEGIN DELETE FROM texts WHERE session = old.session AND n = old.n; END`, then: indexAll},
}

const (
	checkBelow = 32 << 20 // bytes: a larger file takes too long to check at each start
	openTries  = 20
)

// prepare brings the file up to date and looks for damage. Switching a new file to WAL
// ignores the busy timeout, so two processes that make it at once try again.
func (s *Store) prepare(ctx context.Context) error {
	var err error
	for range openTries {
		if err = s.migrate(ctx); err == nil || !strings.Contains(err.Error(), "SQLITE_BUSY") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		return s.wrap("open", err)
	}
	return s.wrap("open", s.check(ctx))
}

func (s *Store) migrate(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_ms INTEGER NOT NULL)`); err != nil {
		return err
	}
	var have int
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM migrations`).Scan(&have); err != nil {
		return err
	}
	if have > len(migrations) {
		return fmt.Errorf("a newer Patchbay wrote it (version %d, this one knows %d): update Patchbay", have, len(migrations))
	}
	for i := have; i < len(migrations); i++ {
		if err := apply(ctx, tx, i+1); err != nil {
			return fmt.Errorf("bring it to version %d: %w", i+1, err)
		}
	}
	return tx.Commit()
}

func apply(ctx context.Context, tx *sql.Tx, version int) error {
	m := migrations[version-1]
	if _, err := tx.ExecContext(ctx, m.sql); err != nil {
		return err
	}
	if m.then != nil {
		if err := m.then(ctx, tx); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO migrations (version, applied_ms) VALUES (?, ?)`, version, time.Now().UnixMilli())
	return err
}

// check looks for damaged pages.
func (s *Store) check(ctx context.Context) error {
	info, err := os.Stat(s.path)
	if err != nil || info.Size() > checkBelow {
		return err
	}
	var verdict string
	if err := s.db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return errors.New("the database is malformed: " + verdict)
	}
	return nil
}
