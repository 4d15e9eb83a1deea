package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const getTermios = unix.TCGETS

// stat is what /proc/PID/stat says (proc_pid_stat(5)).
type stat struct {
	state byte // R, S, D, Z, X, …
	group int
	start string // clock ticks since boot
}

func readStat(pid int) (stat, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	// The name in brackets may hold spaces and brackets of its own.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 20 {
		return stat{}, fmt.Errorf("read /proc/%d/stat: only %d fields", pid, len(fields))
	}
	group, err := strconv.Atoi(fields[2])
	return stat{state: fields[0][0], group: group, start: fields[19]}, err
}

// startTime identifies the process that has the number pid now.
func startTime(pid int) (string, error) {
	s, err := readStat(pid)
	return s.start, err
}

// groupLives reports whether the group has a member that is not a zombie: those of orphans
// stay for ever where process 1 does not reap them, as in many containers.
func groupLives(group int) bool {
	pids, err := listPIDs()
	if err != nil {
		return true
	}
	for _, pid := range pids {
		s, err := readStat(pid)
		if err == nil && s.group == group && s.state != 'Z' && s.state != 'X' {
			return true
		}
	}
	return false
}

// marked lists the processes whose environment holds entry (NAME=value), this one left out.
func marked(entry string) []groupID {
	pids, err := listPIDs()
	if err != nil {
		return nil
	}
	var found []groupID
	for _, pid := range pids {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil || pid == os.Getpid() || !hasVariable(env, entry) {
			continue
		}
		if s, err := readStat(pid); err == nil && s.state != 'Z' && s.state != 'X' {
			found = append(found, groupID{pid, s.start})
		}
	}
	return found
}

// machine names this boot and this process namespace.
func machine() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space
}

func listPIDs() ([]int, error) {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("list /proc: no processes there")
	}
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
