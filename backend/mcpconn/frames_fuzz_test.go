package mcpconn

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
)

// FuzzFrames feeds what a server may print to the reader of frames: whatever it is, it comes
// to its end, and a message is only what is JSON-RPC.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "Starting server…\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
		"{\n \"jsonrpc\": \"2.0\",\n \"method\": \"x\"\n}\n", "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]", "{\"a\":\"}\\\"\"\n}",
		"\xef\xbb\xbf{\"level\":\"info\"}\r\n42\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &stdioLink{inbox: newInbox(), noise: func(string) {}}
		l.end(nil) // nobody reads: put returns at once
		var p partial
		for line := range bytes.Lines(data) {
			l.take(&p, line)
			if len(p.text) > len(data) {
				t.Fatalf("%d bytes are kept of %d", len(p.text), len(data))
			}
		}
		l.giveUp(&p)
		if _, err := readLine(bufio.NewReader(bytes.NewReader(data))); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	})
}

// FuzzEvents feeds what a server may send to the reader of server-sent events: it comes to
// the end, with no more events and no more data than there were bytes.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"", "event: endpoint\ndata: /x\n\n", "data: a\ndata: b\nid: 7\nretry: 5\n\n: ping\n\ndata: last",
		"data\n\n", "\r\n\r\ndata:x\r\n\r\n", "id:\x00\nretry:-1\nretry:99999999999999999999\ndata:\n\n", "\xef\xbb\xbfdata: {}\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		events := newEventReader(bytes.NewReader(data))
		for n := 0; ; n++ {
			if n > len(data) {
				t.Fatalf("more events than bytes: %q", data)
			}
			ev, err := events.next()
			if err != nil {
				break
			}
			if len(ev.data) > len(data) {
				t.Fatalf("an event of %d bytes from %d", len(ev.data), len(data))
			}
		}
	})
}
