package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"patchbay/backend/model"
)

func user(text string) Entry { return Entry{Message: model.Message{Role: model.User, Text: text}} }

func answer(text string) Entry {
	return Entry{Message: model.Message{Role: model.Assistant, Text: text}}
}

func texts(t *testing.T, s *Store, id string) string {
	t.Helper()
	entries, err := s.Entries(background(), id)
	must(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Message.Text)
	}
	return strings.Join(list, " ")
}

func aside(t *testing.T, s *Store, id string) (n int) {
	t.Helper()
	must(t, s.db.QueryRow(`SELECT count(*) FROM aside WHERE session = ?`, id).Scan(&n))
	return n
}

func TestRewindSetsTheRestAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	s := open(t, path)
	must(t, s.Create(background(), Info{ID: "s"}))
	must(t, s.Create(background(), Info{ID: "other"}))
	must(t, s.Append(background(), "other", user("stays")))
	must(t, s.Append(background(), "s", user("one"), answer("two"), user("three"), answer("four")))
	for _, step := range []struct {
		keep  int
		then  string
		want  string
		aside int
	}{
		{9, "", "one two three four", 0},
		{4, "", "one two three four", 0},
		{2, "five", "one two five", 2},
		{2, "six", "one two six", 3},
		{0, "seven", "seven", 6},
	} {
		must(t, s.Rewind(background(), "s", step.keep))
		if step.then != "" {
			must(t, s.Append(background(), "s", user(step.then)))
		}
		if got := texts(t, s, "s"); got != step.want || aside(t, s, "s") != step.aside {
			t.Errorf("keep %d: %q, %d aside; want %q, %d", step.keep, got, aside(t, s, "s"), step.want, step.aside)
		}
	}
	if got := texts(t, s, "other"); got != "stays" {
		t.Errorf("another session has %q", got)
	}
	must(t, s.Delete(background(), "s"))
	if n := aside(t, s, "s"); n != 0 {
		t.Errorf("%d messages of a deleted session are left", n)
	}
}

func TestRewindOfTheFirstMessageTakesItsTitleBack(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.db"))
	for _, tt := range []struct {
		id, rename string
		keep       int
		want       string
	}{
		{"automatic", "", 0, "second"},
		{"kept", "", 1, "first"},
		{"chosen", "mine", 0, "mine"},
	} {
		must(t, s.Create(background(), Info{ID: tt.id}))
		must(t, s.Append(background(), tt.id, user("first"), answer("x")))
		if tt.rename != "" {
			must(t, s.Rename(background(), tt.id, tt.rename))
		}
		must(t, s.Rewind(background(), tt.id, tt.keep))
		must(t, s.Append(background(), tt.id, user("second")))
		if info, err := s.Get(background(), tt.id); err != nil || info.Title != tt.want {
			t.Errorf("%s: the title is %q, %v; want %q", tt.id, info.Title, err, tt.want)
		}
	}
}

func TestRewindRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	s := open(t, path)
	must(t, s.Create(background(), Info{ID: "s"}))
	must(t, s.Append(background(), "s", user("one")))
	if err := s.Rewind(background(), "s", -1); err == nil {
		t.Error("a negative number was accepted")
	}
	if err := s.Rewind(background(), "none", 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown session: %v", err)
	}
	must(t, holdElsewhere(s, "s"))
	var leased *LeasedError
	if err := s.Rewind(background(), "s", 0); !errors.As(err, &leased) {
		t.Errorf("a session of another process: %v", err)
	}
	if got := texts(t, s, "s"); got != "one" {
		t.Errorf("it holds %q", got)
	}
}

// holdElsewhere gives the lease to the process that runs the tests.
func holdElsewhere(s *Store, id string) error {
	pid := os.Getppid() // "go test", which lives as long as this test
	start, err := startTime(pid)
	if err != nil {
		return err
	}
	_, err = s.db.Exec(`UPDATE sessions SET lease_pid = ?, lease_start = ? WHERE id = ?`, pid, start, id)
	return err
}
