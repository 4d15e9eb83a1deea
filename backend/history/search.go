package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"patchbay/backend/model"
)

// Hit is a place that a search found.
type Hit struct {
	Info           // of the session
	Role    string // of the message: user, assistant, tool; "title" for the session's title
	AtMs    int64  // of the message, of the last use for a title
	Excerpt        // plain text around the first match
}

// titleRole is the role of a text that is a title.
const titleRole = "title"

const (
	maxSearched     = 200 << 10 // bytes of a message that are searched
	maxToolSearched = 16 << 10  // of a result: the rest of a long one is rarely what was meant
	hitsPerSession  = 3
	defaultHits     = 50
	lookedAt        = 20 // times the limit: one long session may have the best of them
)

// indexText makes the text of a message searchable.
func indexText(ctx context.Context, tx *sql.Tx, id string, n int, role model.Role, text string) error {
	if role == model.System {
		return nil
	}
	return index(ctx, tx, id, n, string(role), searched(role, text))
}

// searched is the part of a text that is searched.
func searched(role model.Role, text string) string {
	limit := maxSearched
	if role == model.Tool {
		limit = maxToolSearched
	}
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}

// indexTitle makes a title searchable instead of the one before.
func indexTitle(ctx context.Context, tx *sql.Tx, id, title string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM texts WHERE session = ? AND n = 0`, id); err != nil {
		return err
	}
	return index(ctx, tx, id, 0, titleRole, title)
}

func index(ctx context.Context, tx *sql.Tx, id string, n int, role, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var row int64
	if err := tx.QueryRowContext(ctx, `INSERT INTO texts (session, n, role) VALUES (?, ?, ?) RETURNING id`, id, n, role).Scan(&row); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO words (rowid, body) VALUES (?, ?)`, row, segmented(text))
	return err
}

// indexAll makes everything searchable that was saved before there was an index. A message
// that cannot be read is not searched.
func indexAll(ctx context.Context, tx *sql.Tx) error {
	titles, err := columns(ctx, tx, `SELECT id, title FROM sessions`)
	if err != nil {
		return err
	}
	for _, t := range titles {
		if err := indexTitle(ctx, tx, t[0], t[1]); err != nil {
			return err
		}
	}
	for last := int64(0); ; {
		next, err := indexSome(ctx, tx, last)
		if err != nil || next == last {
			return err
		}
		last = next
	}
}

func columns(ctx context.Context, tx *sql.Tx, query string) (list [][2]string, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c [2]string
		if err := rows.Scan(&c[0], &c[1]); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// indexSome indexes the next messages after the row last, and returns the last one of them.
func indexSome(ctx context.Context, tx *sql.Tx, last int64) (int64, error) {
	rows, err := tx.QueryContext(ctx, `SELECT rowid, session, n, message FROM entries WHERE rowid > ? ORDER BY rowid LIMIT 100`, last)
	if err != nil {
		return last, err
	}
	type entry struct {
		session string
		n       int
		message model.Message
	}
	var some []entry
	for rows.Next() {
		var e entry
		var text []byte
		if err := rows.Scan(&last, &e.session, &e.n, &text); err != nil {
			_ = rows.Close() // the first error says more
			return last, err
		}
		if json.Unmarshal(text, &e.message) == nil {
			some = append(some, e)
		}
	}
	if err := rows.Close(); err != nil {
		return last, err
	}
	for _, e := range some {
		if err := indexText(ctx, tx, e.session, e.n, e.message.Role, e.message.Text); err != nil {
			return last, err
		}
	}
	return last, rows.Err()
}

// Search finds the titles and messages that have every word of a query, the best first and
// at most three of a session. Words in double quotes stand together; the last word may be a
// beginning; punctuation counts as a blank. In Chinese, Japanese and Korean, what is
// written together is found anywhere. A limit of 0 is 50.
func (s *Store) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	terms := parseQuery(query)
	if len(terms) == 0 {
		return []Hit{}, nil
	}
	if limit <= 0 {
		limit = defaultHits
	}
	hits, err := s.search(ctx, terms, limit)
	return hits, s.wrap("search", err)
}

func (s *Store) search(ctx context.Context, terms []term, limit int) ([]Hit, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT texts.role, texts.session, s.title, s.workspace, s.created_ms, s.updated_ms, s.lease_pid, s.lease_start, e.message, e.meta
		FROM (SELECT rowid AS id, rank AS score FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?) AS found
		JOIN texts ON texts.id = found.id JOIN sessions AS s ON s.id = texts.session
		LEFT JOIN entries AS e ON e.session = texts.session AND e.n = texts.n
		ORDER BY CASE texts.role WHEN 'title' THEN 2 * score ELSE score END, s.updated_ms DESC, texts.id`, matchText(terms), limit*lookedAt)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	hits := []Hit{}
	of := map[string]int{}
	for rows.Next() && len(hits) < limit {
		var h Hit
		var l lease
		var message, meta []byte
		if err := rows.Scan(&h.Role, &h.ID, &h.Title, &h.Workspace, &h.CreatedMs, &h.UpdatedMs, &l.pid, &l.start, &message, &meta); err != nil {
			return nil, err
		}
		if of[h.ID]++; of[h.ID] > hitsPerSession {
			continue
		}
		h.HeldBy = s.heldBy(l)
		text, err := h.read(message, meta)
		if err != nil {
			return nil, err
		}
		h.Excerpt = excerpt(text, terms)
		hits = append(hits, h)
	}
	return hits, rows.Err()
}

// read sets when the hit's text was written, and returns that.
func (h *Hit) read(message, meta []byte) (string, error) {
	if h.Role == titleRole {
		h.AtMs = h.UpdatedMs
		return h.Title, nil
	}
	var e Entry
	if err := json.Unmarshal(meta, &e); err != nil {
		return "", err
	}
	if err := json.Unmarshal(message, &e.Message); err != nil {
		return "", err
	}
	h.AtMs = e.AtMs
	return searched(e.Message.Role, e.Message.Text), nil
}
