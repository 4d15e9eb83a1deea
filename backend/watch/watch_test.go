package watch

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
)

func TestValueWaitReturnsTheLatestAndSkipsBetween(t *testing.T) {
	v := NewValue("a")
	got, rev, err := v.Wait(context.Background(), 0)
	if got != "a" || rev != 1 || err != nil {
		t.Fatalf("first Wait = %q, %d, %v", got, rev, err)
	}
	v.Set("b")
	v.Set("c")
	if got, rev, _ = v.Wait(context.Background(), rev); got != "c" || rev != 3 {
		t.Fatalf("Wait after two Sets = %q, %d, want c, 3", got, rev)
	}
}

func TestValueWaitBlocksUntilSetAndEndsWithTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := NewValue(1)
		ctx, cancel := context.WithCancelCause(t.Context())
		over := errors.New("over")
		woken := make(chan int, 1)
		go func() {
			n, rev, _ := v.Wait(ctx, 1)
			woken <- n
			_, _, err := v.Wait(ctx, rev)
			if !errors.Is(err, over) {
				t.Errorf("Wait on an ended context = %v, want %v", err, over)
			}
			close(woken)
		}()
		synctest.Wait()
		select {
		case n := <-woken:
			t.Fatalf("Wait returned %d before Set", n)
		default:
		}
		v.Set(2)
		if n := <-woken; n != 2 {
			t.Fatalf("Wait = %d, want 2", n)
		}
		cancel(over)
		<-woken
	})
}

func TestLogKeepsTheNewestAndSaysWhatIsGone(t *testing.T) {
	l := NewLog[uint64](3)
	for range 5 {
		l.Append(func(seq uint64) uint64 { return seq })
	}
	tests := []struct {
		name    string
		seq     uint64
		want    []uint64
		wantGap bool
	}{
		{"all that is kept", 2, []uint64{3, 4, 5}, false},
		{"a reader that fell behind", 0, []uint64{3, 4, 5}, true},
		{"one behind", 4, []uint64{5}, false},
		{"up to date", 5, nil, false},
		{"ahead of the log", 9, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, last, gap := l.Since(tt.seq)
			if len(got) != len(tt.want) || last != 5 || gap != tt.wantGap {
				t.Fatalf("Since(%d) = %v, %d, %v; want %v, 5, %v", tt.seq, got, last, gap, tt.want, tt.wantGap)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Fatalf("Since(%d) = %v, want %v", tt.seq, got, tt.want)
				}
			}
		})
	}
}

// An entry costs the same when the log is full, else a fast model is held up by it.
func TestAFullLogCopiesNothing(t *testing.T) {
	const keep = 4096
	type entry [64]byte
	l := NewLog[entry](keep)
	add := func() { l.Append(func(uint64) entry { return entry{} }) }
	for range keep {
		add()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range keep {
		add()
	}
	runtime.ReadMemStats(&after)
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(keep*1024); got > limit {
		t.Errorf("%d entries of %d bytes allocated %d bytes", keep, len(entry{}), got)
	}
}

func TestLogWaitWakesForTheNextEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLog[string](10)
		done := make(chan []string)
		go func() {
			entries, _, _, _ := l.Wait(t.Context(), 0)
			done <- entries
		}()
		synctest.Wait()
		l.Append(func(uint64) string { return "x" })
		if got := <-done; len(got) != 1 || got[0] != "x" {
			t.Fatalf("Wait = %v, want [x]", got)
		}
	})
}
