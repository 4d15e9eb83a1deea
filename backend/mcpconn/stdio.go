package mcpconn

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"patchbay/backend/proc"
)

// errFrameTooLarge ends a connection whose server sent more than maxFrame in one message.
var errFrameTooLarge = fmt.Errorf("the server sent a message of more than %d MiB", maxFrame>>20)

// stdioLink speaks newline-delimited JSON-RPC with a process (MCP, basic/transports, stdio).
// Lines that are no JSON-RPC do not end it: they are handed to noise (S11).
type stdioLink struct {
	*inbox
	process *proc.Process
	noise   func(line string)
	wg      sync.WaitGroup

	write sync.Mutex
}

func newStdioLink(p *proc.Process, noise func(string)) *stdioLink {
	l := &stdioLink{inbox: newInbox(), process: p, noise: noise}
	l.wg.Go(l.read)
	l.wg.Go(l.watch)
	return l
}

// drainTime is how long the last words of an ended process are waited for while something
// it started still holds its stdout.
const drainTime = 200 * time.Millisecond

// watch ends the link soon after the process did, whoever still holds its stdout.
func (l *stdioLink) watch() {
	select {
	case <-l.process.Done():
	case <-l.over:
		return
	}
	select {
	case <-time.After(drainTime):
		l.end(io.EOF)
	case <-l.over:
	}
}

func (l *stdioLink) read() {
	r := bufio.NewReaderSize(l.process.Stdout(), 16<<10) // forty servers have forty
	var p partial
	for {
		line, err := readLine(r)
		if errors.Is(err, errFrameTooLarge) {
			l.end(err)
			return
		}
		l.take(&p, line)
		if err != nil {
			l.giveUp(&p)
			l.end(io.EOF)
			return
		}
	}
}

// readLine reads one line of at most maxFrame bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		chunk, err := r.ReadSlice('\n')
		line = append(line, chunk...)
		if len(line) > maxFrame {
			return nil, errFrameTooLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// partial is a message that a server prints over several lines. It is decoded only when
// its brackets are balanced, so that a long one costs no more than its length.
type partial struct {
	text     []byte
	depth    int
	inString bool
	escaped  bool
}

// add takes one more line and reports whether the brackets are balanced now.
func (p *partial) add(line []byte) bool {
	if len(p.text) > 0 {
		p.text = append(p.text, '\n')
	}
	p.text = append(p.text, line...)
	for _, c := range line {
		switch {
		case p.escaped:
			p.escaped = false
		case p.inString && c == '\\':
			p.escaped = true
		case c == '"':
			p.inString = !p.inString
		case p.inString:
		case c == '{' || c == '[':
			p.depth++
		case c == '}' || c == ']':
			p.depth--
		}
	}
	return p.depth <= 0
}

// take handles one line; p holds what is still waiting for its rest.
func (l *stdioLink) take(p *partial, line []byte) {
	text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	if len(text) == 0 {
		return
	}
	if messages, ok := decodeFrame(text); ok {
		l.giveUp(p)
		l.putAll(messages)
		return
	}
	if len(p.text) == 0 && text[0] != '{' && text[0] != '[' {
		l.noise(string(text))
		return
	}
	balanced := p.add(text)
	if balanced {
		if messages, ok := decodeFrame(p.text); ok {
			l.putAll(messages)
			*p = partial{}
			return
		}
	}
	if balanced || len(p.text) > maxFrame {
		l.giveUp(p)
	}
}

func (l *stdioLink) putAll(messages []jsonrpc.Message) {
	for _, msg := range messages {
		l.put(msg)
	}
}

// giveUp hands to noise what never became a message.
func (l *stdioLink) giveUp(p *partial) {
	for line := range bytes.Lines(p.text) {
		l.noise(string(bytes.TrimSpace(line)))
	}
	*p = partial{}
}

// decodeFrame decodes one message or, as revisions before 2025-06-18 allow, a batch.
func decodeFrame(text []byte) ([]jsonrpc.Message, bool) {
	var parts []json.RawMessage
	switch text[0] {
	case '{':
		parts = []json.RawMessage{text}
	case '[':
		if json.Unmarshal(text, &parts) != nil {
			return nil, false
		}
	default:
		return nil, false
	}
	messages := make([]jsonrpc.Message, 0, len(parts))
	for _, part := range parts {
		var head struct {
			Version string `json:"jsonrpc"`
		}
		if json.Unmarshal(part, &head) != nil || head.Version != "2.0" {
			return nil, false
		}
		msg, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return nil, false
		}
		messages = append(messages, msg)
	}
	return messages, len(messages) > 0
}

// Write sends one message. The process may have ended: then its end is what readers see.
func (l *stdioLink) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	l.write.Lock()
	defer l.write.Unlock()
	if _, err := l.process.Stdin().Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write to the server: %w", err)
	}
	return nil
}

// Close ends the reading; the process is stopped by its owner.
func (l *stdioLink) Close() error {
	l.end(nil)
	return nil
}

// SessionID is empty: stdio has none.
func (l *stdioLink) SessionID() string { return "" }
