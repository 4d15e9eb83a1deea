//go:build linux

package bench

import (
	"testing"

	"patchbay/backend/benchtest"
)

// BenchmarkStart measures P4: from exec to a usable window, that is one whose page shows
// what it read, against a bare window with one line of text.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		const rounds = 9
		plain, none, many := newPlace(b), newPlace(b), newPlace(b)
		many.servers(b, forty(b))
		var bare, empty, full []float64
		for round := range rounds + 1 {
			x, y, z := started(b, "BARE_BIN", plain), started(b, "APP_BIN", none), started(b, "APP_BIN", many)
			if round > 0 { // the first one fills caches and makes the folders
				bare, empty, full = append(bare, x), append(empty, y), append(full, z)
			}
		}
		base := benchtest.Median(bare)
		benchtest.Report(b,
			benchtest.Judged("P4a", "start to usable window with no server, against a bare window", benchtest.Median(empty)/base, 1.25),
			benchtest.Judged("P4b", "start to usable window with 40 enabled servers, against a bare window", benchtest.Median(full)/base, 1.25),
			benchtest.Plain("P4a.ours", "the same, milliseconds", benchtest.Median(empty)),
			benchtest.Plain("P4b.ours", "the same with 40 servers, milliseconds", benchtest.Median(full)),
			benchtest.Plain("P4.bare", "the bare window, milliseconds", base))
	}
}

// started returns the milliseconds from exec until the page was painted.
func started(tb testing.TB, env string, p place) float64 {
	tb.Helper()
	v := open(tb, program(tb, env), p, arguments(env, p)...)
	defer v.close(tb)
	return benchtest.MS(v.ready)
}

func arguments(env string, p place) []string {
	if env == "BARE_BIN" {
		return nil
	}
	return []string{"--workspace", p.workspace}
}
