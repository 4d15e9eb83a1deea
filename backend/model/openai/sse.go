package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxEvent bounds one event, so that a broken endpoint cannot fill the memory.
const maxEvent = 32 << 20

var errEventSize = errors.New("an event is larger than 32 MiB")

// maxStray is how much of a body that is no stream is kept: a whole answer may be in it.
const maxStray = 8 << 20

// streamEnd is how a body ended.
type streamEnd struct {
	err     error  // nil at a clean end of the body
	done    bool   // [DONE] was seen
	events  int    // events with data
	stray   []byte // lines that are no field of an event stream
	partial bool   // the last event was cut
}

// readEvents reads server-sent events (WHATWG HTML, section 9.2) tolerantly: comments,
// CRLF, data over several lines, events without an empty line between them or at the end.
// alive is called for every line. It stops at [DONE], at the end of the body, or when
// event returns false.
func readEvents(body io.Reader, alive func(), event func(name string, data []byte) bool) streamEnd {
	r := &eventReader{event: event}
	lines := bufio.NewReaderSize(body, 64<<10)
	for first := true; ; first = false {
		line, err := readLine(lines)
		if first {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		alive()
		if len(line) > 0 || err == nil {
			if !r.line(line) {
				return r.end
			}
		}
		if err != nil {
			r.end.partial = len(bytes.TrimSpace(r.data)) > 0
			if err != io.EOF {
				r.end.err = err
			}
			return r.end
		}
	}
}

// readLine returns the next line without its end. At the end of the body it returns what
// is left beside the error.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxEvent {
			return nil, errEventSize
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

type eventReader struct {
	event func(name string, data []byte) bool
	name  string
	data  []byte
	open  bool // data holds lines of an event
	end   streamEnd
}

// line takes one line and reports whether to go on.
func (r *eventReader) line(line []byte) bool {
	if len(line) == 0 {
		goOn := r.flush()
		r.name = ""
		return goOn
	}
	if line[0] == ':' {
		return true
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "data":
		return r.addData(value)
	case "event":
		r.name = string(value)
	case "id", "retry":
	default:
		if len(r.end.stray) < maxStray {
			r.end.stray = append(append(r.end.stray, line...), '\n')
		}
	}
	return true
}

// addData hands an event on as soon as its data is a whole JSON value: the empty line
// that should follow may be missing.
func (r *eventReader) addData(value []byte) bool {
	if r.open {
		r.data = append(r.data, '\n')
	}
	r.open = true
	r.data = append(r.data, value...)
	if len(r.data) > maxEvent {
		r.end.err = errEventSize
		return false
	}
	if trimmed := bytes.TrimSpace(r.data); string(trimmed) == "[DONE]" || len(trimmed) > 0 && json.Valid(trimmed) {
		return r.flush()
	}
	return true
}

func (r *eventReader) flush() bool {
	data := bytes.TrimSpace(r.data)
	r.data, r.open = nil, false
	switch {
	case len(data) == 0:
		return true
	case string(data) == "[DONE]":
		r.end.done = true
		return false
	}
	r.end.events++
	return r.event(r.name, data)
}
