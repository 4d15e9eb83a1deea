package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"patchbay/backend/model"
)

// Rewind keeps the first messages of a session and sets the rest aside: they are no longer
// part of the conversation, but stay in the database until the session is deleted. Keeping
// as many as there are, or more, changes nothing.
func (s *Store) Rewind(ctx context.Context, id string, keep int) error {
	attempt := "rewind session " + id + " of"
	if keep < 0 {
		return s.wrap(attempt, fmt.Errorf("%d messages cannot be kept", keep))
	}
	return s.write(ctx, attempt, id, func(tx *sql.Tx) error {
		// Every message after last goes; 0 is before the first.
		var last, rest int
		err := tx.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM (SELECT n FROM entries WHERE session = ? ORDER BY n LIMIT ?)`, id, keep).Scan(&last)
		if err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM entries WHERE session = ? AND n > ?`, id, last).Scan(&rest); err != nil || rest == 0 {
			return err
		}
		if err := forgetTitle(ctx, tx, id, last); err != nil {
			return err
		}
		return setAside(ctx, tx, id, last)
	})
}

func setAside(ctx context.Context, tx *sql.Tx, id string, last int) error {
	now := time.Now().UnixMilli()
	_, err := tx.ExecContext(ctx, `INSERT INTO aside (session, rewind, n, message, meta, aside_ms)
		SELECT session, (SELECT coalesce(max(rewind), 0) + 1 FROM aside WHERE session = ?1), n, message, meta, ?3 FROM entries WHERE session = ?1 AND n > ?2`,
		id, last, now)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM entries WHERE session = ? AND n > ?`, id, last); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE sessions SET updated_ms = ? WHERE id = ?`, now, id)
	return err
}

// forgetTitle takes back a title that came from a message that goes, so that the message in
// its place gives the next one. A title that a person chose stays.
func forgetTitle(ctx context.Context, tx *sql.Tx, id string, last int) error {
	rows, err := tx.QueryContext(ctx, `SELECT n, message FROM entries WHERE session = ? ORDER BY n`, id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var text []byte
		var message model.Message
		if err := rows.Scan(&n, &text); err != nil {
			return err
		}
		if err := json.Unmarshal(text, &message); err != nil {
			return fmt.Errorf("message %d: %w", n, err)
		}
		title := Title(message.Text)
		if message.Role != model.User || title == "" {
			continue
		}
		if n <= last {
			return nil
		}
		_ = rows.Close() // one statement at a time on the connection; nothing more is read
		return setTitle(ctx, tx, id, "", `title = ?`, title)
	}
	return rows.Err()
}
