package mcphost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// What is kept of a server's traffic.
const (
	keptFrames     = 2000
	keptFrameBytes = 4 << 20 // of bodies and what goes with them
	frameOverhead  = 200     // bytes of a kept frame beside its body
	framesPerPage  = 500
)

// traffic is the last frames of one server: a ring that grows as it fills. It belongs to the
// server's place, like its timeline, and so goes on over reconnects and edits.
type traffic struct {
	base uint64 // number before the first frame

	mu     sync.Mutex
	told   uint64 // frames so far
	frames []kept // oldest first; the newest has the number base+told
	bytes  int
}

// kept is a frame with who knows its secrets.
type kept struct {
	mcpconn.Frame
	secrets *secrets
}

// secrets are those of one definition; what hides them is made when frames are first read.
type secrets struct {
	def  mcpconf.Definition
	once sync.Once
	mask *mcpconn.FrameMask
}

func (s *secrets) hide() *mcpconn.FrameMask {
	s.once.Do(func() { s.mask = mcpconn.NewFrameMask(s.def) })
	return s.mask
}

// numberBits count the frames of one second. Numbers begin where the clock stands, so that
// one that a saved conversation holds never names a frame of a later run; they stay within
// the 53 bits that the page keeps exact.
const numberBits = 23

func newTraffic(now time.Time) *traffic {
	return &traffic{base: uint64(max(1, now.Unix()-time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix())) << numberBits}
}

// add keeps a frame and returns its number.
func (t *traffic) add(f kept) (number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told++
	t.frames = append(t.frames, f)
	t.bytes += f.weight()
	for len(t.frames) > keptFrames || t.bytes > keptFrameBytes && len(t.frames) > 1 {
		t.bytes -= t.frames[0].weight()
		t.frames[0] = kept{} // its body goes now, not with the slice
		t.frames = t.frames[1:]
	}
	return t.base + t.told
}

func (f kept) weight() int { return len(f.Body) + len(f.Method) + len(f.ID) + frameOverhead }

// clear forgets the frames; numbers go on.
func (t *traffic) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.frames, t.bytes = nil, 0
}

// after returns the kept frames behind a number, at most limit, the number before the first
// of them, and the numbers before the oldest and of the newest kept one.
func (t *traffic) after(number uint64, limit int) (frames []kept, from, oldest, newest uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	newest = t.base + t.told
	oldest = newest - uint64(len(t.frames))
	from = min(max(number, oldest), newest)
	frames = t.frames[from-oldest:]
	if len(frames) > limit {
		frames = frames[:limit]
	}
	return append([]kept(nil), frames...), from, oldest, newest
}

// Frame keeps the message.
func (o observer) Frame(f mcpconn.Frame) (number uint64) {
	return o.link.traffic.add(kept{f, o.link.secrets})
}

// trafficLocked is that of a place, which is made when it is asked for.
func (h *Host) trafficLocked(place string) *traffic {
	t := h.traffic[place]
	if t == nil {
		t = newTraffic(time.Now())
		h.traffic[place] = t
	}
	return t
}

func (rt *Runtime) traffic(name string) *traffic {
	h := rt.host
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.traffic[rt.berth(mcpconf.Definition{Name: name}).place()]
}

// Frame is what may be shown of a mcpconn.Frame without its body: secrets are hidden.
type Frame struct {
	Number  uint64 // grows within a server, never used again by a later run
	At      time.Time
	Out     bool // to the server
	Kind    mcpconn.FrameKind
	Method  string
	ID      string
	Subject string        // what it is about: the tool, the URI, the error; "" where it does not say
	Size    int           // bytes of the whole message
	Cut     bool          // only the beginning of its body is kept
	Pair    uint64        // of the request that it answers, fails or cancels; 0 for none
	Took    time.Duration // since that request
}

// FramePage is a part of a server's traffic.
type FramePage struct {
	Frames []Frame
	Next   uint64 // what to ask for next
	Oldest uint64 // no frame up to this number is kept any more
	Newest uint64 // of the newest frame there is
}

// Frames returns the frames of a server after a number, 0 for all that are kept, oldest
// first and at most 500, whoever used the server: its sessions here share its connection.
func (rt *Runtime) Frames(name string, after uint64) FramePage {
	t := rt.traffic(name)
	if t == nil {
		return FramePage{Next: after, Oldest: after, Newest: after}
	}
	frames, from, oldest, newest := t.after(after, framesPerPage)
	page := FramePage{Next: from + uint64(len(frames)), Oldest: oldest, Newest: newest}
	for i, f := range frames {
		page.Frames = append(page.Frames, f.shown(from+uint64(i)+1))
	}
	return page
}

func (f kept) shown(number uint64) Frame {
	mask := f.secrets.hide()
	return Frame{
		Number: number, At: f.At, Out: f.Out, Kind: f.Kind, Method: mask.Text(f.Method), ID: mask.Text(f.ID),
		Subject: f.subject(mask), Size: f.Size, Cut: f.Cut(), Pair: f.Pair, Took: f.Took,
	}
}

