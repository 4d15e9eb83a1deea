//go:build unix

package proc

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName is the name people know, such as SIGKILL.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return sig.String()
}
