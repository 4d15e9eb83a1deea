package history

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"patchbay/backend/model"
	"patchbay/backend/tool"
)

const childEnv = "PATCHBAY_HISTORY_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		writeForever(path)
	}
	os.Exit(m.Run())
}

// writeForever appends messages and prints the number of each one that is saved.
func writeForever(path string) {
	s, err := Open(path)
	for n := 1; err == nil; n++ {
		err = s.Append(background(), "s", Entry{RunID: "r", Message: model.Message{Role: model.Assistant, Text: fmt.Sprint(n) + strings.Repeat("x", 10_000)}})
		if err == nil {
			fmt.Println(n)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSessionsComeBackAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data #1 50%", "sessions.db")
	s, err := Open(path)
	must(t, err)
	must(t, s.Create(background(), Info{ID: "s", Workspace: "/w"}))
	entries := []Entry{
		{RunID: "r", AtMs: 1, Message: model.Message{Role: model.User, Text: "\n  fix   the\tbug \nplease"}},
		{RunID: "r", AtMs: 2, Message: model.Message{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "f", Arguments: "{}", Extra: json.RawMessage(`{"x":1}`)}}}},
		{RunID: "r", AtMs: 3, Message: model.Message{Role: model.Tool, ToolCallID: "a", Text: "t", Failed: true}, Server: "srv", Tool: "f", Decision: "allow_once", By: "person",
			Result: &tool.Result{Reason: tool.TimedOut, Took: time.Second, Content: []tool.Content{{Kind: tool.Image, Data: []byte{0, 255}}}}},
	}
	must(t, s.Append(background(), "s", entries[:1]...))
	must(t, s.Append(background(), "s", entries[1:]...))
	must(t, s.Close())
	s = open(t, path)
	got, err := s.Entries(background(), "s")
	must(t, err)
	if !reflect.DeepEqual(got, entries) {
		t.Errorf("got %+v\nwant %+v", got, entries)
	}
	info, err := s.Get(background(), "s")
	must(t, err)
	if info.Title != "fix the bug" || info.Workspace != "/w" || info.UpdatedMs < info.CreatedMs || info.HeldBy != 0 {
		t.Errorf("%+v", info)
	}
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
}

func TestListRenameDelete(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.db"))
	for i, id := range []string{"a", "b", "c"} {
		must(t, s.Create(background(), Info{ID: id, CreatedMs: int64(i + 1)}))
	}
	must(t, s.Append(background(), "a", Entry{Message: model.Message{Role: model.User, Text: "one"}}))
	must(t, s.Rename(background(), "a", " mine "))
	must(t, s.Append(background(), "a", Entry{Message: model.Message{Role: model.User, Text: "two"}}))
	must(t, s.Delete(background(), "b"))
	infos, err := s.List(background())
	must(t, err)
	var got []string
	for _, i := range infos {
		got = append(got, i.ID+":"+i.Title)
	}
	if strings.Join(got, " ") != "a:mine c:" {
		t.Errorf("got %v", got)
	}
	for what, err := range map[string]error{
		"append": s.Append(background(), "b", Entry{}), "rename": s.Rename(background(), "b", "x"), "delete": s.Delete(background(), "b"),
	} {
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "b") {
			t.Errorf("%s of an unknown session: %v", what, err)
		}
	}
	if err := s.Rename(background(), "a", " "); err == nil {
		t.Error("a blank title was accepted")
	}
}

func TestKilledWriterLosesNoFinishedMessageAndItsLease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	s := open(t, path)
	must(t, s.Create(background(), Info{ID: "s"}))
	must(t, s.Release(background(), "s"))
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+path)
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	saved := 0
	lines := bufio.NewScanner(out)
	for saved < 20 && lines.Scan() {
		if _, err := fmt.Sscan(lines.Text(), &saved); err != nil {
			t.Errorf("the child says %q", lines.Text())
			break
		}
	}
	var leased *LeasedError
	if err := s.Append(background(), "s", Entry{}); !errors.As(err, &leased) || leased.PID != child.Process.Pid {
		t.Errorf("while the child has the lease: %v", err)
	}
	if info, err := s.Get(background(), "s"); err != nil || info.HeldBy != child.Process.Pid {
		t.Errorf("%+v, %v", info, err)
	}
	must(t, child.Process.Kill())
	for lines.Scan() {
		_, _ = fmt.Sscan(lines.Text(), &saved) // the last line may be cut
	}
	_ = child.Wait() // it was killed
	got, err := s.Entries(background(), "s")
	must(t, err)
	if len(got) < saved || saved < 20 {
		t.Errorf("%d messages, %d were saved", len(got), saved)
	}
	if hit := found(t, s, fmt.Sprintf("%dx", saved)); !strings.HasPrefix(hit, "s assistant") {
		t.Errorf("the last saved message is not found: %q", hit)
	}
	must(t, s.Append(background(), "s", Entry{Message: model.Message{Role: model.User, Text: "on"}}))
}

func TestADamagedFileIsNamedAndLeft(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, path string)
		says   string
	}{
		{"not a database", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte("garbage "), 2000), 0o600))
		}, "damaged"},
		{"broken pages", func(t *testing.T, path string) {
			s, err := Open(path)
			must(t, err)
			must(t, s.Create(background(), Info{ID: "s"}))
			for range 20 {
				must(t, s.Append(background(), "s", Entry{Message: model.Message{Role: model.User, Text: strings.Repeat("x", 5000)}}))
			}
			must(t, s.Close())
			data, err := os.ReadFile(path)
			must(t, err)
			for i := 4096; i < len(data); i++ {
				data[i] = 0xA5
			}
			must(t, os.WriteFile(path, data, 0o600))
		}, "damaged"},
		{"newer", func(t *testing.T, path string) {
			s, err := Open(path)
			must(t, err)
			_, err = s.db.Exec(`INSERT INTO migrations VALUES (99, 0)`)
			must(t, err)
			must(t, s.Close())
		}, "update Patchbay"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "h.db")
			tt.damage(t, path)
			before, err := os.ReadFile(path)
			must(t, err)
			s, err := Open(path)
			if err == nil {
				_ = s.Close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("the error is %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

func TestTwoStoresOpenANewFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	errs := make(chan error)
	for i := range 4 {
		go func() {
			s, err := Open(path)
			if err == nil {
				err = errors.Join(s.Create(background(), Info{ID: fmt.Sprint(i)}), s.Close())
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if infos, err := open(t, path).List(background()); err != nil || len(infos) != 4 {
		t.Errorf("%d sessions, %v", len(infos), err)
	}
}

func background() context.Context { return context.Background() }
