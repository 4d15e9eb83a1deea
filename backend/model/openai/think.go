package openai

import "strings"

const (
	openTag  = "<think>"
	closeTag = "</think>"
	space    = " \t\r\n"
)

// splitter takes <think> … </think> out of an answer, wherever the chunks cut the tags.
// A <think> counts only at the start of the answer, so that text about the tag stays
// text. A </think> without its opening, at the start of the answer or of a line, is
// dropped once: templates that open it themselves leave it behind.
type splitter struct {
	emit    func(reasoning bool, text string)
	state   splitState
	pending string // may be the beginning of a tag
	thought bool   // a block was closed: space before the answer is not part of it
	tidied  bool   // no further orphan is looked for
}

type splitState int

const (
	atStart splitState = iota
	inThought
	inAnswer
)

func (s *splitter) push(text string) {
	s.pending += text
	for s.step() {
	}
}

// step takes what is decided off pending and reports whether there may be more.
func (s *splitter) step() bool {
	switch s.state {
	case atStart:
		return s.start()
	case inThought:
		before, after, found := strings.Cut(s.pending, closeTag)
		if !found {
			before, after = holdBack(s.pending, closeTag)
		}
		s.out(true, before)
		s.pending = after
		if found {
			s.state, s.thought, s.tidied = atStart, true, true
		}
		return found
	default:
		return s.answer()
	}
}

func (s *splitter) start() bool {
	rest := strings.TrimLeft(s.pending, space)
	switch {
	case strings.HasPrefix(rest, openTag):
		s.state, s.pending = inThought, rest[len(openTag):]
		return true
	case strings.HasPrefix(rest, closeTag):
		s.pending, s.thought, s.tidied = rest[len(closeTag):], true, true
		return true
	case strings.HasPrefix(openTag, rest), strings.HasPrefix(closeTag, rest):
		return false // nothing, or the beginning of a tag
	}
	if s.thought {
		s.pending = rest
	}
	s.state = inAnswer
	return true
}

func (s *splitter) answer() bool {
	if s.tidied {
		s.out(false, s.pending)
		s.pending = ""
		return false
	}
	const orphan = "\n" + closeTag
	before, after, found := strings.Cut(s.pending, orphan)
	if !found {
		before, after = holdBack(s.pending, orphan)
	}
	s.out(false, before)
	s.pending, s.tidied = after, found
	return found
}

// end hands out what was held back.
func (s *splitter) end() {
	if s.state != atStart || strings.TrimLeft(s.pending, space) != "" {
		s.out(s.state == inThought, s.pending)
	}
	s.pending = ""
}

func (s *splitter) out(reasoning bool, text string) {
	if text != "" {
		s.emit(reasoning, text)
	}
}

// holdBack splits off the longest end of text that is a beginning of tag.
func holdBack(text, tag string) (out, held string) {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return text[:len(text)-n], text[len(text)-n:]
		}
	}
	return text, ""
}
