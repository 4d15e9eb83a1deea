package session

import (
	"io"

	"patchbay/backend/mcphost"
)

// Frames returns a page of a server's traffic after a number, 0 for all that is kept.
func (s *Session) Frames(name string, after uint64) (mcphost.FramePage, error) {
	if err := s.CheckName(name); err != nil {
		return mcphost.FramePage{}, err
	}
	return s.runtime.Frames(name, after), nil
}

// FrameBody returns a frame with its body as it may be shown; false when it is no longer
// kept.
func (s *Session) FrameBody(name string, number uint64) (f mcphost.Frame, body string, ok bool, err error) {
	if err := s.CheckName(name); err != nil {
		return mcphost.Frame{}, "", false, err
	}
	f, body, ok = s.runtime.FrameBody(name, number)
	return f, body, ok, nil
}

// FindFrames returns the numbers after a number of the frames that hold a text.
func (s *Session) FindFrames(name, text string, after uint64) ([]uint64, error) {
	if err := s.CheckName(name); err != nil {
		return nil, err
	}
	return s.runtime.FindFrames(name, text, after), nil
}

// ClearFrames forgets the frames of a server.
func (s *Session) ClearFrames(name string) error {
	if err := s.CheckName(name); err != nil {
		return err
	}
	s.runtime.ClearFrames(name)
	return nil
}

// ExportFrames writes the frames of a server as JSON lines and tells how many.
func (s *Session) ExportFrames(name string, to io.Writer) (count int, err error) {
	if err := s.CheckName(name); err != nil {
		return 0, err
	}
	return s.runtime.ExportFrames(name, to)
}
