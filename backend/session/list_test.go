package session

import (
	"sync"
	"testing"

	"patchbay/backend/model/modeltest"
)

// TestTheListIsNeverOlderThanWhatHappened: whoever publishes last has seen every change.
func TestTheListIsNeverOlderThanWhatHappened(t *testing.T) {
	r := newRig(t, modeltest.Text("ok"))
	m := r.open(Options{})
	a, b := r.session(m), r.session(m)
	r.send(a, Prompt{Text: "so that the history is looked at"})
	for range 200 {
		var shown sync.WaitGroup
		for _, s := range []*Session{a, b, a, b, a, b, a, b, a, b, a, b} {
			shown.Go(func() { m.Show(s.ID()) })
		}
		shown.Wait()
		if list, _ := m.List().Get(); list.Current != m.Current().ID() {
			t.Fatalf("the list shows %s, but %s is shown", list.Current, m.Current().ID())
		}
	}
	r.eventually("no turn is shown as running", func() bool {
		list, _ := m.List().Get()
		return len(list.Sessions) == 2 && !list.Sessions[0].Running && !list.Sessions[1].Running
	})
}
