package app

import (
	"context"
	"time"
)

// The topics of the page.
const (
	topicMCP       = "mcp"
	topicSessions  = "sessions"
	topicApprovals = "approvals"
	topicSettings  = "settings"
	topicTrial     = "trial"
	topicChat      = "chat"
	topicAsks      = "asks"
)

const (
	snapshotGap = 100 * time.Millisecond // between two snapshots of one topic
	chatGap     = 40 * time.Millisecond  // that text deltas are merged over
)

func stampMCP(s *MCPSnapshot, rev uint64)             { s.Rev = rev }
func stampSessions(s *SessionsSnapshot, rev uint64)   { s.Rev = rev }
func stampApprovals(s *ApprovalsSnapshot, rev uint64) { s.Rev = rev }
func stampAsks(s *AsksSnapshot, rev uint64)           { s.Rev = rev }
func stampTrial(t *Trial, rev uint64)                 { t.Rev = rev }
func stampSettings(s *SettingsSnapshot, rev uint64)   { s.Rev = rev }

// emitter sends one message to the page.
type emitter func(topic string, data any)

// forward emits the latest value of a source whenever there is a newer one, the first at
// once and then at most one per snapshotGap, until ctx ends.
func forward[T any](ctx context.Context, topic string, source Source[T], stamp func(*T, uint64), emit emitter) {
	for rev := uint64(0); ; {
		v, next, err := source.Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		stamp(&v, rev)
		emit(topic, v)
		if !pause(ctx, snapshotGap) {
			return
		}
	}
}

// pause waits for d and reports false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// forwardChat emits what arrives on events in batches, in order, at most one per chatGap,
// until ctx ends; what has arrived by then is emitted still.
func forwardChat(ctx context.Context, events <-chan ChatEvent, emit emitter) {
	for {
		var batch []ChatEvent
		select {
		case e := <-events:
			batch = merge(batch, e)
		case <-ctx.Done():
			return
		}
		deadline := time.NewTimer(chatGap)
		for open := true; open; {
			select {
			case e := <-events:
				batch = merge(batch, e)
			case <-deadline.C:
				open = false
			case <-ctx.Done():
				open = false
			}
		}
		deadline.Stop()
		emit(topicChat, batch)
	}
}

// merge appends e to the batch, or joins it to the newest event of its session when both
// are deltas of one text without a gap between them. Nothing else is joined or dropped.
func merge(batch []ChatEvent, e ChatEvent) []ChatEvent {
	if e.FirstSeq == 0 {
		e.FirstSeq = e.Seq
	}
	for i := len(batch) - 1; i >= 0; i-- {
		last := &batch[i]
		if last.SessionID != e.SessionID {
			continue
		}
		if joins(*last, e) {
			last.Text += e.Text
			last.Seq = e.Seq
			return batch
		}
		break
	}
	return append(batch, e)
}

func joins(last, e ChatEvent) bool {
	delta := e.Kind == KindText || e.Kind == KindReasoning
	return delta && last.Kind == e.Kind && last.RunID == e.RunID && last.Seq+1 == e.FirstSeq
}
