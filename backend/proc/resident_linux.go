package proc

import (
	"debug/elf"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// UnmapCold takes the pages of this process's own program out of its memory; those that it
// goes on using come back one by one from the system's cache. Its start has touched nearly
// all of them, and each page mapped counts as held. Only what cannot be written is taken:
// code and constants. It is a hint: where it cannot be done, nothing changes.
func UnmapCold() {
	fixed, err := fixedParts("/proc/self/exe")
	if err != nil {
		return
	}
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		var from, to, offset uint64
		var mode, device, inode string
		// The name stands behind these, and may hold spaces (proc(5), /proc/pid/maps).
		if _, err := fmt.Sscanf(line, "%x-%x %s %x %s %s", &from, &to, &mode, &offset, &device, &inode); err != nil {
			continue
		}
		if fixed[offset] && mode[1] == '-' && strings.HasSuffix(strings.TrimSuffix(line, "\n"), " "+path) {
			// What is in a file and cannot be written is the same when it is read again (madvise(2)).
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED)
		}
	}
}

// fixedParts are the offsets, whole pages, of the parts of a program that are loaded without
// being writable, not even while it is being linked.
func fixedParts(path string) (map[uint64]bool, error) {
	program, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	offsets := map[uint64]bool{}
	for _, part := range program.Progs {
		if part.Type == elf.PT_LOAD && part.Flags&elf.PF_W == 0 {
			offsets[part.Off&^uint64(os.Getpagesize()-1)] = true
		}
	}
	return offsets, nil
}
