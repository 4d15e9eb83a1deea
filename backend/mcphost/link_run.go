package mcphost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"patchbay/backend/mcpconn"
)

const (
	// predecessorPatience is how long a new connection waits for an older one of the same
	// server that another session still uses: both follow the same file, so it is about to go.
	predecessorPatience = time.Second
	// endingPatience bounds the wait for an older one that is being stopped.
	endingPatience = 10 * time.Second
	// dialGrace is how much longer than its own limit a Dial may take before it is given up,
	// and how long one that was cancelled may take to return.
	dialGrace = 5 * time.Second
	// longestBackoff bounds the time between two tries.
	longestBackoff = 5 * time.Minute
)

// run makes the connection what is wanted until ctx ends, and returns when it is gone.
func (l *link) run(ctx context.Context) {
	defer close(l.over)
	l.awaitPredecessors(ctx)
	for ctx.Err() == nil {
		began := time.Now()
		conn, failure := l.attempt(ctx)
		switch {
		case conn != nil:
			l.serve(ctx, conn)
		case failure != nil:
			l.afterFailure(failure, time.Since(began))
		default:
			continue // a retry took its place, or the end
		}
		l.rest(ctx)
	}
}

// awaitPredecessors returns when older connections of the same server are gone: a changed
// server's old process is stopped before the new one starts.
func (l *link) awaitPredecessors(ctx context.Context) {
	for _, p := range l.predecessors {
		select {
		case <-p.over:
			continue
		case <-p.ending:
		case <-ctx.Done():
			return
		case <-time.After(predecessorPatience):
			continue
		}
		select {
		case <-p.over:
		case <-ctx.Done():
			return
		case <-time.After(endingPatience):
			l.host.opts.Logger.Warn("an older process of an MCP server does not end", "server", l.name)
		}
	}
	l.predecessors = nil
}

type dialed struct {
	conn    mcpconn.Conn
	failure *mcpconn.Failure
}

// attempt dials once. It returns neither a connection nor a failure when a retry or ctx cut
// it short; what that dial still brings is closed.
func (l *link) attempt(ctx context.Context) (mcpconn.Conn, *mcpconn.Failure) {
	target := l.target()
	gen := l.begin()
	dialCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := make(chan dialed, 1)
	l.host.wg.Go(func() { result <- l.dial(dialCtx, target, gen) })
	limit := time.NewTimer(target.MaxTimeout + dialGrace)
	defer limit.Stop()
	for {
		retry, stop := l.retryTimer()
		select {
		case d := <-result:
			stop()
			if d.conn != nil && ctx.Err() == nil {
				l.connected(d.conn)
			}
			return d.conn, d.failure
		case <-ctx.Done():
			stop()
			l.abandon(cancel, result)
			l.cut(context.Cause(ctx).Error())
			return nil, nil
		case <-limit.C:
			stop()
			l.abandon(cancel, result)
			return nil, &mcpconn.Failure{Cause: mcpconn.Timeout, Message: fmt.Sprintf("%s did not connect within %s", l.name, target.MaxTimeout)}
		case <-retry:
		case <-l.poke:
		}
		stop()
		if now, _ := l.retryDue(); now {
			l.abandon(cancel, result)
			l.cut(whyRetried)
			return nil, nil
		}
	}
}

// cut notes that a start was ended before it had an outcome.
func (l *link) cut(why string) {
	l.change(func(s *linkState) {
		s.pid = 0
		l.timeline.cut(s.start, why)
	})
}

func (l *link) dial(ctx context.Context, target mcpconn.Target, gen uint64) dialed {
	conn, err := l.host.opts.Dialer.Dial(ctx, target, observer{l, gen})
	if err == nil {
		return dialed{conn: conn}
	}
	var failure *mcpconn.Failure
	if !errors.As(err, &failure) {
		failure = &mcpconn.Failure{Cause: mcpconn.Protocol, Message: err.Error()}
	}
	return dialed{failure: failure}
}

