//go:build linux

package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"patchbay/backend/benchtest"
	"patchbay/backend/history"
	"patchbay/backend/model"
	"patchbay/backend/tool"
)

// rest is how long a window is left alone before its memory is measured.
const rest = 5 * time.Second

// BenchmarkMemory measures P5: the proportional share (PSS) of the memory of a window's
// processes, its servers left out.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		const rounds = 2 // scrolling through takes most of the time; memory varies little
		plain, none, many, chat := newPlace(b), newPlace(b), newPlace(b), newPlace(b)
		many.servers(b, forty(b))
		conversation(b, chat, 1000)
		var bare, empty, full, fresh, long []float64
		for range rounds {
			bare = append(bare, resting(b, "BARE_BIN", plain))
			empty = append(empty, resting(b, "APP_BIN", none))
			full = append(full, resting(b, "APP_BIN", many))
			fresh = append(fresh, scrolled(b, none, 0))
			long = append(long, scrolled(b, chat, 1000))
		}
		base := benchtest.Median(bare)
		benchtest.Report(b,
			benchtest.Judged("P5a", "memory of the window's processes without a server, against a bare window", benchtest.Median(empty)/base, 1.25),
			benchtest.Judged("P5a.40", "the same with 40 connected servers, theirs left out", benchtest.Median(full)/base, 1.25),
			benchtest.Judged("P5b", "memory after a chat of 1,000 messages was scrolled through, against an empty one", benchtest.Median(long)/benchtest.Median(fresh), 1.6),
			benchtest.Plain("P5a.ours", "the window with 40 servers, MiB", benchtest.Median(full)),
			benchtest.Plain("P5a.bare", "the bare window, MiB", base),
			benchtest.Plain("P5b.long", "the driven window after the chat, MiB", benchtest.Median(long)),
			benchtest.Plain("P5b.empty", "the driven window with an empty one, MiB", benchtest.Median(fresh)))
	}
}

// resting is the memory of a window that was left alone, in MiB.
func resting(tb testing.TB, env string, p place) float64 {
	tb.Helper()
	path := program(tb, env)
	v := open(tb, path, p, arguments(env, p)...)
	defer v.close(tb)
	time.Sleep(rest)
	return pss(tb, v.cmd.Process.Pid, path)
}

// scrolled is the memory of a driven window whose conversation was scrolled to its top and
// back, in MiB.
func scrolled(tb testing.TB, p place, messages int) float64 {
	tb.Helper()
	v := drive(tb, p)
	defer v.close()
	v.eventually("the conversation is there", `return document.querySelector("[role=log]") !== null && (arguments[0] === 0 || document.querySelector("[role=log]").textContent.includes(arguments[1]))`,
		messages, fmt.Sprintf("Answer %d:", messages/2))
	v.await(scrollThrough, nil)
	time.Sleep(rest)
	return pss(tb, v.app(), program(tb, "APP_BIN"))
}

// scrollThrough scrolls by a window's height a time to the top, opening what is left out
// there, and back to the end.
const scrollThrough = `
const log = document.querySelector("[role=log]");
let box = log;
while (box && !/(auto|scroll)/.test(getComputedStyle(box).overflowY)) box = box.parentElement;
const frame = () => new Promise(next => requestAnimationFrame(next));
const step = box.clientHeight;
for (let more = true; more;) {
  while (box.scrollTop > 0) { box.scrollTop -= step; await frame(); }
  await frame();
  const earlier = [...log.querySelectorAll("button")].find(e => e.textContent.startsWith("Show earlier"));
  more = earlier !== undefined;
  if (more) { earlier.click(); await frame(); await frame(); }
}
while (box.scrollTop + box.clientHeight < box.scrollHeight - 1) { box.scrollTop += step; await frame(); }`

// conversation writes a session of so many messages into the history of a place: questions,
// answers in Markdown, and calls with results.
func conversation(tb testing.TB, p place, messages int) {
	tb.Helper()
	ctx := context.Background()
	store, err := history.Open(filepath.Join(p.home, ".local/share/patchbay/sessions.db"))
	if err != nil {
		tb.Fatal(err)
	}
	workspace, err := filepath.EvalSymlinks(p.workspace)
	if err == nil {
		err = store.Create(ctx, history.Info{ID: "long", Workspace: workspace})
	}
	if err == nil {
		err = store.Append(ctx, "long", entries(messages)...)
	}
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func entries(n int) []history.Entry {
	var list []history.Entry
	for i := range n / 4 {
		run, id := fmt.Sprintf("run-%d", i), fmt.Sprintf("call-%d", i)
		add := func(e history.Entry) {
			e.RunID, e.AtMs = run, int64(1_700_000_000_000+len(list)*1000)
			list = append(list, e)
		}
		add(history.Entry{Message: model.Message{Role: model.User, Text: fmt.Sprintf("Question %d: what does part %d do?", i, i)}})
		add(history.Entry{Message: model.Message{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"part%d.go"}`, i)}}}})
		text := fmt.Sprintf("package part%d\n\nfunc Run() int { return %d }\n", i, i)
		add(history.Entry{Message: model.Message{Role: model.Tool, ToolCallID: id, Text: text}, Tool: "read_file",
			Result: &tool.Result{OK: true, Content: []tool.Content{{Kind: tool.Text, Text: text}}}})
		add(history.Entry{Message: model.Message{Role: model.Assistant, Text: fmt.Sprintf("Answer %d: ", len(list)/2+1) + section(i)}})
	}
	return list
}

// pss is the proportional share of the memory of a process, of its WebKit processes and of
// its own helpers, in MiB. Servers are none of these: they run other programs.
func pss(tb testing.TB, pid int, path string) float64 {
	tb.Helper()
	total := 0
	for _, p := range family(pid) {
		if exe := executable(p); exe == path || strings.HasPrefix(filepath.Base(exe), "WebKit") || isWatchdog(p) {
			total += share(p)
		}
	}
	if total == 0 {
		tb.Fatalf("process %d has no memory to measure", pid)
	}
	return float64(total) / 1024
}

// executable is the program of a process, "" when it is gone.
func executable(pid int) string {
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return exe
}

// isWatchdog reports whether a process is the command line at work for the window.
func isWatchdog(pid int) bool {
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.HasSuffix(string(args), "\x00watchdog\x00")
}

// share is the PSS of one process in KiB, 0 when it is gone.
func share(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(data)) {
		if rest, found := strings.CutPrefix(line, "Pss:"); found {
			kib, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			return kib
		}
	}
	return 0
}

// family is a process and all that descend from it.
func family(pid int) []int {
	all := []int{pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, family(child)...)
			}
		}
	}
	return all
}
