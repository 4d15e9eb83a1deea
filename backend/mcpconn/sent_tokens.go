package mcpconn

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// sentTokens are the newest tokens that requests of an attempt were signed with. A server may
// say them, so they are hidden in what it says.
type sentTokens struct {
	mu     sync.Mutex
	tokens []string // newest last
}

// maxSentTokens is how many are remembered; older ones are over.
const maxSentTokens = 8

func (s *sentTokens) add(token string) {
	if len(token) < minSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.tokens, token) {
		return
	}
	s.tokens = append(s.tokens, token)
	if len(s.tokens) > maxSentTokens {
		s.tokens = slices.Clone(s.tokens[1:]) // what was read before stays as it was
	}
}

func (s *sentTokens) all() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.tokens)
}

func (s *sentTokens) hide(text string) string {
	for _, token := range s.all() {
		text = strings.ReplaceAll(text, token, Hidden)
	}
	return text
}

// inFrame hides tokens in a frame, and the beginning of one at the end of a frame that was
// cut. The frame's size is that without them.
func (s *sentTokens) inFrame(f Frame) Frame {
	const least = 4 // shorter beginnings are everywhere
	before, cut := f.Body, f.Cut()
	for _, token := range s.all() {
		if bytes.Contains(f.Body, []byte(token)) {
			f.Body = bytes.ReplaceAll(f.Body, []byte(token), []byte(Hidden))
		}
		for n := min(len(token)-1, len(f.Body)); cut && n >= least; n-- {
			if bytes.HasSuffix(f.Body, []byte(token[:n])) {
				f.Body = slices.Concat(f.Body[:len(f.Body)-n], []byte(Hidden))
				break
			}
		}
	}
	f.Size += len(f.Body) - len(before)
	return f
}
