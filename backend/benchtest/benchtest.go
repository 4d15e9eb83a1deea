// Package benchtest is what the benchmarks share: a result, where it is kept, and the
// statistics it comes from.
package benchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Result is one line of results.json.
type Result struct {
	ID    string   `json:"id"`
	What  string   `json:"what"`
	Value float64  `json:"value"`
	Goal  *float64 `json:"goal"` // the value is at most this; nil: reported only
}

// Judged is a Result with a goal.
func Judged(id, what string, value, goal float64) Result {
	return Result{ID: id, What: what, Value: value, Goal: &goal}
}

// Plain is a Result that is reported only.
func Plain(id, what string, value float64) Result {
	return Result{ID: id, What: what, Value: value}
}

// Report prints the results, each beside its goal and as a part of it, and keeps them in
// the file that BENCH_OUT names, where they take the place of older ones with their ids.
// The goals are judged by who reads it.
func Report(tb testing.TB, results ...Result) {
	tb.Helper()
	for _, r := range results {
		goal := ""
		if r.Goal != nil {
			goal = fmt.Sprintf("  goal ≤ %g, ratio %.2f", *r.Goal, r.Value / *r.Goal)
		}
		fmt.Printf("%-10s %10.4f%s  %s\n", r.ID, r.Value, goal, r.What)
	}
	out := os.Getenv("BENCH_OUT")
	if out == "" {
		return
	}
	if err := keep(out, results); err != nil {
		tb.Fatalf("keep the results: %v", err)
	}
}

func keep(path string, results []Result) error {
	var all []Result
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, r := range results {
		if at := slices.IndexFunc(all, func(old Result) bool { return old.ID == r.ID }); at >= 0 {
			all[at] = r
		} else {
			all = append(all, r)
		}
	}
	if data, err = json.MarshalIndent(all, "", "  "); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// MS is d in milliseconds.
func MS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Median is the middle of values.
func Median(values []float64) float64 { return Percentile(values, 0.5) }

// Percentile is the value that the part p of values is at most.
func Percentile(values []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(math.Round(p*float64(len(sorted)-1))), len(sorted)-1)]
}
