//go:build linux

package bench

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"patchbay/backend/benchtest"
)

// watchFrames notes the time between frames until window.__frames is read, and when the
// turn that is stopped with a click is seen to have ended.
const watchFrames = `
window.__frames = []; window.__stop = undefined;
let last = performance.now();
const mine = window.__frames;
const tick = (now) => { mine.push(now - last); last = now; if (window.__frames === mine) requestAnimationFrame(tick); };
requestAnimationFrame((now) => { last = now; requestAnimationFrame(tick); });`

const readFrames = `const all = window.__frames; window.__frames = undefined; return all`

// watchStop waits for a click on Stop and resolves to the milliseconds from it until the
// page shows that the turn has ended.
const watchStop = `
const ended = () => document.querySelector("[role=log]").getAttribute("aria-busy") !== "true";
window.__stopped = new Promise((tell) => {
  document.addEventListener("click", (e) => {
    const from = Math.min(e.timeStamp, performance.now());
    const look = () => ended() ? requestAnimationFrame(() => tell(performance.now() - from)) : requestAnimationFrame(look);
    look();
  }, { capture: true, once: true });
});`

// BenchmarkStream measures P6: frames and Stop while a fast model answers, and what a token
// costs at the end of a long answer.
func BenchmarkStream(b *testing.B) {
	for b.Loop() {
		const rate, seconds = 2000, 30
		idle, gaps := frames(b, rate, seconds)
		stop := stopping(b, rate, 20)
		small, large := costs(b)
		slices.Sort(gaps)
		benchtest.Report(b,
			benchtest.Judged("P6a", fmt.Sprintf("%d tokens/s of Markdown for %d s: longest gap between frames, milliseconds", rate, seconds), gaps[len(gaps)-1], 50),
			benchtest.Judged("P6a.stop", "Stop clicked after 20 s of it, until the page shows the end, milliseconds", stop, 250),
			benchtest.Judged("P6b", "main thread's time per token at 100 kB of answer against 1 kB", benchtest.Median(large)/benchtest.Median(small), 1.5),
			benchtest.Plain("P6a.p99", "gap between frames, p99, milliseconds", benchtest.Percentile(gaps, 0.99)),
			benchtest.Plain("P6a.p50", "gap between frames, p50, milliseconds", benchtest.Median(gaps)),
			benchtest.Plain("P6a.idle", "longest gap in 10 s before the answer, milliseconds", slices.Max(idle)),
			benchtest.Plain("P6b.1kB", "main thread's microseconds per token at 1 kB", benchtest.Median(small)),
			benchtest.Plain("P6b.100kB", "main thread's microseconds per token at 100 kB", benchtest.Median(large)))
	}
}

// ask sends a message through the composer; the endpoint's next plan answers it.
func (v *driven) ask(text string) {
	v.tb.Helper()
	v.keys("Message", text)
	v.click("Send")
	v.eventually("the answer begins", `return document.querySelector("[role=log]").textContent.includes("Part 0 of the answer")`)
}

// frames are the gaps between frames before and while an answer streams.
func frames(tb testing.TB, rate, seconds int) (idle, gaps []float64) {
	tb.Helper()
	model := newEndpoint(tb)
	begin := make(chan struct{})
	model.next(plan{first: section(0), tokens: rate * seconds, rate: rate, begin: begin})
	v := drive(tb, newPlace(tb, model.env()...))
	defer v.close()
	v.ask("Tell me everything.")
	time.Sleep(3 * time.Second) // the highlighter is loaded
	v.run(watchFrames, nil)
	time.Sleep(10 * time.Second)
	v.run(readFrames, &idle)
	v.run(watchFrames, nil)
	close(begin)
	time.Sleep(time.Duration(seconds) * time.Second) // no command meanwhile: it would be measured too
	v.run(readFrames, &gaps)
	v.eventually("the turn ends", `return document.querySelector("[role=log]").getAttribute("aria-busy") !== "true"`)
	var shown int
	v.run(`return document.querySelector("[role=log]").textContent.length`, &shown)
	if len(gaps) == 0 || shown == 0 {
		tb.Fatal("nothing was shown")
	}
	return idle, gaps
}

// stopping is how long a click on Stop takes after so many seconds of an answer.
func stopping(tb testing.TB, rate, seconds int) float64 {
	tb.Helper()
	model := newEndpoint(tb)
	model.next(plan{first: section(0), tokens: rate * seconds * 3, rate: rate})
	v := drive(tb, newPlace(tb, model.env()...))
	defer v.close()
	v.ask("Tell me everything.")
	time.Sleep(time.Duration(seconds) * time.Second)
	v.run(watchStop, nil)
	v.click("Stop")
	var took float64
	v.await(`return await window.__stopped`, &took)
	return took
}

// costs are the microseconds of the page's main thread per token that is added to a short
// and to a long answer, in turn.
func costs(tb testing.TB) (small, large []float64) {
	tb.Helper()
	for range 3 {
		small = append(small, cost(tb, 1_000))
		large = append(large, cost(tb, 100_000))
	}
	return small, large
}

func cost(tb testing.TB, size int) float64 {
	tb.Helper()
	const tokens, rate = 1500, 300 // five seconds of a usual model
	model := newEndpoint(tb)
	begin := make(chan struct{})
	model.next(plan{first: markdown(size), tokens: tokens, rate: rate, begin: begin})
	v := drive(tb, newPlace(tb, model.env()...))
	defer v.close()
	v.ask("Tell me everything.")
	time.Sleep(6 * time.Second) // what was sent at once is drawn and coloured
	web := v.web()
	before := spent(tb, web)
	close(begin)
	time.Sleep(tokens / rate * time.Second)
	took := spent(tb, web) - before
	return float64(took.Microseconds()) / tokens
}

// spent is the processor time of a process's main thread so far (man proc, schedstat).
func spent(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, pid))
	if err != nil {
		tb.Fatal(err)
	}
	ns, err := strconv.ParseInt(strings.Fields(string(data))[0], 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return time.Duration(ns)
}
