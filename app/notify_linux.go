package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	notifyName  = "org.freedesktop.Notifications"
	notifyPath  = "/org/freedesktop/Notifications"
	notifyLimit = 5 * time.Second
)

// busNotifier speaks to the desktop's notification service over the session bus (Desktop
// Notifications Specification 1.2).
type busNotifier struct {
	unable *unable

	mu      sync.Mutex // held while a note is handed over, so that no click overtakes its id
	conn    *dbus.Conn // nil until the first note
	clicked map[uint32]func()
}

func newNotifier(logger *slog.Logger) notifier {
	return &busNotifier{unable: &unable{logger: logger}, clicked: map[uint32]func(){}}
}

func (b *busNotifier) tell(n note, clicked func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id, err := b.notifyLocked(n)
	if err != nil {
		b.unable.because(err)
		b.dropLocked()
		return
	}
	b.clicked[id] = clicked
}

func (b *busNotifier) notifyLocked(n note) (id uint32, err error) {
	if err := b.connectLocked(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), notifyLimit)
	defer cancel()
	call := b.conn.Object(notifyName, notifyPath).CallWithContext(ctx, notifyName+".Notify", 0,
		"Patchbay", uint32(0), "", n.title, markup.Replace(n.body), []string{"default", "Show"},
		map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("patchbay")}, int32(-1))
	if err := call.Store(&id); err != nil {
		return 0, fmt.Errorf("call %s: %w", notifyName, err)
	}
	return id, nil
}

// markup makes text stand for itself in a body, which may hold tags.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (b *busNotifier) connectLocked() error {
	if b.conn != nil && b.conn.Connected() {
		return nil
	}
	address, err := busAddress()
	if err != nil {
		return err
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		return fmt.Errorf("connect to the session bus: %w", err)
	}
	if err := conn.AddMatchSignal(dbus.WithMatchObjectPath(notifyPath), dbus.WithMatchInterface(notifyName)); err != nil {
		conn.Close()
		return fmt.Errorf("listen on the session bus: %w", err)
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	b.conn = conn
	go b.listen(signals) // ends with the connection
	return nil
}

// busAddress is where the session bus is. The library would start one where there is none.
func busAddress() (string, error) {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address, nil
	}
	path := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
	if _, err := os.Stat(path); err != nil || !filepath.IsAbs(path) {
		return "", errors.New("there is no session bus")
	}
	return "unix:path=" + path, nil
}

func (b *busNotifier) listen(signals <-chan *dbus.Signal) {
	for s := range signals {
		var id uint32
		if len(s.Body) == 0 || dbus.Store(s.Body[:1], &id) != nil {
			continue
		}
		b.mu.Lock()
		clicked := b.clicked[id]
		if clicked != nil {
			delete(b.clicked, id)
		}
		b.mu.Unlock()
		if clicked != nil && s.Name == notifyName+".ActionInvoked" {
			clicked()
		}
	}
}

func (b *busNotifier) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropLocked()
}

func (b *busNotifier) dropLocked() {
	if b.conn != nil {
		b.conn.Close()
		b.conn = nil
	}
	clear(b.clicked)
}
