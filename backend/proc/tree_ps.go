package proc

import (
	"strconv"
	"strings"
	"time"
)

// psColumns are what ps is asked for: names end in = so that it prints no heading. lstart
// is five words, command is the rest of the line.
const psColumns = "pid=,ppid=,pgid=,stat=,rss=,time=,lstart=,command="

// parsePS reads the answer of ps -axo psColumns in the C locale. Lines it does not
// understand are left out. ps joins arguments by spaces, so that Command is only as good
// as those allow.
func parsePS(out string, zone *time.Location) []Info {
	var all []Info
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 11 {
			continue
		}
		var numbers [4]int64
		bad := false
		for i, at := range []int{0, 1, 2, 4} {
			n, err := strconv.ParseInt(fields[at], 10, 64)
			numbers[i], bad = n, bad || err != nil
		}
		if bad {
			continue
		}
		p := Info{
			PID: int(numbers[0]), Parent: int(numbers[1]), Group: int(numbers[2]), Memory: numbers[3] << 10, Shared: true,
			CPU: psTime(fields[5]), Zombie: strings.HasPrefix(fields[3], "Z"),
		}
		if began, err := time.ParseInLocation("Mon Jan 2 15:04:05 2006", strings.Join(fields[6:11], " "), zone); err == nil {
			p.Started = began
		}
		p.Command = fields[11:]
		if len(p.Command) > 0 {
			p.Name = p.Command[0][strings.LastIndexByte(p.Command[0], '/')+1:]
		}
		all = append(all, p)
	}
	return all
}

// psTime reads [[days-]hours:]minutes:seconds[.hundredths], 0 when it is none of these.
func psTime(text string) time.Duration {
	days, clock, has := strings.Cut(text, "-")
	if !has {
		days, clock = "0", text
	}
	d, err := strconv.Atoi(days)
	if err != nil {
		return 0
	}
	total := time.Duration(d) * 24 * time.Hour
	unit := time.Second
	parts := strings.Split(clock, ":")
	for i := len(parts) - 1; i >= 0; i-- {
		n, err := strconv.ParseFloat(parts[i], 64)
		if err != nil || len(parts) > 3 {
			return 0
		}
		total += time.Duration(n * float64(unit))
		unit *= 60
	}
	return total
}
