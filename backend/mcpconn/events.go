package mcpconn

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"time"
)

// event is one server-sent event (HTML Living Standard, server-sent events).
type event struct {
	name string // "" is "message"
	id   string
	data []byte
}

// eventReader reads a text/event-stream with a limit on the size of one event.
type eventReader struct {
	r     *bufio.Reader
	retry time.Duration // as the server last asked, 0 when it did not
	id    string        // of the last event that had one
}

func newEventReader(body io.Reader) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(body, 32<<10)}
}

// next returns the next event that has data. Comments count as nothing.
func (e *eventReader) next() (event, error) {
	var ev event
	size, hasData := 0, false
	for {
		line, err := readLine(e.r)
		if err != nil && len(line) == 0 {
			return event{}, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if size += len(line); size > maxFrame {
			return event{}, errFrameTooLarge
		}
		if len(line) == 0 {
			if hasData {
				return ev, nil
			}
			ev = event{}
			continue
		}
		hasData = e.field(&ev, line, hasData) || hasData
		if err != nil && hasData {
			return ev, nil // the last event, without its empty line
		}
	}
}

// field takes one line and reports whether it was data.
func (e *eventReader) field(ev *event, line []byte, hasData bool) bool {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		ev.name = string(value)
	case "id":
		ev.id = string(value)
		e.id = ev.id
	case "retry":
		if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	case "data":
		if hasData {
			ev.data = append(ev.data, '\n')
		}
		ev.data = append(ev.data, value...)
		return true
	}
	return false
}
