package mcpconn

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// get opens a stream of the server's own messages.
func (l *streamableLink) get(ctx context.Context, after string) (*http.Response, error) {
	req, err := l.to.request(ctx, http.MethodGet, l.to.url, nil)
	if err != nil {
		return nil, err
	}
	l.sign(req)
	if after != "" {
		req.Header.Set(lastEventID, after)
	}
	resp, err := l.to.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || mediaType(resp) != "text/event-stream" {
		defer resp.Body.Close()
		return nil, l.refused(resp)
	}
	return resp, nil
}

// listen keeps the stream of the server's own messages open. A server without one (405) is
// fine.
func (l *streamableLink) listen() {
	answered := sync.OnceFunc(func() { close(l.listened) })
	late := time.AfterFunc(listenGrace, answered)
	defer late.Stop()
	defer answered()
	_ = l.keepOpen(l.ctx, func(ctx context.Context, after string) (*http.Response, error) { // what ends the link is in fault
		resp, err := l.get(ctx, after)
		answered()
		return resp, err
	})
}

// awaitListening lets a call wait until the stream is there: what a server asks during a call
// may come by it, and many servers drop what they cannot send at once.
func (l *streamableLink) awaitListening(ctx context.Context) {
	select {
	case <-l.listened:
	case <-ctx.Done():
	}
}

// subscribe keeps the stream of a subscriptions/listen open (MCP 2026-07-28), which has no
// way to go on where it was cut: what may have been missed is read again.
func (l *streamableLink) subscribe(ctx context.Context, req *jsonrpc.Request, data []byte) error {
	tries := 0
	return l.keepOpen(ctx, func(ctx context.Context, _ string) (*http.Response, error) {
		tries++
		resp, err := l.post(ctx, data, l.requestHeaders(req))
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusOK || mediaType(resp) != "text/event-stream" {
			defer resp.Body.Close()
			return nil, l.refused(resp)
		}
		if tries > 1 {
			for _, notice := range missedBy(req) {
				l.put(notice)
			}
		}
		return resp, nil
	})
}

// keepOpen opens a stream again as often as it is cut, until ctx ends or the server says
// that it has none. A server that no longer answers at all is gone, and that ends the link.
func (l *streamableLink) keepOpen(ctx context.Context, open func(ctx context.Context, after string) (*http.Response, error)) error {
	id, wait, refusals := "", reopenFirst, 0
	for {
		resp, err := open(ctx, id)
		switch {
		case err == nil:
			refusals = 0
			lively, last := l.follow(resp)
			if lively {
				wait = reopenFirst
			}
			id = cmp.Or(last, id)
		case errors.Is(err, errExpired):
			l.end(errExpired)
			return err
		case isDial(err):
			if refusals++; refusals >= reopenTries {
				l.end(err)
				return err
			}
		case hasNoStream(err):
			return err
		}
		if !pause(ctx, wait/2+rand.N(wait/2+1)) {
			return context.Cause(ctx)
		}
		wait = min(wait*2, reopenMost)
		if refusals > 0 {
			wait = reopenFirst / 4
		}
	}
}

// hasNoStream reports whether a server said that it offers no such stream.
func hasNoStream(err error) bool {
	var status *statusError
	return isRPC(err) || errors.As(err, &status) && status.Status < 500 && status.Status != http.StatusTooManyRequests
}

// follow reads one stream to its end; lively says that it carried a message.
func (l *streamableLink) follow(resp *http.Response) (lively bool, last string) {
	defer resp.Body.Close()
	events := newEventReader(resp.Body)
	for {
		ev, err := events.next()
		if err != nil {
			return lively, events.id
		}
		messages, ok := l.to.decode(ev.data)
		for _, msg := range messages {
			l.put(msg)
		}
		lively = lively || ok
	}
}
