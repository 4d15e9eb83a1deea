//go:build linux

package e2e

import (
	"syscall"
	"testing"
)

// Conversations are two, the shown one changes, and after a kill in the middle of a turn
// everything that was finished is there again, with the grant that holds in the workspace.
func TestConversationsSurviveTheWindow(t *testing.T) {
	a, program := withDemo(t)
	connect(t, a, program)
	a.say(`call demo_echo with {"text": "in the first"}`)
	a.answer("demo_echo", "Allow in workspace")
	a.conversation("the answer", has("demo_echo answered: in the first"))
	a.idle()

	a.by("button", "New session").click()
	a.conversation("nothing yet", has("What should the agent do?"))
	a.reaches("connected", "demo") // the workspace enables it for every session
	a.echoes("in the second")
	a.selects("in the first")
	a.conversation("the first alone", func(text string) bool {
		return has("demo_echo answered: in the first")(text) && !has("in the second")(text)
	})
	a.shot("sessions-1-first")
	a.selects("in the second")
	a.conversation("the second alone", func(text string) bool {
		return has("demo_echo answered: in the second")(text) && !has("in the first")(text)
	})
	a.counting()
	for _, pid := range a.pids() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, a, program)
	a.close()

	b := start(t, options{after: a})
	b.conversation("the second as it was", has("demo_echo answered: in the second", "demo_count"))
	b.idle()
	b.reaches("connected", "demo")
	b.shot("sessions-2-again")
	b.echoes("after the kill")
	b.selects("in the first")
	b.conversation("the first as it was", has("demo_echo answered: in the first"))
	b.echoes("in the first again")
}

// selects shows the session whose title holds text.
func (a *app) selects(text string) {
	a.t.Helper()
	const click = `const all = [...document.querySelectorAll("nav[aria-label=Sessions] button.session")].filter(b => b.title.includes(arguments[0]));
if (all.length !== 1) throw new Error(all.length + " sessions with that title"); all[0].click()`
	a.eventually("select the session with "+text, func() error { return a.session.run(a.t.Context(), click, nil, text) })
}
