package settings

import "fmt"

// Layout is how the window is divided. Widths are pixels, 0 the default.
type Layout struct {
	SessionsWidth  int  `json:"sessionsWidth,omitempty"`
	BoardWidth     int  `json:"boardWidth,omitempty"`
	SessionsHidden bool `json:"sessionsHidden,omitempty"`
	BoardHidden    bool `json:"boardHidden,omitempty"`
	BoardWide      bool `json:"boardWide,omitempty"` // the board takes the middle
}

// Window is where the window was when it was closed. Size 0 is the default, and X and Y
// then say nothing.
type Window struct {
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
}

// The ranges outside which a stored number is a mistake or another program's. Wide enough
// for a wall of screens.
const (
	minPane, maxPane     = 120, 4000
	minWidth, maxWidth   = 400, 16384
	minHeight, maxHeight = 300, 16384
	maxPlace             = 32768
)

func (l *Layout) clamp() {
	for _, width := range []*int{&l.SessionsWidth, &l.BoardWidth} {
		if *width <= 0 {
			*width = 0
			continue
		}
		*width = min(max(*width, minPane), maxPane)
	}
}

func (w *Window) clamp() {
	if w.Width <= 0 || w.Height <= 0 || max(w.X, -w.X) > maxPlace || max(w.Y, -w.Y) > maxPlace {
		*w = Window{Maximised: w.Maximised}
		return
	}
	w.Width = min(max(w.Width, minWidth), maxWidth)
	w.Height = min(max(w.Height, minHeight), maxHeight)
}

// SetLayout stores how the window is divided.
func (s *Store) SetLayout(layout Layout) error {
	if layout.SessionsWidth < 0 || layout.BoardWidth < 0 {
		return fmt.Errorf("the layout has a negative width")
	}
	layout.clamp()
	if s.current().Layout == layout {
		return nil
	}
	return s.change(func(v *Settings) { v.Layout = layout })
}

// SetWindow stores where the window is.
func (s *Store) SetWindow(window Window) error {
	window.clamp()
	if s.current().Window == window {
		return nil
	}
	return s.change(func(v *Settings) { v.Window = window })
}
