package app

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/mcphost"
	"patchbay/backend/watch"
)

func TestMergeJoinsOnlyAdjacentDeltasOfOneText(t *testing.T) {
	text := func(session, run string, seq uint64, s string) ChatEvent {
		return ChatEvent{SessionID: session, RunID: run, Seq: seq, Kind: KindText, Text: s}
	}
	tests := []struct {
		name string
		in   []ChatEvent
		want []string // session kind first-last text
	}{
		{"deltas", []ChatEvent{text("a", "r", 1, "x"), text("a", "r", 2, "y"), text("a", "r", 3, "z")}, []string{"a text 1-3 xyz"}},
		{"a gap stays visible", []ChatEvent{text("a", "r", 1, "x"), text("a", "r", 3, "z")}, []string{"a text 1-1 x", "a text 3-3 z"}},
		{"runs", []ChatEvent{text("a", "r", 1, "x"), text("a", "s", 2, "y")}, []string{"a text 1-1 x", "a text 2-2 y"}},
		{"interleaved sessions", []ChatEvent{text("a", "r", 1, "x"), text("b", "q", 1, "m"), text("a", "r", 2, "y")}, []string{"a text 1-2 xy", "b text 1-1 m"}},
		{"a call between", []ChatEvent{text("a", "r", 1, "x"), {SessionID: "a", RunID: "r", Seq: 2, Kind: KindToolCall}, text("a", "r", 3, "z")},
			[]string{"a text 1-1 x", "a tool_call 2-2 ", "a text 3-3 z"}},
		{"other kinds never", []ChatEvent{{SessionID: "a", Seq: 1, Kind: KindNotice, Text: "n"}, {SessionID: "a", Seq: 2, Kind: KindNotice, Text: "m"}},
			[]string{"a notice 1-1 n", "a notice 2-2 m"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var batch []ChatEvent
			for _, e := range tt.in {
				batch = merge(batch, e)
			}
			var got []string
			for _, e := range batch {
				got = append(got, fmt.Sprintf("%s %s %d-%d %s", e.SessionID, e.Kind, e.FirstSeq, e.Seq, e.Text))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("merge = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestChatIsEmittedInBatchesThatLoseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		events := make(chan ChatEvent)
		var batches [][]ChatEvent
		done := make(chan struct{})
		go func() {
			defer close(done)
			forwardChat(ctx, events, func(_ string, data any) { batches = append(batches, data.([]ChatEvent)) })
		}()
		const n = 1000
		for i := range uint64(n) {
			events <- ChatEvent{SessionID: "a", RunID: "r", Seq: i + 1, Kind: KindText, Text: "x"}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(chatGap)
		cancel()
		<-done
		next, text := uint64(1), ""
		for _, b := range batches {
			for _, e := range b {
				if e.FirstSeq != next {
					t.Fatalf("a batch begins at %d, want %d", e.FirstSeq, next)
				}
				next, text = e.Seq+1, text+e.Text
			}
		}
		if len(text) != n || len(batches) > n/int(chatGap/time.Millisecond)+1 {
			t.Errorf("%d of %d characters in %d batches", len(text), n, len(batches))
		}
	})
}

func TestForwardSendsTheFirstAtOnceAndTheLastAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		source := watch.NewValue(MCPSnapshot{Store: "0"})
		var got []MCPSnapshot
		done := make(chan struct{})
		go func() {
			defer close(done)
			forward(ctx, topicMCP, source, stampMCP, func(_ string, data any) { got = append(got, data.(MCPSnapshot)) })
		}()
		synctest.Wait()
		if len(got) != 1 || got[0].Rev != 1 {
			t.Fatalf("at once: %v", got)
		}
		for i := range 500 {
			source.Set(MCPSnapshot{Store: fmt.Sprint(i + 1)})
			time.Sleep(2 * time.Millisecond)
		}
		time.Sleep(time.Second)
		cancel()
		<-done
		if last := got[len(got)-1]; last.Store != "500" || last.Rev != 501 || len(got) > 12 {
			t.Errorf("%d snapshots in a second, the last is %s at revision %d", len(got), last.Store, last.Rev)
		}
	})
}

func TestEnumsHoldEveryValueOfTheirOwners(t *testing.T) {
	same(t, AllServerStates, mcphost.AllStates)
	same(t, AllServerLayers, mcphost.AllLayers)
	same(t, AllServerActions, mcphost.AllActions)
	same(t, AllApprovalDecisions, approval.AllDecisions)
	same(t, AllApprovalModes, approval.AllModes)
	same(t, AllChatKinds, agent.AllKinds)
}

func same[W, O ~string](t *testing.T, wire []EnumValue[W], owner []O) {
	t.Helper()
	var got, want []string
	for _, v := range wire {
		got = append(got, string(v.Value))
	}
	for _, v := range owner {
		want = append(want, string(v))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%T = %v, the owner has %v", wire, got, want)
	}
}