// abandon ends a dial whose generation is over. It waits for it, so that its process is
// gone before the next starts; one that does not return is closed whenever it does.
func (l *link) abandon(cancel context.CancelFunc, result <-chan dialed) {
	cancel()
	closeLate := func(d dialed) {
		if d.conn != nil {
			d.conn.Close("no longer wanted")
		}
	}
	timer := time.NewTimer(dialGrace)
	defer timer.Stop()
	select {
	case d := <-result:
		closeLate(d)
	case <-timer.C:
		l.host.wg.Go(func() { closeLate(<-result) })
	}
}

func (l *link) target() mcpconn.Target {
	t := l.host.opts.Timing
	target := mcpconn.Target{Definition: l.berth.def, Workspace: l.berth.workspace, Timeout: t.Connect, MaxTimeout: t.ConnectMost, Person: l.person()}
	if ms := l.berth.def.TimeoutMs; ms > 0 {
		target.Timeout = time.Duration(ms) * time.Millisecond
	}
	target.MaxTimeout = max(target.MaxTimeout, target.Timeout)
	return target
}

// begin starts a generation. A retry that asked for it is served by it.
func (l *link) begin() (gen uint64) {
	l.change(func(s *linkState) {
		retry := s.again && !time.Now().Before(l.due)
		if retry {
			s.again = false
			s.tries = 0
		}
		s.gen++
		s.phase, s.stage, s.progress, s.began = starting, mcpconn.Resolve, "", time.Now()
		s.entered, s.stages = s.began, nil
		s.nextTry, s.pid = time.Time{}, 0
		s.start = l.timeline.begin(l.berth.def.ConnectionKey(), l.newStart(*s, retry))
		gen = s.gen
	})
	return gen
}

// newStart is how the start of a generation begins. Why the first of a link is made, the
// timeline knows.
func (l *link) newStart(s linkState, retry bool) Start {
	start := Start{Began: s.began, Entered: s.began, Stage: s.stage}
	switch {
	case retry:
		start.Reason = StartRetry
	case s.lost != nil:
		start.Reason, start.Try = StartReconnect, s.tries
	}
	return start
}

func (l *link) connected(conn mcpconn.Conn) {
	info := conn.Info()
	var followed []string
	l.change(func(s *linkState) {
		s.finishStage(time.Now())
		followed = slices.Sorted(maps.Keys(s.library.followed))
		s.library.resources, s.library.prompts, s.library.rev = nil, nil, s.library.rev+1
		if s.lost != nil {
			s.returned++
		}
		s.phase, s.conn, s.info, s.gone = up, conn, info, make(chan struct{})
		s.lost, s.failure, s.progress = nil, nil, ""
		s.pid = info.PID
		l.timeline.settle(s.start, s.entered, StartConnected, func(t *Start) {
			t.Stages, t.Stage, t.PID = s.stages, "", info.PID
		})
	})
	if len(followed) > 0 {
		l.followAgain(conn, followed)
	}
	l.keepLevel(conn)
}

// serve watches over a connection until it is lost, retried or no longer wanted, and
// returns when it is closed.
func (l *link) serve(ctx context.Context, conn mcpconn.Conn) {
	since := time.Now()
	beat := time.NewTicker(l.host.opts.Timing.Heartbeat)
	defer beat.Stop()
	for {
		retry, stop := l.retryTimer()
		select {
		case <-ctx.Done():
			stop()
			l.leave(conn, context.Cause(ctx).Error(), func(*linkState) {})
			conn.Close(context.Cause(ctx).Error())
			return
		case <-conn.Done():
			stop()
			l.lose(conn, time.Since(since))
			conn.Close("lost")
			return
		case <-beat.C:
			l.heartbeat(ctx, conn)
		case <-retry:
		case <-l.poke:
		}
		stop()
		if now, _ := l.retryDue(); now {
			l.leave(conn, whyRetried, func(*linkState) {})
			conn.Close(whyRetried)
			return
		}
	}
}

// heartbeat asks a streamable_http server for a sign of life; a failed check loses the
// connection, which serve hears of.
func (l *link) heartbeat(ctx context.Context, conn mcpconn.Conn) {
	if l.httpKind() && l.active() {
		l.host.wg.Go(func() {
			if err := conn.Check(ctx); err != nil {
				l.host.opts.Logger.Debug("heartbeat", "server", l.name, "error", err)
			}
		})
	}
}

