//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"patchbay/backend/history"
	"patchbay/backend/model"
)

// A home with thousands of sessions, a conversation of 1,200 messages, and one that another
// process holds: of the lists a bounded part is in the page, what is sought is found
// wherever it stands, the held one can be read, and what was being written survives the
// end of the page's process.
func TestA42ThousandsOfSessionsAndMessages(t *testing.T) {
	before := &app{t: t, home: t.TempDir(), workspace: t.TempDir()}
	before.remembers(t, 2000, 600)
	a := start(t, options{after: before})
	a.selects("Long one")
	a.conversation("its end", has("answer 599"))
	a.bounded(t)
	a.shot("history-1-long")

	a.by("textbox", "Message").fill("half a thought")
	a.by("button", "Find in conversation").click()
	a.types("answer 7 ")
	a.by("status", "1 of 1").appears()
	a.conversation("what was sought", has("answer 7 has"))
	a.shot("history-2-found")
	a.press(escape)
	a.by("searchbox", "Find in conversation").goes()

	a.selects("Held one")
	a.conversation("what another process holds", has("said elsewhere"))
	a.eventually("nothing can be sent", func() error {
		if !a.by("textbox", "Message").disabled() {
			return errors.New("the field can be written in")
		}
		return nil
	})
	a.shot("history-3-held")
	a.selects("Long one")
	a.crash()
	a.rejoin()
	a.conversation("the same session", has("answer 599"))
	if got := a.value(a.by("textbox", "Message")); got != "half a thought" {
		t.Errorf("after the crash of the page the field holds %q", got)
	}
}

// remembers fills the history before the window starts. The store stays open, so that this
// process holds one of its sessions.
func (a *app) remembers(t *testing.T, sessions, turns int) {
	t.Helper()
	store, err := history.Open(filepath.Join(a.home, ".local/share/patchbay/sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() }) // the folder goes with the test
	now := time.Now().UnixMilli()
	add := func(at int, title string, entries ...history.Entry) {
		id := fmt.Sprintf("session-%05d", at)
		if err := store.Create(t.Context(), history.Info{ID: id, Title: title, Workspace: a.workspace, CreatedMs: now - int64(at)*60_000}); err != nil {
			t.Fatal(err)
		}
		if err := store.Append(t.Context(), id, entries...); err != nil {
			t.Fatal(err)
		}
		if title != "Held one" {
			if err := store.Release(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
	for at := range sessions {
		add(at+3, fmt.Sprintf("Session %d 会话", at))
	}
	add(2, "Held one", history.Entry{Message: model.Message{Role: model.User, Text: "said elsewhere"}})
	var long []history.Entry
	for at := range turns {
		long = append(long, history.Entry{Message: model.Message{Role: model.User, Text: fmt.Sprintf("question %d", at)}},
			history.Entry{Message: model.Message{Role: model.Assistant, Text: fmt.Sprintf("answer %d has\n\n- some\n- lines", at)}})
	}
	add(1, "Long one", long...)
}

// bounded fails when the page holds more than what is near what is in sight.
func (a *app) bounded(t *testing.T) {
	t.Helper()
	var count struct{ All, Sessions, Entries int }
	const look = `const n = s => document.querySelectorAll(s).length; return {All: n("*"), Sessions: n("nav li"), Entries: n("[role=log] [data-index]")}`
	if err := a.session.run(t.Context(), look, &count); err != nil {
		t.Fatal(err)
	}
	if count.Sessions == 0 || count.Sessions > 120 || count.Entries == 0 || count.Entries > 120 || count.All > 5000 {
		t.Errorf("the page holds %+v", count)
	}
}

// disabled reports whether a control cannot be used now.
func (e element) disabled() bool {
	e.app.t.Helper()
	var off bool
	e.eventually("read", func(id string) error {
		return e.app.session.run(e.app.t.Context(), `return arguments[0].disabled`, &off, map[string]string{elementKey: id})
	})
	return off
}
