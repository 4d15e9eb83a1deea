package mcpconf

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// ids are the changes of a store, newest first.
func ids(t *testing.T, s *Store) (list []VersionID) {
	t.Helper()
	versions, err := s.Versions()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		list = append(list, v.ID())
	}
	return list
}

func added(t *testing.T, s *Store, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := s.Add(Definition{Name: name, Command: "x"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUndoChangesTakesBackWhatItWasGiven(t *testing.T) {
	s := newRig(t).store(t, two)
	added(t, s, "a", "b", "c")
	made := ids(t, s)
	var later *LaterError
	for _, not := range [][]VersionID{{made[1]}, {made[0], made[2]}} {
		if err := s.CanUndo(not...); !errors.As(err, &later) {
			t.Errorf("undo of %v: %v", not, err)
		}
	}
	if _, err := s.UndoChanges(made[2]); !errors.As(err, &later) || err.Error() != "a later change, “add c”, comes first: undo that before" {
		t.Errorf("undo of the oldest: %v", err)
	}
	wantNames(t, s, "fetch web a b c")
	undone, err := s.UndoChanges(made[1], made[0])
	if err != nil || len(undone) != 2 || undone[0].What != "add c" || undone[1].What != "add b" {
		t.Fatalf("undo of two: %+v, %v", undone, err)
	}
	wantNames(t, s, "fetch web a")
	if _, err := s.UndoChanges(made[0]); !errors.Is(err, ErrGone) {
		t.Errorf("undo twice: %v", err)
	}
	added(t, s, "d") // gets the number of the one that was taken back
	if now := ids(t, s); now[0].Seq != made[1].Seq {
		t.Fatalf("the test assumes that numbers are given again: %v, %v", now, made)
	}
	if now := ids(t, s); now[0] != made[1] {
		if err := s.CanUndo(made[1]); !errors.Is(err, ErrGone) {
			t.Errorf("an old id undoes another change: %v", err)
		}
	}
	wantNames(t, s, "fetch web a d")
}

func TestUndoChangesRefusesWhatAnotherProgramStoodBetween(t *testing.T) {
	r := newRig(t)
	s := r.store(t, two)
	added(t, s, "a")
	first := ids(t, s)[0]
	r.write(t, `{"mcpServers":{"o":{"command":"x"}}}`)
	if err := s.CanUndo(first); !errors.Is(err, ErrChangedSince) {
		t.Errorf("after an outside edit: %v", err)
	}
	list, err := s.Undoables()
	if err != nil || len(list) != 1 || list[0].Blocked != "another program changed the file since" {
		t.Errorf("listed as %+v, %v", list, err)
	}
	added(t, s, "b")
	if _, err := s.UndoChanges(ids(t, s)...); !errors.Is(err, ErrChangedSince) {
		t.Errorf("undo across an outside edit: %v", err)
	}
	wantNames(t, s, "o b")
	if _, err := s.UndoChanges(ids(t, s)[0]); err != nil {
		t.Error(err)
	}
	wantNames(t, s, "o")
}

func TestUndoablesSayWhatComesFirst(t *testing.T) {
	s := newRig(t).store(t, "")
	added(t, s, "a", "b")
	if err := s.Replace("b", Definition{Name: "c", Command: "x"}); err != nil {
		t.Fatal(err)
	}
	list, err := s.Undoables()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range list {
		got = append(got, u.What+": "+u.Blocked)
	}
	const later = "a later change, “rename b to c”, comes first: undo that before"
	if strings.Join(got, "\n") != "rename b to c: \nadd b: "+later+"\nadd a: "+later {
		t.Errorf("got %q", got)
	}
}

func TestUndoablesLeaveOutAChangeThatWasNeverMade(t *testing.T) {
	r := newRig(t)
	s := r.store(t, two)
	added(t, s, "a")
	now := readContent(r.path())
	if err := s.source.backups.push("never made", now, content{raw: []byte("{}"), exists: true}); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Undoables(); err != nil || len(list) != 1 || list[0].What != "add a" || list[0].Blocked != "" {
		t.Errorf("listed as %+v, %v", list, err)
	}
	if err := s.CanUndo(ids(t, s)[1]); err != nil {
		t.Error(err)
	}
}

func TestADamagedCopyIsNotPutBack(t *testing.T) {
	s := newRig(t).store(t, two)
	added(t, s, "a")
	versions, err := s.Versions()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(versions[0].Copy, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UndoChanges(versions[0].ID()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("undo: %v", err)
	}
	wantNames(t, s, "fetch web a")
}

func TestAVersionKnowsWhichProcessMadeIt(t *testing.T) {
	r := newRig(t)
	mine, other := r.store(t, two), r.store(t, "")
	added(t, mine, "a")
	added(t, other, "b")
	versions, err := mine.Versions()
	if err != nil || len(versions) != 2 || versions[0].Mine || !versions[1].Mine {
		t.Errorf("versions %+v, %v", versions, err)
	}
}
