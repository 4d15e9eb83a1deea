//go:build unix

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// isTerminal asks without File.Fd, which would make the stream blocking.
func isTerminal(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	terminal := false
	err = conn.Control(func(fd uintptr) {
		_, err := unix.IoctlGetTermios(int(fd), getTermios)
		terminal = err == nil
	})
	return err == nil && terminal
}
