//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// shown is what one row of the board shows.
type shown struct{ State, Reason string }

// row reads a row of the board as a person does: its state cell and its reason.
func (a *app) row(name string) (shown, error) {
	const read = `const row = [...document.querySelectorAll('[role=grid][aria-label=Servers] [role=row]')].find(r => r.getAttribute("aria-label") === arguments[0]);
return row ? {State: row.querySelector("[role=gridcell]").textContent, Reason: row.querySelector(".reason")?.textContent ?? ""} : null`
	var out *shown
	if err := a.session.run(a.t.Context(), read, &out, name); err != nil {
		return shown{}, err
	}
	if out == nil {
		return shown{}, fmt.Errorf("no row %s", name)
	}
	return *out, nil
}

// reaches waits until the state cell of every named row holds exactly this word.
func (a *app) reaches(state string, names ...string) {
	a.t.Helper()
	for _, name := range names {
		a.eventually(name+" is "+state, func() error {
			row, err := a.row(name)
			if err == nil && row.State != state {
				err = fmt.Errorf("it is %s: %s", row.State, row.Reason)
			}
			return err
		})
	}
}

// because waits until the reason in a row holds these parts.
func (a *app) because(name string, parts ...string) {
	a.t.Helper()
	a.eventually(name+" says why", func() error {
		row, err := a.row(name)
		if err == nil && !has(parts...)(row.Reason) {
			err = fmt.Errorf("it says %q, not %q", row.Reason, parts)
		}
		return err
	})
}

// leaves waits until the state cell of a row holds another word.
func (a *app) leaves(state, name string) {
	a.t.Helper()
	a.eventually(name+" is no longer "+state, func() error {
		row, err := a.row(name)
		if err == nil && row.State == state {
			err = errors.New("it still is")
		}
		return err
	})
}

// serverPIDs are the process ids that the snapshot tells for the rows that have one.
func (a *app) serverPIDs() map[string]int {
	a.t.Helper()
	var rows []struct {
		Name string
		PID  int
	}
	if err := a.session.await(a.t.Context(), `return (await window.go.app.MCP.Snapshot()).rows`, &rows); err != nil {
		a.t.Fatal(err)
	}
	pids := map[string]int{}
	for _, row := range rows {
		if row.PID != 0 {
			pids[row.Name] = row.PID
		}
	}
	return pids
}

// say sends a message with the composer's button.
func (a *app) say(text string) {
	a.t.Helper()
	a.by("textbox", "Message").fill(text)
	a.by("button", "Send").click()
}

// answer answers the one open question about a tool. A click that missed, because the
// conversation moved under it, is made again: the first answer wins, so it does no harm.
func (a *app) answer(tool, decision string) {
	a.t.Helper()
	question := a.by("group", "Approve "+tool)
	button := question.by("button", decision)
	var clicked time.Time
	a.eventually(decision+" for "+tool, func() error {
		if _, err := question.locate(a.t.Context()); err != nil && !clicked.IsZero() {
			return nil // answered
		}
		if time.Since(clicked) < 5*time.Second {
			return errors.New("it is still asked")
		}
		id, err := button.locate(a.t.Context())
		if err == nil {
			err = button.clickOnce(id)
		}
		if err != nil {
			return err
		}
		clicked = time.Now()
		return errors.New("clicked just now")
	})
}

// idle waits until no turn runs.
func (a *app) idle() {
	a.t.Helper()
	a.by("button", "Stop").goes()
}

// conversation waits until the conversation satisfies want.
func (a *app) conversation(what string, want func(text string) bool) {
	a.t.Helper()
	a.by("log", "Conversation").says(what, want)
}

// read returns the content of a file below the home ("~/…") or the workspace.
func (a *app) read(name string) string {
	a.t.Helper()
	data, err := os.ReadFile(a.path(name))
	if err != nil {
		a.t.Fatal(err)
	}
	return string(data)
}

func (a *app) path(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(a.home, rest)
	}
	return filepath.Join(a.workspace, name)
}

// same fails when a server named here has another process than before.
func (a *app) same(before map[string]int, names ...string) {
	a.t.Helper()
	now := a.serverPIDs()
	for _, name := range names {
		if before[name] == 0 || now[name] != before[name] {
			a.t.Errorf("%s ran as process %d and now as %d", name, before[name], now[name])
		}
	}
}

func has(parts ...string) func(string) bool {
	return func(text string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
	}
}

// ends waits until a process is gone.
func (a *app) ends(name string, pid int) {
	a.t.Helper()
	if pid == 0 {
		a.t.Fatalf("%s has no process", name)
	}
	a.eventually(fmt.Sprintf("process %d of %s is gone", pid, name), func() error {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			return errors.New("it is still there")
		}
		return nil
	})
}

// process fails when a process does not run in folder with a line of environment.
func (a *app) process(pid int, folder, variable string) {
	a.t.Helper()
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil || cwd != folder {
		a.t.Errorf("process %d runs in %s, not %s: %v", pid, cwd, folder, err)
	}
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), variable) {
		a.t.Errorf("process %d has no %s: %v", pid, variable, err)
	}
}

// page is everything the page holds: its elements and what stands in its fields.
func (a *app) page(t *testing.T) string {
	t.Helper()
	var text string
	if err := a.session.run(t.Context(), `return document.documentElement.outerHTML + [...document.querySelectorAll("input,textarea")].map(e => e.value)`, &text); err != nil {
		t.Fatal(err)
	}
	return text
}
