package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// says connects and tells of frames with these bodies.
func says(bodies ...string) script {
	return func(_ context.Context, n int, obs mcpconn.Observer) (*fakeConn, error) {
		for _, body := range bodies {
			obs.Frame(mcpconn.Frame{At: time.Now(), Out: true, Kind: mcpconn.RequestFrame, Method: "tools/call", ID: fmt.Sprint(n), Body: []byte(body), Size: len(body)})
		}
		return newFakeConn("x"), nil
	}
}

func asked(name string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"name":"no","deep":[{"name":"no"}]},"name":"` + name + `"}}`
}

func subjects(page FramePage) string {
	var out []string
	for _, f := range page.Frames {
		out = append(out, f.Subject)
	}
	return strings.Join(out, " ")
}

// The ring goes on over a retry, an edit and a pause, and is that of the server for every
// session of the workspace.
func TestTrafficOutlivesConnections(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = func(ctx context.Context, n int, obs mcpconn.Observer) (*fakeConn, error) {
			return says(asked(fmt.Sprint("start-", n)))(ctx, n, obs)
		}
		rt := r.session("1")
		p := plan(wanted("a"))
		settle(t, rt, p)
		settle(t, rt, retries(p, map[string]uint64{"a": 1}))
		settle(t, rt, plan(with(wanted("a"), "a", func(s *mcpconf.Resolved) { s.Definition.Command = "other" })))
		rt.Apply(plan(with(wanted("a"), "a", pausedServer)))
		time.Sleep(time.Minute)
		page := rt.Frames("a", 0)
		if got := subjects(page); got != "start-1 start-2 start-3" {
			t.Errorf("frames of %q", got)
		}
		if page.Next != page.Frames[2].Number || page.Oldest != page.Frames[0].Number-1 || page.Next != page.Newest {
			t.Errorf("page %+v", page)
		}
		if got := subjects(rt.Frames("a", page.Frames[1].Number)); got != "start-3" {
			t.Errorf("after the second: %q", got)
		}
		if other := r.session("2"); subjects(other.Frames("a", 0)) != "start-1 start-2 start-3" {
			t.Error("another session of the workspace does not see them")
		}
		rt.ClearFrames("a")
		if page := rt.Frames("a", 0); len(page.Frames) != 0 || page.Oldest != page.Next {
			t.Errorf("after Clear: %+v", page)
		}
		if _, _, ok := rt.FrameBody("a", page.Frames[0].Number); ok {
			t.Error("a frame outlives Clear")
		}
		settle(t, rt, p)
		if again := rt.Frames("a", 0); len(again.Frames) != 1 || again.Frames[0].Number <= page.Next {
			t.Errorf("after Clear a number comes again: %+v", again)
		}
	})
}

// Frames of a connection that was made anew in the background arrive too: what reconnects
// is what people look at.
func TestTrafficOfAReconnect(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["a"] = says(asked("hello"))
		rt := r.session("1")
		settle(t, rt, plan(wanted("a")))
		r.dialer.last("a").die(mcpconn.Lost, "gone")
		time.Sleep(time.Minute)
		if got := subjects(rt.Frames("a", 0)); got != "hello hello" {
			t.Errorf("frames of %q", got)
		}
	})
}

func TestTrafficIsBounded(t *testing.T) {
	for name, tt := range map[string]struct{ frames, body, want int }{
		"by count": {3 * keptFrames, 10, keptFrames},
		"by bytes": {500, 64 << 10, keptFrameBytes / (64<<10 + frameOverhead + len("m"))},
		"by one":   {3, 2 * keptFrameBytes, 1},
		"not yet":  {7, 10, 7},
	} {
		t.Run(name, func(t *testing.T) {
			ring := newTraffic(time.Now())
			var last uint64
			for range tt.frames {
				number := ring.add(kept{mcpconn.Frame{Method: "m", Body: make([]byte, tt.body)}, &secrets{}})
				if last != 0 && number != last+1 {
					t.Fatalf("number %d after %d", number, last)
				}
				last = number
			}
			frames, from, oldest, newest := ring.after(0, 1<<30)
			if len(frames) != tt.want || newest != last || oldest != last-uint64(tt.want) || from != oldest {
				t.Errorf("%d kept, want %d; numbers %d %d %d of %d", len(frames), tt.want, from, oldest, newest, last)
			}
			weight := 0
			for _, f := range frames {
				weight += f.weight()
			}
			if weight != ring.bytes {
				t.Errorf("%d bytes are counted, %d kept", ring.bytes, weight)
			}
			ahead, from, _, _ := ring.after(last+5, 10)
			if len(ahead) != 0 || from != last {
				t.Errorf("a number of another run finds %d frames after %d", len(ahead), from)
			}
		})
	}
	if n := cap(newTraffic(time.Now()).frames); n != 0 {
		t.Errorf("%d frames are allocated up front", n)
	}
}

// A number in a saved conversation must not name a frame of a later run, and JavaScript
// must be able to hold it.
func TestFrameNumbersOfTwoRunsDiffer(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	one, two := newTraffic(now), newTraffic(now.Add(time.Second))
	if first, later := one.add(kept{}), two.add(kept{}); later < first+1<<numberBits {
		t.Errorf("%d and %d", first, later)
	}
	if far := newTraffic(now.AddDate(14, 0, 0)).add(kept{}); far >= 1<<53 {
		t.Errorf("%d is beyond what JavaScript keeps exact", far)
	}
}

func TestFramePages(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		bodies := make([]string, 2*framesPerPage+3)
		for i := range bodies {
			bodies[i] = asked(fmt.Sprint("t", i))
		}
		r.dialer.scripts["a"] = says(bodies...)
		rt := r.session("1")
		settle(t, rt, plan(wanted("a")))
		var got []string
		for after, more := uint64(0), true; more; {
			page := rt.Frames("a", after)
			for _, f := range page.Frames {
				got = append(got, asked(f.Subject))
			}
			after, more = page.Next, page.Next < page.Newest
		}
		if !slices.Equal(got, bodies) {
			t.Errorf("%d frames, want %d", len(got), len(bodies))
		}
		if found := rt.FindFrames("a", "T1000", 0); len(found) != 1 || found[0] != rt.Frames("a", 0).Oldest+1001 {
			t.Errorf("found %v", found)
		}
		if found := rt.FindFrames("a", "T1000", rt.Frames("a", 0).Oldest+1001); len(found) != 0 {
			t.Errorf("found again %v", found)
		}
	})
}

// Secrets are planted wherever frames may hold one, and looked for in everything that
// leaves the ring.
func TestNoFrameShowsASecret(t *testing.T) {
	const env, header, key = "env-s3cr3t-0815", "hdr-s3cr3t-0815", "arg-s3cr3t-0815"
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		text := func(secret string) string { return fmt.Sprintf("it is %s, really", secret) }
		r.dialer.scripts["a"] = func(_ context.Context, _ int, obs mcpconn.Observer) (*fakeConn, error) {
			for _, secret := range []string{env, header} {
				for _, body := range []string{
					asked(secret), `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + text(secret) + `"}}`,
					`{"jsonrpc":"2.0","id":"` + secret + `","error":{"code":1,"message":"` + text(secret) + `","data":{"x":["` + secret + `"]}}}`,
					`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\":\"` + secret + `\"}"}]}}`, text(secret), `{"half` + secret,
				} {
					for _, kind := range mcpconn.AllFrameKinds {
						obs.Frame(mcpconn.Frame{Kind: kind, Method: secret, ID: `"` + secret + `"`, Body: []byte(body), Size: len(body)})
						obs.Frame(mcpconn.Frame{Kind: kind, Body: []byte(body), Size: len(body) + 1})
					}
				}
			}
			for _, body := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"password":"` + key + `","headers":{"Authorization":"Bearer ` + key + `"}},"name":"login"}}`,
				`{"jsonrpc":"2.0","id":1,"result":{"access_token":"` + key + `"}}`,
			} {
				obs.Frame(mcpconn.Frame{Kind: mcpconn.RequestFrame, Body: []byte(body), Size: len(body)})
			}
			return newFakeConn("x"), nil
		}
		rt := r.session("1")
		settle(t, rt, plan(with(wanted("a"), "a", func(s *mcpconf.Resolved) {
			s.Definition.Env = map[string]string{"K": env}
			s.Definition.Headers = map[string]string{"X": header}
		})))
		var left strings.Builder
		if n, err := rt.ExportFrames("a", &left); err != nil || n < 100 {
			t.Fatalf("exported %d: %v", n, err)
		}
		newest := shownFrames(t, rt, &left)
		for _, secret := range []string{env, header, key} {
			if at := strings.Index(left.String(), secret); at >= 0 {
				t.Errorf("%s shows: %s", secret, left.String()[max(0, at-200):at+50])
			}
			if found := rt.FindFrames("a", secret, 0); len(found) > 0 {
				t.Errorf("%s is found in %v", secret, found)
			}
		}
		// The values of an older definition stay hidden when it has other ones; what the second
		// connection says is no secret of its own.
		settle(t, rt, plan(with(wanted("a"), "a", func(s *mcpconf.Resolved) { s.Definition.Command = "other" })))
		if found := rt.FindFrames("a", env, 0); len(found) == 0 || found[0] <= newest {
			t.Errorf("the old secret is found in %v, the old frames end with %d", found, newest)
		}
	})
}

// shownFrames writes everything that may be shown of a server's frames, and returns the
// number of the newest.
func shownFrames(t *testing.T, rt *Runtime, to *strings.Builder) (newest uint64) {
	t.Helper()
	for more := true; more; {
		page := rt.Frames("a", newest)
		for _, f := range page.Frames {
			shown, body, ok := rt.FrameBody("a", f.Number)
			if !ok {
				t.Fatalf("no body of %d", f.Number)
			}
			heads, err := json.Marshal([]Frame{f, shown})
			if err != nil {
				t.Fatal(err)
			}
			to.WriteString(string(heads) + body + "\n")
		}
		newest, more = page.Next, page.Next < page.Newest
	}
	return newest
}
