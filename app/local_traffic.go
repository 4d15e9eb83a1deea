package app

import (
	"context"
	"io"
	"time"
)

// Frames returns a part of a server's traffic.
func (l *Local) Frames(_ context.Context, server string, after uint64) (FramePage, error) {
	s, err := l.current()
	if err != nil {
		return FramePage{}, err
	}
	page, err := s.Frames(server, after)
	if err != nil {
		return FramePage{}, err
	}
	out := FramePage{Frames: []Frame{}, Oldest: page.Oldest, Newest: page.Newest}
	for _, f := range page.Frames {
		out.Frames = append(out.Frames, Frame{
			Seq: f.Number, AtMs: unixMs(f.At), Out: f.Out, Kind: string(f.Kind), Method: f.Method, ID: f.ID, Subject: f.Subject,
			Size: f.Size, Pair: f.Pair, TookMs: float64(f.Took) / float64(time.Millisecond),
		})
	}
	return out, nil
}

// FrameBody returns what a frame holds.
func (l *Local) FrameBody(_ context.Context, server string, seq uint64) (FrameBody, error) {
	s, err := l.current()
	if err != nil {
		return FrameBody{}, err
	}
	f, body, ok, err := s.FrameBody(server, seq)
	return FrameBody{Text: body, Size: f.Size, Cut: f.Cut, Gone: !ok}, err
}

// FindFrames returns the numbers of the frames that hold a text.
func (l *Local) FindFrames(_ context.Context, server, text string, after uint64) ([]uint64, error) {
	s, err := l.current()
	if err != nil {
		return nil, err
	}
	return s.FindFrames(server, text, after)
}

// ClearFrames forgets the frames of a server.
func (l *Local) ClearFrames(_ context.Context, server string) error {
	s, err := l.current()
	if err != nil {
		return err
	}
	return s.ClearFrames(server)
}

// ExportFrames writes the frames of a server.
func (l *Local) ExportFrames(_ context.Context, server string, to io.Writer) (int, error) {
	s, err := l.current()
	if err != nil {
		return 0, err
	}
	return s.ExportFrames(server, to)
}
