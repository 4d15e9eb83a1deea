//go:build linux

package e2e

import (
	"fmt"
	"testing"

	"github.com/godbus/dbus/v5"
)

// accessible is one node of the accessibility tree, which knows the dialogs of the system
// that no WebDriver sees.
type accessible struct {
	conn *dbus.Conn
	Bus  string
	Path dbus.ObjectPath
}

const accessibility = "org.a11y.atspi.Accessible"

// desktop is the root of the accessibility tree of the test's display.
func desktop(t *testing.T) (accessible, error) {
	session, err := dbus.ConnectSessionBus()
	if err != nil {
		return accessible{}, err
	}
	defer session.Close()
	var address string
	if err := session.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		return accessible{}, fmt.Errorf("find the accessibility bus (package at-spi2-core): %w", err)
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		return accessible{}, err
	}
	t.Cleanup(func() { conn.Close() })
	return accessible{conn, "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}, nil
}

// find returns the first node below with this role and name.
func (n accessible) find(role, name string, depth int) (accessible, bool) {
	object := n.conn.Object(n.Bus, n.Path)
	var is string
	if object.Call(accessibility+".GetRoleName", 0).Store(&is) == nil && is == role {
		if called, err := object.GetProperty(accessibility + ".Name"); err == nil && called.Value() == name {
			return n, true
		}
	}
	var children []struct {
		Bus  string
		Path dbus.ObjectPath
	}
	if depth == 0 || object.Call(accessibility+".GetChildren", 0).Store(&children) != nil {
		return accessible{}, false
	}
	for _, child := range children {
		if found, ok := (accessible{n.conn, child.Bus, child.Path}).find(role, name, depth-1); ok {
			return found, true
		}
	}
	return accessible{}, false
}

// press does what a click would.
func (n accessible) press() error {
	return n.conn.Object(n.Bus, n.Path).Call("org.a11y.atspi.Action.DoAction", 0, int32(0)).Err
}

// dialog presses a button of a dialog of the system.
func (a *app) dialog(button string) {
	a.t.Helper()
	a.eventually("press "+button+" in the dialog", func() error {
		root, err := desktop(a.t)
		if err != nil {
			return err
		}
		found, ok := root.find("push button", button, 12)
		if !ok {
			return fmt.Errorf("no button %q is on the screen", button)
		}
		return found.press()
	})
}
