package benchtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestReportKeepsWhatOthersMeasured(t *testing.T) {
	out := filepath.Join(t.TempDir(), "bench", "results.json")
	t.Setenv("BENCH_OUT", out)
	Report(t, Judged("A", "first", 1, 2), Plain("B", "second", 3))
	Report(t, Judged("C", "third", 4, 5), Judged("A", "first again", 6, 2))
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got []Result
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range got {
		lines = append(lines, r.ID+" "+r.What)
	}
	if want := []string{"A first again", "B second", "C third"}; !slices.Equal(lines, want) {
		t.Errorf("kept %q, want %q", lines, want)
	}
	if got[0].Value != 6 || got[0].Goal == nil || *got[0].Goal != 2 || got[1].Goal != nil {
		t.Errorf("kept %+v", got)
	}
}

func TestPercentile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for p, want := range map[float64]float64{0: 1, 0.5: 3, 0.95: 5, 1: 5} {
		if got := Percentile(values, p); got != want {
			t.Errorf("Percentile(%v) = %v, want %v", p, got, want)
		}
	}
	if Median(values) != 3 || values[0] != 5 {
		t.Errorf("Median = %v, and the values are %v now", Median(values), values)
	}
}
