package openai

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"patchbay/backend/model"
)

// maxWait is the longest wait a turn sits out; what an endpoint asks beyond it is told.
const maxWait = 5 * time.Minute

// wait is the pause before a further try: what the endpoint asks for, else the base
// doubled with each try and spread by a quarter.
func (c *client) wait(f *failure, try int) time.Duration {
	if f.after > 0 {
		return f.after
	}
	d := c.o.RetryBase << min(try-1, 5)
	return d + time.Duration(rand.Float64()*float64(d)/4)
}

// retryAfter reads Retry-After in both forms (RFC 9110, section 10.2.3) and the
// millisecond form that some endpoints add; 0 when there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < math.MaxInt32 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// countdown waits, telling how long it still takes: each second near the end, else every
// five seconds.
func countdown(ctx context.Context, wait time.Duration, f *failure, sink func(model.Chunk)) error {
	for end := time.Now().Add(wait); ; {
		left := time.Until(end)
		if left <= 0 {
			return nil
		}
		seconds := math.Ceil(left.Seconds())
		sink(model.Chunk{Kind: model.RetryChunk, Wait: left, Text: fmt.Sprintf("%s Trying again in %g s.", f.Message, seconds)})
		step := time.Second
		if left > 15*time.Second {
			step = 5 * time.Second
		}
		select {
		case <-time.After(min(step, left)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
