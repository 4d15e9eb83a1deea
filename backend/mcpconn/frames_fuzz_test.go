package mcpconn

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
)

// FuzzFrames feeds what a server may print to the two readers of frames: whatever it is,
// they come to its end, and a message is only what is JSON-RPC.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "Starting server…\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
		"{\n \"jsonrpc\": \"2.0\",\n \"method\": \"x\"\n}\n", "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]", "{\"a\":\"}\\\"\"\n}",
		"\xef\xbb\xbf{\"level\":\"info\"}\r\n42\r\n", "event: endpoint\ndata: /x\n\n", "data: a\ndata: b\nid: 7\nretry: 5\n\n: ping\n\ndata: last",
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
		if _, err := readLine(bufio.NewReader(bytes.NewReader(data))); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	})
}
