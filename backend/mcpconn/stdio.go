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
	r := bufio.NewReaderSize(l.process.Stdout(), 64<<10)
	var partial []byte // of a message that a server printed over several lines
	for {
		line, err := readLine(r)
		if errors.Is(err, errFrameTooLarge) {
			l.end(err)
			return
		}
		partial = l.take(partial, line)
		if err != nil {
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

// take handles one line and returns what is still waiting for its rest.
func (l *stdioLink) take(partial, line []byte) []byte {
	text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	if len(text) == 0 {
		return partial
	}
	if messages, ok := decodeFrame(text); ok {
		l.giveUp(partial)
		for _, msg := range messages {
			l.put(msg)
		}
		return nil
	}
	if len(partial) > 0 {
		joined := append(append(partial, '\n'), text...)
		if messages, ok := decodeFrame(joined); ok {
			for _, msg := range messages {
				l.put(msg)
			}
			return nil
		}
		if len(joined) <= maxFrame && !json.Valid(text) {
			return joined
		}
		l.giveUp(partial)
	}
	if text[0] == '{' && !json.Valid(text) {
		return bytes.Clone(text)
	}
	l.noise(string(text))
	return nil
}

func (l *stdioLink) giveUp(partial []byte) {
	for line := range bytes.Lines(partial) {
		l.noise(string(bytes.TrimSpace(line)))
	}
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