// leave takes the connection out of the views' sight, in one step with what then makes of
// the state. Its tools stay claimed. why is what the timeline says of its end.
func (l *link) leave(conn mcpconn.Conn, why string, then func(*linkState)) {
	held, recovered := conn.Tools(), conn.Recovered()
	l.change(func(s *linkState) {
		if s.gone != nil {
			close(s.gone)
		}
		s.phase, s.conn, s.gone, s.held = starting, nil, nil, held
		s.stage, s.progress, s.began = mcpconn.Resolve, "", time.Now()
		s.returned += recovered
		s.pid = 0
		l.timeline.end(s.start, why)
		then(s)
	})
}

// lose schedules the first try after a loss. How often it may try depends on how long the
// connection was healthy, not on a handshake that worked: else a server that exits after
// each handshake is started for ever.
func (l *link) lose(conn mcpconn.Conn, healthy time.Duration) {
	failure := conn.Lost()
	if failure == nil {
		failure = &mcpconn.Failure{Cause: mcpconn.Lost, Message: l.name + " ended the connection"}
	}
	l.leave(conn, failure.Message, func(s *linkState) {
		if healthy >= l.host.opts.Timing.ReconnectReset {
			s.tries = 0
		}
		s.lost = failure
		l.scheduleLocked(s)
	})
}

// afterFailure ends the attempt: one of a reconnect series schedules the next, a server
// that was not lost stays failed until somebody retries.
func (l *link) afterFailure(failure *mcpconn.Failure, took time.Duration) {
	l.host.opts.Logger.Debug("connect", "server", l.name, "cause", failure.Cause, "took", took)
	l.change(func(s *linkState) {
		s.failure, s.pid = failure, 0
		l.timeline.failedAt(s.start, *s, failure)
		if s.lost != nil && failure.Cause == mcpconn.SignIn {
			s.lost, s.nextTry = nil, time.Time{} // it needs the person, not another try
		}
		if s.lost == nil {
			s.phase, s.held = failed, nil
			return
		}
		l.scheduleLocked(s)
	})
}

// scheduleLocked plans the next try of a reconnect series, or ends it after the last.
func (l *link) scheduleLocked(s *linkState) {
	t := l.host.opts.Timing
	if s.tries >= t.ReconnectTries {
		s.phase, s.held, s.nextTry = failed, nil, time.Time{}
		return
	}
	s.tries++
	s.phase = waiting
	s.nextTry = time.Now().Add(backoff(t.ReconnectFirst, s.tries))
}

// backoff is the wait before try n of a series, from 1: first, then doubled with up to a
// fifth of jitter either way, so that servers that fell together do not rise together.
func backoff(first time.Duration, n int) time.Duration {
	if n <= 1 {
		return first
	}
	d := min(first<<min(n-1, 16), longestBackoff)
	return d - d/5 + rand.N(2*d/5+1)
}

// rest waits while nothing is connected: until the next try is due, a retry, or the end.
func (l *link) rest(ctx context.Context) {
	for ctx.Err() == nil {
		s := l.snapshot()
		if s.phase == starting {
			return // serve was ended by a retry
		}
		if s.phase == waiting && !time.Now().Before(s.nextTry) {
			return
		}
		if now, _ := l.retryDue(); now {
			return
		}
		retry, stop := l.retryTimer()
		var next <-chan time.Time
		timer := time.NewTimer(time.Until(s.nextTry))
		if s.phase == waiting {
			next = timer.C
		}
		select {
		case <-ctx.Done():
		case <-next:
		case <-retry:
		case <-l.poke:
		}
		timer.Stop()
		stop()
	}
}

// retryTimer fires when a merged retry is due; it never fires when there is none.
func (l *link) retryTimer() (c <-chan time.Time, stop func()) {
	l.mu.Lock()
	again := l.state.again
	l.mu.Unlock()
	if !again {
		return nil, func() {}
	}
	_, in := l.retryDue()
	timer := time.NewTimer(in)
	return timer.C, func() { timer.Stop() }
}
