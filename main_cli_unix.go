//go:build unix && !production && !dev && !bindings

package main

import (
	"fmt"
	"os"
	"syscall"
)

// become replaces this process, so that signals and the exit code are the window's.
func become(program string, args []string) (int, error) {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ())
	return 0, fmt.Errorf("start %s: %w", program, err)
}