// FrameBody returns a frame with its body as far as it is kept, JSON text but of noise and
// failures, secrets hidden; false when it is not kept any more.
func (rt *Runtime) FrameBody(name string, number uint64) (f Frame, body string, ok bool) {
	t := rt.traffic(name)
	if t == nil || number == 0 {
		return Frame{}, "", false
	}
	frames, from, _, _ := t.after(number-1, 1)
	if len(frames) == 0 || from != number-1 {
		return Frame{}, "", false
	}
	return frames[0].shown(number), frames[0].secrets.hide().Body(frames[0].Frame), true
}

// FindFrames returns the numbers after a number of the kept frames whose body, as it is
// shown, holds a text, letters of either case.
func (rt *Runtime) FindFrames(name, text string, after uint64) []uint64 {
	t := rt.traffic(name)
	if t == nil {
		return nil
	}
	frames, from, _, _ := t.after(after, keptFrames)
	text = strings.ToLower(text)
	var found []uint64
	for i, f := range frames {
		// Most bodies do not hold it: what hides secrets is spared them.
		if !strings.Contains(strings.ToLower(string(f.Body)), text) && !strings.Contains(mcpconn.Hidden, text) {
			continue
		}
		if strings.Contains(strings.ToLower(f.secrets.hide().Body(f.Frame)), text) {
			found = append(found, from+uint64(i)+1)
		}
	}
	return found
}

// ClearFrames forgets the frames of a server.
func (rt *Runtime) ClearFrames(name string) {
	if t := rt.traffic(name); t != nil {
		t.clear()
	}
}

// frameLine is a frame in an export.
type frameLine struct {
	Number  uint64            `json:"number"`
	At      string            `json:"at"`  // RFC 3339, milliseconds
	Way     string            `json:"way"` // "out" is to the server
	Kind    mcpconn.FrameKind `json:"kind"`
	Method  string            `json:"method,omitempty"`
	Pair    uint64            `json:"pair,omitempty"`
	TookMs  float64           `json:"tookMs,omitempty"`
	Size    int               `json:"size"`
	Cut     bool              `json:"cut,omitempty"`
	Message json.RawMessage   `json:"message,omitempty"`
	Text    string            `json:"text,omitempty"` // in the place of a message that is cut, or that is none
}

// ExportFrames writes the kept frames of a server as JSON lines, oldest first and with
// secrets hidden, and tells how many.
func (rt *Runtime) ExportFrames(name string, to io.Writer) (count int, err error) {
	t := rt.traffic(name)
	if t == nil {
		return 0, nil
	}
	frames, from, _, _ := t.after(0, keptFrames)
	w := bufio.NewWriter(to)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for i, f := range frames {
		if err := lines.Encode(f.line(from + uint64(i) + 1)); err != nil {
			return 0, err
		}
	}
	return len(frames), w.Flush()
}

func (f kept) line(number uint64) frameLine {
	mask := f.secrets.hide()
	line := frameLine{
		Number: number, At: f.At.Format("2006-01-02T15:04:05.000Z07:00"), Way: "in", Kind: f.Kind, Method: mask.Text(f.Method),
		Pair: f.Pair, TookMs: float64(f.Took.Microseconds()) / 1000, Size: f.Size, Cut: f.Cut(),
	}
	if f.Out {
		line.Way = "out"
	}
	body := mask.Body(f.Frame)
	if !f.Cut() && f.isMessage() && json.Valid([]byte(body)) {
		line.Message = json.RawMessage(body)
	} else {
		line.Text = body
	}
	return line
}

func (f kept) isMessage() bool { return f.Kind != mcpconn.NoiseFrame && f.Kind != mcpconn.FailedFrame }

// longestSubject is how many characters of a subject are shown.
const longestSubject = 160

// subject is what a frame is about.
func (f kept) subject(mask *mcpconn.FrameMask) string {
	text := ""
	switch f.Kind {
	case mcpconn.NoiseFrame, mcpconn.FailedFrame:
		text, _, _ = strings.Cut(mask.Body(f.Frame), "\n")
	case mcpconn.ErrorFrame:
		text = mask.Text(member(f.Body, "error", "message"))
	case mcpconn.RequestFrame, mcpconn.NotificationFrame:
		text = mask.Text(member(f.Body, "params", "name", "uri", "message", "data", "reason"))
	}
	if runes := []rune(text); len(runes) > longestSubject {
		return string(runes[:longestSubject]) + "…"
	}
	return text
}

// member is the first of some members of an object within a message that is a text. Of a
// message that was cut, what is left of it is read.
func member(body []byte, object string, names ...string) string {
	d := json.NewDecoder(bytes.NewReader(body))
	var path []string // names of the objects that are open, "" for lists
	found := map[string]string{}
	name, named := "", false
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		inObject := len(path) > 0 && path[len(path)-1] != "["
		switch v := token.(type) {
		case json.Delim:
			if v == '}' || v == ']' {
				path, named = path[:len(path)-1], false
				continue
			}
			if v == '[' {
				name = "["
			}
			path, name, named = append(path, name), "", false
			continue
		case string:
			if inObject && !named {
				name, named = v, true
				continue
			}
			if len(path) == 2 && path[1] == object {
				if found[name] = v; name == names[0] {
					return v
				}
			}
		}
		named = false
	}
	for _, each := range names {
		if found[each] != "" {
			return found[each]
		}
	}
	return ""
}
