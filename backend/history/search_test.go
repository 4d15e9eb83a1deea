package history

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"patchbay/backend/model"
)

func result(text string) Entry {
	return Entry{AtMs: 7, Message: model.Message{Role: model.Tool, Text: text}}
}

// found lists hits as "session role [match]".
func found(t *testing.T, s *Store, query string) string {
	t.Helper()
	hits, err := s.Search(background(), query, 0)
	must(t, err)
	var list []string
	for _, h := range hits {
		list = append(list, fmt.Sprintf("%s %s [%s]", h.ID, h.Role, h.Match))
	}
	return strings.Join(list, ", ")
}

func TestSearchFindsWords(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.db"))
	must(t, s.Create(background(), Info{ID: "a", Title: "Deploy notes"}))
	must(t, s.Append(background(), "a", user("How do I deploy the café-server to Zürich?"), answer("Run `make deploy` with TOKEN=$X, then check foo.bar_baz"), result("exit status 7: disk full")))
	must(t, s.Create(background(), Info{ID: "b"}))
	must(t, s.Append(background(), "b", user("我想搜索数据库里的中文内容"), answer("データベースを検索します。한국어 문장도 검색합니다. OK123"), Entry{Message: model.Message{Role: model.System, Text: "hidden"}}))
	for _, tt := range []struct{ query, want string }{
		{"zurich", "a user [Zürich]"},
		{"ZÜRICH", "a user [Zürich]"},
		{"CAFE server", "a user [café]"},
		{"café-server", "a user [café-server]"},
		{"server café", "a user [café]"},
		{"disk fu", "a tool [disk]"},
		{"dis full", ""}, // only the last word may be a beginning
		{`"disk full"`, "a tool [disk full]"},
		{`"full disk"`, ""},
		{`"disk fu"`, ""},
		{`“disk full" 7`, "a tool [7]"},
		{`"exit status`, "a tool [exit status]"},
		{"notes", "a title [notes]"},
		{"deploy not", "a title [Deploy]"},
		{"bar_b", "a assistant [bar_b]"},
		{"token x", "a assistant [TOKEN]"},
		{"搜索", "b user [搜索], b title [搜索]"},
		{"中文 数据库", "b user [数据库], b title [数据库]"},
		{"文", "b user [文], b title [文]"},
		{"索搜", ""},
		{"検索", "b assistant [検索]"},
		{"검색", "b assistant [검색]"},
		{"한국어 ok", "b assistant [한국어]"},
		{"ok1", "b assistant [OK1]"},
		{"hidden", ""},
		{"nothing like it", ""},
		{"", ""},
		{" \t", ""},
		{"?!", ""},
	} {
		got := found(t, s, tt.query)
		if tt.want == "" && got != "" || strings.Join(sorted(got), ", ") != strings.Join(sorted(tt.want), ", ") {
			t.Errorf("%q finds %q, want %q", tt.query, got, tt.want)
		}
	}
}

// sorted takes the order out of a list: that of equal hits is not fixed.
func sorted(list string) []string {
	parts := strings.Split(list, ", ")
	slices.Sort(parts)
	return parts
}

