//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/godbus/dbus/v5"
)

const (
	bellName = "org.freedesktop.Notifications"
	bellPath = "/org/freedesktop/Notifications"
)

// bell is the desktop's notification service on the session bus of the test.
type bell struct {
	conn *dbus.Conn

	mu   sync.Mutex
	rung []rung
}

// rung is one notification; its id is its place, from 1.
type rung struct{ title, body string }

func newBell(t *testing.T) *bell {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatalf("the tests run under dbus-run-session: %v", err)
	}
	t.Cleanup(func() { conn.Close() })
	b := &bell{conn: conn}
	methods := map[string]any{"Notify": b.notify, "GetCapabilities": func() ([]string, *dbus.Error) { return []string{"body", "actions", "body-markup"}, nil }}
	if err := conn.ExportMethodTable(methods, bellPath, bellName); err != nil {
		t.Fatal(err)
	}
	reply, err := conn.RequestName(bellName, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("become the notification service: %v, %v", reply, err)
	}
	return b
}

func (b *bell) notify(_ string, _ uint32, _, title, body string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rung = append(b.rung, rung{title, body})
	return uint32(len(b.rung)), nil
}

// hears waits for a notification and returns its id and text.
func (b *bell) hears(a *app, title string) (id uint32, body string) {
	a.t.Helper()
	a.eventually("the desktop tells "+title, func() error {
		b.mu.Lock()
		defer b.mu.Unlock()
		for i, r := range b.rung {
			if r.title == title {
				id, body = uint32(i+1), r.body
				return nil
			}
		}
		return fmt.Errorf("it told %+v", b.rung)
	})
	return id, body
}

// click is the person's click on a notification.
func (b *bell) click(t *testing.T, id uint32) {
	t.Helper()
	if err := b.conn.Emit(bellPath, bellName+".ActionInvoked", id, "default"); err != nil {
		t.Fatal(err)
	}
}

// in runs a command of the page.
func (a *app) in(script string, args ...any) {
	a.t.Helper()
	if err := a.session.await(a.t.Context(), script, nil, args...); err != nil {
		a.t.Fatal(err)
	}
}

// What needs the person while the window has no attention is told by the desktop, and a
// click on it shows where.
func TestNotifyWhenTheWindowHasNoAttention(t *testing.T) {
	b := newBell(t)
	a, program := withDemo(t)
	connect(t, a, program)
	a.say(`call demo_echo with {"text": "<b>loud</b>"}`)
	a.by("group", "Approve demo_echo").appears()
	a.in(`await window.go.app.App.Focused(false)`)
	a.in(`const [q] = (await window.go.app.Chat.Approvals()).questions; await window.go.app.Chat.AnswerQuestion(q.id, "allow_once")`)
	answered, body := b.hears(a, "The agent has answered")
	if !strings.Contains(body, "&lt;b&gt;") || strings.Contains(body, "<") {
		t.Errorf("a model's text is markup: %q", body)
	}
	if err := syscall.Kill(a.serverPIDs()["demo"], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, body = b.hears(a, "demo is no longer connected"); !strings.Contains(body, "lost") {
		t.Errorf("it does not say why: %q", body)
	}

	a.by("button", "New session").click()
	a.conversation("nothing yet", has("What should the agent do?"))
	b.click(t, answered)
	a.conversation("the one that was clicked", has("demo_echo answered: loud"))
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.rung) != 2 {
		t.Errorf("it told more: %+v", b.rung)
	}
}
