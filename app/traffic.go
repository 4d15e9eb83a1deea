package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"patchbay/backend/fsx"
)

// TrafficCommands show what goes between the shown session's servers and this program.
type TrafficCommands interface {
	Frames(ctx context.Context, server string, after uint64) (FramePage, error)
	FrameBody(ctx context.Context, server string, seq uint64) (FrameBody, error)
	// FindFrames returns the numbers after a number of the frames whose body holds text.
	FindFrames(ctx context.Context, server, text string, after uint64) ([]uint64, error)
	ClearFrames(ctx context.Context, server string) error
	ExportFrames(ctx context.Context, server string, to io.Writer) (count int, err error)
}

// Frames returns at most 500 frames of a server after a number.
func (m *MCP) Frames(server string, after uint64) (FramePage, error) {
	return call(m.core, "Frames", func(ctx context.Context) (FramePage, error) { return m.core.backend.Frames(ctx, server, after) })
}

// FrameBody returns what a frame holds.
func (m *MCP) FrameBody(server string, seq uint64) (FrameBody, error) {
	return call(m.core, "FrameBody", func(ctx context.Context) (FrameBody, error) { return m.core.backend.FrameBody(ctx, server, seq) })
}

// FindFrames returns the numbers after a number of the frames whose body holds a text.
func (m *MCP) FindFrames(server, text string, after uint64) ([]uint64, error) {
	return call(m.core, "FindFrames", func(ctx context.Context) ([]uint64, error) {
		return list(m.core.backend.FindFrames(ctx, server, text, after))
	})
}

// ClearFrames forgets the frames of a server.
func (m *MCP) ClearFrames(server string) error {
	return do(m.core, "ClearFrames", func(ctx context.Context) error { return m.core.backend.ClearFrames(ctx, server) })
}

// ExportFrames writes the frames of a server as JSON lines into a file that the person
// chooses, and returns its path; "" when they chose none.
func (m *MCP) ExportFrames(server string) (string, error) {
	return patiently(m.core, "ExportFrames", func(ctx context.Context) (string, error) {
		path, err := m.core.desktop.pickSave("Export traffic of "+server, fileName(server)+".jsonl")
		if err != nil || path == "" {
			return "", err
		}
		var text strings.Builder
		if _, err := m.core.backend.ExportFrames(ctx, server, &text); err != nil {
			return "", err
		}
		if err := fsx.WriteAtomic(path, []byte(text.String()), 0o600); err != nil {
			return "", fmt.Errorf("export the traffic: %w", err)
		}
		return path, nil
	})
}

// fileName is a server's name as the name of a file on every system.
func fileName(server string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*`, r) || r < ' ' {
			return '-'
		}
		return r
	}, server)
}
