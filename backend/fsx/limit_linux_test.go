package fsx

import (
	"os/signal"
	"syscall"
)

// limitFileSize makes every write beyond n bytes fail, as a full disk does.
func limitFileSize(n uint64) {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		panic(err)
	}
}
