package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// startTime tells two processes with one id apart: clock ticks since boot (proc(5),
// field 22 of stat), with the id of the boot.
func startTime(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	end := bytes.LastIndexByte(stat, ')') // the name before it may hold anything
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 20 {
		return "", errors.New("/proc/PID/stat is too short")
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return "", os.ErrProcessDone
	}
	return fmt.Sprintf("%s %s", bytes.TrimSpace(boot), fields[19]), nil
}
