package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	tellGather = time.Second      // servers that are lost within it are told together
	tellServer = time.Minute      // between two notes about one server
	tellAsking = 10 * time.Second // between two notes that a session waits
	tellNames  = 4                // servers that are named
	titleRunes = 60
	bodyRunes  = 160
)

// note is what the desktop tells while the window has no attention. Its texts may come from
// servers and models: one short plain line each, and no markup.
type note struct {
	title, body string
	session     string // shown when the note is clicked, "" for the one that is
}

// notifier hands notes to the desktop.
type notifier interface {
	// tell shows n; clicked is called when the person clicks it. Where nothing can be shown
	// it does nothing.
	tell(n note, clicked func())
	close()
}

// losses finds servers that stop being connected by themselves. It belongs to one goroutine.
type losses struct {
	session   string
	connected map[string]bool
	told      map[string]time.Time
}

func newLosses() *losses { return &losses{told: map[string]time.Time{}} }

// in returns the rows that are to be told: those in error that were connected the last time
// they were at rest. With focused the person sees them in the window.
func (l *losses) in(snap MCPSnapshot, focused bool, now time.Time) []ServerRow {
	before := l.connected
	if snap.SessionID != l.session {
		before = nil
	}
	l.session, l.connected = snap.SessionID, map[string]bool{}
	var lost []ServerRow
	for _, row := range snap.Rows {
		switch row.State {
		case StateConnected:
			l.connected[row.Name] = true
		case StateBusy:
			l.connected[row.Name] = before[row.Name]
		case StateError:
			last, told := l.told[row.Name]
			if before[row.Name] && !focused && (!told || now.Sub(last) >= tellServer) {
				l.told[row.Name] = now
				lost = append(lost, row)
			}
		}
	}
	return lost
}

// lostNote tells of servers that were lost together.
func lostNote(session string, rows []ServerRow) note {
	if len(rows) == 1 {
		body := rows[0].Reason
		if body == "" {
			body = "The connection was lost"
		}
		return note{title: line(rows[0].Name, titleRunes/2) + " is no longer connected", body: line(body, bodyRunes), session: session}
	}
	var names []string
	for _, row := range rows[:min(len(rows), tellNames)] {
		names = append(names, line(row.Name, titleRunes/2))
	}
	body := strings.Join(names, ", ")
	if more := len(rows) - len(names); more > 0 {
		body += fmt.Sprintf(" and %d more", more)
	}
	return note{title: fmt.Sprintf("%d servers are no longer connected", len(rows)), body: body, session: session}
}

// turns finds what a conversation has to tell. It may be used from several goroutines.
type turns struct {
	mu     sync.Mutex
	failed map[string]string    // the last error of a session's turn
	asked  map[string]time.Time // when it was last told that a session waits
}

func newTurns() *turns { return &turns{failed: map[string]string{}, asked: map[string]time.Time{}} }

// in returns the note that an event calls for, if any: a turn that ended, unless the person
// ended it, or one that waits for an approval.
func (t *turns) in(e ChatEvent, title string, focused bool, now time.Time) (note, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := note{body: line(title, bodyRunes), session: e.SessionID}
	switch e.Kind {
	case KindUser:
		delete(t.failed, e.SessionID)
		return note{}, false
	case KindError:
		t.failed[e.SessionID] = e.Message
		return note{}, false
	case KindAsking:
		if last, asked := t.asked[e.SessionID]; focused || asked && now.Sub(last) < tellAsking {
			return note{}, false
		}
		t.asked[e.SessionID] = now
		n.title = "Approval needed: " + line(e.Tool, titleRunes/2)
		return n, true
	case KindDone:
		failed := t.failed[e.SessionID]
		delete(t.failed, e.SessionID)
		var known bool
		if n.title, known = endTitles[e.StopReason]; !known || focused {
			return note{}, false
		}
		if failed != "" && e.StopReason == "error" {
			n.body = line(title+": "+failed, bodyRunes)
		}
		return n, true
	}
	return note{}, false
}

// endTitles tell how a turn ended. One that the person stopped has none.
var endTitles = map[string]string{
	"end_turn":  "The agent has answered",
	"max_steps": "The agent reached its limit of steps",
	"error":     "The turn failed",
	"refused":   "The model refused to answer",
}

// line is text as one line of at most limit characters, without anything that is not seen.
func line(text string, limit int) string {
	var kept []rune
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = len(kept) > 0
			continue
		case !unicode.IsGraphic(r): // marks that turn the direction of what follows, too
			continue
		}
		if space {
			kept = append(kept, ' ')
			space = false
		}
		if len(kept) >= limit {
			return strings.TrimSpace(string(kept[:limit-1])) + "…"
		}
		kept = append(kept, r)
	}
	return string(kept)
}

// teller decides what is told and hands it over, one note after the other.
type teller struct {
	core   *core
	turns  *turns
	losses *losses
	notes  chan note
}

func newTeller(c *core) *teller {
	return &teller{core: c, turns: newTurns(), losses: newLosses(), notes: make(chan note, 16)}
}

// event looks at an event of a conversation. It does not wait: one note more than can be
// shown is left out.
func (t *teller) event(e ChatEvent) {
	n, tell := t.turns.in(e, t.title(e.SessionID), t.core.focused.Load(), time.Now())
	if tell {
		t.add(n)
	}
}

func (t *teller) add(n note) {
	select {
	case t.notes <- n:
	default:
	}
}

func (t *teller) title(id string) string {
	list, _ := t.core.backend.SessionList().Get()
	for _, s := range list.Sessions {
		if s.ID == id {
			return s.Title
		}
	}
	return ""
}

// follow looks at the servers until ctx ends.
func (t *teller) follow(ctx context.Context) {
	source := t.core.backend.Servers()
	for rev := uint64(0); ; {
		snap, next, err := source.Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		lost := t.losses.in(snap, t.core.focused.Load(), time.Now())
		if len(lost) == 0 {
			continue
		}
		if !pause(ctx, tellGather) {
			return
		}
		snap, rev = source.Get()
		lost = append(lost, t.losses.in(snap, t.core.focused.Load(), time.Now())...)
		t.add(lostNote(snap.SessionID, lost))
	}
}

// show hands notes to the desktop until ctx ends. A click brings the window forward.
func (t *teller) show(ctx context.Context, n notifier) {
	defer n.close()
	for {
		select {
		case each := <-t.notes:
			n.tell(each, func() { t.clicked(each) })
		case <-ctx.Done():
			return
		}
	}
}

func (t *teller) clicked(n note) {
	t.core.desktop.raise()
	list, _ := t.core.backend.SessionList().Get()
	if n.session == "" || n.session == list.Current {
		return
	}
	err := do(t.core, "OpenSession", func(ctx context.Context) error { return t.core.backend.OpenSession(ctx, n.session) })
	if err != nil {
		t.core.logger.Warn("show the session of a notification", "error", err)
	}
}

// unable logs once why nothing is told.
type unable struct {
	logger *slog.Logger
	once   sync.Once
}

func (u *unable) because(err error) {
	u.once.Do(func() {
		u.logger.Warn("the desktop shows no notifications; Patchbay goes on without", "error", err)
	})
}
