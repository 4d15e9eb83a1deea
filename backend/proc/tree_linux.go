package proc

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// commLength is where the kernel cuts the name of a program (TASK_COMM_LEN less one).
const commLength = 15

// ticksPerSecond is what /proc counts times in: 100 on every Linux (proc(5), USER_HZ).
const ticksPerSecond = 100

// snapshot lists every process of the machine, without its memory.
func snapshot(ctx context.Context) ([]Info, error) {
	boot, err := bootTime()
	if err != nil {
		return nil, err
	}
	pids, err := listPIDs()
	if err != nil {
		return nil, err
	}
	all := make([]Info, 0, len(pids))
	for _, pid := range pids {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue // it ended meanwhile
		}
		if p, ok := parseStat(raw, boot); ok {
			all = append(all, p)
		}
	}
	return all, nil
}

// parseStat reads a line of /proc/PID/stat.
func parseStat(raw []byte, boot time.Time) (Info, bool) {
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 0 || end < open {
		return Info{}, false
	}
	fields := strings.Fields(string(raw[end+1:]))
	if len(fields) < 20 {
		return Info{}, false
	}
	number := func(field int) int64 { // 3 is the state, the first behind the name
		n, _ := strconv.ParseInt(fields[field-3], 10, 64)
		return n
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw[:open])))
	return Info{
		PID: pid, Parent: int(number(4)), Group: int(number(5)), Name: string(raw[open+1 : end]),
		CPU:     ticks(number(14) + number(15)),
		Started: boot.Add(ticks(number(22))),
		Zombie:  fields[0] == "Z" || fields[0] == "X",
	}, err == nil
}

func ticks(n int64) time.Duration { return time.Duration(n) * (time.Second / ticksPerSecond) }

// bootTime is when the machine started.
func bootTime() (time.Time, error) {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}, err
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "btime "); ok {
			seconds, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return time.Unix(seconds, 0), err
		}
	}
	return time.Time{}, os.ErrNotExist
}

// measure adds the command and the memory, which cost more than the rest.
func measure(_ context.Context, p *Info) {
	dir := "/proc/" + strconv.Itoa(p.PID)
	if raw, err := os.ReadFile(dir + "/cmdline"); err == nil && len(raw) > 0 {
		p.Command = strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
		if whole := filepath.Base(p.Command[0]); len(p.Name) == commLength && strings.HasPrefix(whole, p.Name) {
			p.Name = whole
		}
	}
	if raw, err := os.ReadFile(dir + "/smaps_rollup"); err == nil {
		if kib, ok := fieldOf(raw, "Pss:"); ok {
			p.Memory = kib << 10
			return
		}
	}
	p.Shared = true // another user's, or a kernel without the file
	if raw, err := os.ReadFile(dir + "/status"); err == nil {
		kib, _ := fieldOf(raw, "VmRSS:")
		p.Memory = kib << 10
	}
}

// fieldOf is the number behind a name at the beginning of a line.
func fieldOf(raw []byte, name string) (int64, bool) {
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			fields := strings.Fields(rest)
			if len(fields) == 0 {
				return 0, false
			}
			n, err := strconv.ParseInt(fields[0], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