func TestAnyQueryIsAnswered(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.db"))
	must(t, s.Create(background(), Info{ID: "a"}))
	must(t, s.Append(background(), "a", user("plain words")))
	for _, query := range []string{
		`"`, `""`, `"""`, `a"b"c"`, `*`, `^plain`, `plain*`, `plain AND`, `NOT plain`, `plain OR`, `NEAR(plain words)`, `body:plain`, `{body}: x`, `(plain`, `-plain`, `+plain +words`,
		"plain\x00words", "\xff\xfe", "'; DROP TABLE entries; --", `\`, "%", "_", "a\nb", "🎉", "🎉 plain", "\u0301", "ａ１", strings.Repeat("plain ", 500), strings.Repeat("(", 10000), "\ue000",
	} {
		if _, err := s.Search(background(), query, 5); err != nil {
			t.Errorf("%.40q: %v", query, err)
		}
	}
	for _, query := range []string{"^plain", "plain*", "(plain", "+plain +words", "plain\x00words", "🎉 plain", "plain, words!"} {
		if got := found(t, s, query); !strings.Contains(got, "a user") {
			t.Errorf("%q finds %q", query, got)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, seed := range []string{`a "b`, "搜 x*", "NOT (", "é", "\u0e01\u0e34"} {
		f.Add(seed, "some text "+seed)
	}
	s, err := Open(filepath.Join(f.TempDir(), "h.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	f.Fuzz(func(t *testing.T, query, text string) {
		if _, err := s.Search(background(), query, 5); err != nil {
			t.Fatal(err)
		}
		e := excerpt(strings.ToValidUTF8(text, "?"), parseQuery(query))
		if n := utf8.RuneCountInString(e.Before + e.Match + e.After); n > excerptBefore+excerptMatch+excerptAfter+2 {
			t.Errorf("an excerpt of %d characters", n)
		}
	})
}

func TestExcerptsAreShortPlainText(t *testing.T) {
	long := strings.Repeat("before ", 20) + "the\n\n\tneedle\x1b[0m  is" + strings.Repeat(" after", 20)
	e := excerpt(long, parseQuery("needl"))
	if e.Before != "…efore "+strings.Repeat("before ", 4)+"the " || e.Match != "needl" || !strings.HasPrefix(e.After, "e [0m is after") || !strings.HasSuffix(e.After, "…") {
		t.Errorf("%+v", e)
	}
	if e := excerpt("a needle", parseQuery("needle")); e != (Excerpt{"a ", "needle", ""}) {
		t.Errorf("a short text: %+v", e)
	}
	if e := excerpt("nothing", parseQuery("needle")); e != (Excerpt{"", "", "nothing"}) {
		t.Errorf("no match: %+v", e)
	}
	if e := excerpt("ne\u0301edle x", parseQuery("néedle")); e.Match != "ne\u0301edle" {
		t.Errorf("an accent of its own: %+v", e)
	}
	if e := excerpt("xx 数据库 yy", parseQuery("据库")); e != (Excerpt{"xx 数", "据库", " yy"}) {
		t.Errorf("Chinese: %+v", e)
	}
}

func TestSearchKeepsUpWithChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	s := open(t, path)
	other := open(t, path) // as another process reads it
	must(t, s.Create(background(), Info{ID: "a"}))
	must(t, s.Append(background(), "a", user("first apple"), answer("second pear"), user("third plum")))
	if got := found(t, other, "plum"); got != "a user [plum]" {
		t.Errorf("another store finds %q", got)
	}
	must(t, s.Rename(background(), "a", "orchard"))
	if got := found(t, s, "first"); got != "a user [first]" {
		t.Errorf("the old title: %q", got)
	}
	if got := found(t, other, "orch"); got != "a title [orch]" {
		t.Errorf("the new title: %q", got)
	}
	must(t, s.Rewind(background(), "a", 1))
	must(t, s.Append(background(), "a", answer("another cherry")))
	if got := found(t, s, "pear") + found(t, s, "plum"); got != "" {
		t.Errorf("what was set aside: %q", got)
	}
	if got := found(t, s, "cherry"); got != "a assistant [cherry]" {
		t.Errorf("in the place of it: %q", got)
	}
	must(t, s.Delete(background(), "a"))
	if got := found(t, s, "apple") + found(t, s, "orchard"); got != "" {
		t.Errorf("of a deleted session: %q", got)
	}
	for _, table := range []string{"texts", "words", "words_docsize"} {
		var n int
		must(t, s.db.QueryRow(`SELECT count(*) FROM `+table).Scan(&n))
		if n != 0 {
			t.Errorf("%s keeps %d rows of a deleted session", table, n)
		}
	}
	if _, err := s.db.Exec(`INSERT INTO words (words, rank) VALUES ('integrity-check', 0)`); err != nil {
		t.Errorf("the index is damaged: %v", err)
	}
}

func TestSearchGivesTheBestAndAFewOfEachSession(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.db"))
	for i := range 4 {
		id := fmt.Sprint("s", i)
		must(t, s.Create(background(), Info{ID: id, Title: "x", Workspace: "/w", UpdatedMs: int64(i + 1)}))
		for range 5 {
			must(t, s.Append(background(), id, answer("a kiwi among many other fruits that nobody asked for")))
		}
	}
	must(t, s.Create(background(), Info{ID: "best", Title: "kiwi"}))
	hits, err := s.Search(background(), "kiwi", 0)
	must(t, err)
	of := map[string]int{}
	for _, h := range hits {
		of[h.ID]++
	}
	if len(hits) != 13 || of["s0"] != 3 || hits[0].ID != "best" || hits[0].Role != "title" || hits[0].AtMs != hits[0].UpdatedMs || hits[1].Workspace != "/w" {
		t.Errorf("%d hits, %v, the first %+v", len(hits), of, hits[0])
	}
	if hits, err = s.Search(background(), "kiwi", 2); err != nil || len(hits) != 2 {
		t.Errorf("with a limit of 2: %d, %v", len(hits), err)
	}
	must(t, s.Append(background(), "s1", result("the durian of a tool"), result(strings.Repeat("filler ", maxToolSearched/7)+"beyond")))
	if hits, err = s.Search(background(), "durian", 5); err != nil || len(hits) != 1 || hits[0].AtMs != 7 || hits[0].Role != "tool" {
		t.Errorf("a tool's result: %+v, %v", hits, err)
	}
	if got := found(t, s, "beyond"); got != "" {
		t.Errorf("the rest of a long result: %q", got)
	}
}

// oldFile makes a database as the first version of it was.
func oldFile(t *testing.T, path string, sessions, messages int) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path))
	must(t, err)
	tx, err := db.Begin()
	must(t, err)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := tx.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied_ms INTEGER NOT NULL)`)
	exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT NOT NULL, workspace TEXT NOT NULL, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, lease_pid INTEGER NOT NULL DEFAULT 0, lease_start TEXT NOT NULL DEFAULT '')`)
	exec(`CREATE TABLE entries (session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, n INTEGER NOT NULL, message TEXT NOT NULL, meta TEXT NOT NULL, PRIMARY KEY (session, n))`)
	exec(`INSERT INTO migrations VALUES (1, 0)`)
	for i := range sessions {
		id := fmt.Sprint("old", i)
		exec(`INSERT INTO sessions (id, title, workspace, created_ms, updated_ms) VALUES (?, ?, '', 1, ?)`, id, "title 旧的", i)
		for n := range messages {
			message, err := json.Marshal(model.Message{Role: model.User, Text: fmt.Sprintf("needle%d-%d in 旧数据", i, n)})
			must(t, err)
			exec(`INSERT INTO entries VALUES (?, ?, ?, '{"runId":"r","atMs":5}')`, id, n+1, message)
		}
	}
	exec(`INSERT INTO sessions (id, title, workspace, created_ms, updated_ms) VALUES ('bad', '', '', 1, 1)`)
	exec(`INSERT INTO entries VALUES ('bad', 1, '{"role": "user", "text": 3', '{}')`)
	must(t, tx.Commit())
	must(t, db.Close())
}

func TestAnOlderFileIsSearchedToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	oldFile(t, path, 3, 90) // more messages than are read at once
	errs := make(chan error)
	for range 2 {
		go func() { // two windows are the first ones of the new version
			s, err := Open(path)
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range 2 {
		must(t, <-errs)
	}
	s := open(t, path)
	for query, want := range map[string]string{
		"needle2 89": "old2 user [needle2]", "needle0-0": "old0 user [needle0-0]", "title": "old0 title [title], old1 title [title], old2 title [title]",
	} {
		if got := strings.Join(sorted(found(t, s, query)), ", "); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if hits, err := s.Search(background(), "旧数据", 0); err != nil || len(hits) != 9 {
		t.Errorf("Chinese: %d hits, %v", len(hits), err)
	}
	if got := texts(t, s, "old1"); strings.Count(got, "needle1") != 90 {
		t.Errorf("the messages are not all there: %.80q", got)
	}
	must(t, s.Append(background(), "old1", user("fresh")))
	if got := found(t, s, "fresh"); got != "old1 user [fresh]" {
		t.Errorf("a new message: %q", got)
	}
}
