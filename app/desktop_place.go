package app

import (
	"context"
	"errors"
	"time"

	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"patchbay/backend/settings"
)

// placeLimit bounds what is done about the window's place while it closes.
const placeLimit = 2 * time.Second

// seen is what the system says about the window.
type seen struct {
	settings.Window
	minimised, fullscreen bool
}

// place reads where the window is.
func (s system) place() seen {
	var now seen
	now.Width, now.Height = runtime.WindowGetSize(s.wails)
	now.X, now.Y = runtime.WindowGetPosition(s.wails)
	now.Maximised = runtime.WindowIsMaximised(s.wails)
	now.minimised = runtime.WindowIsMinimised(s.wails)
	now.fullscreen = runtime.WindowIsFullscreen(s.wails)
	return now
}

// keep is what to remember of a window that is seen so. The size of one that fills the
// screen is the screen's, and a minimised one is nowhere: what was remembered stays, so that
// it has its own size again when it is no longer maximised.
func keep(old settings.Window, now seen) settings.Window {
	switch {
	case now.fullscreen:
		return old
	case now.minimised:
		old.Maximised = old.Maximised || now.Maximised
		return old
	case now.Maximised:
		old.Maximised = true
		return old
	}
	return now.Window
}

// open gives the window the size and state it was closed with.
func (w *window) open(o *options.App) *options.App {
	if w.core.backend == nil {
		return o
	}
	p := w.core.backend.Place()
	if p.Width > 0 {
		o.Width, o.Height = max(p.Width, o.MinWidth), max(p.Height, o.MinHeight)
	}
	if p.Maximised {
		o.WindowStartState = options.Maximised
	}
	return o
}

// beforeClose keeps the window's place. It runs before every end, that by a signal too, and
// never prevents it.
func (w *window) beforeClose(context.Context) (prevent bool) {
	if !w.shown.Load() {
		return false
	}
	done := make(chan error, 1)
	go func() { // ends with the file's lock at the latest; the window does not wait for it
		done <- w.core.backend.KeepPlace(keep(w.core.backend.Place(), w.core.desktop.place()))
	}()
	var err error
	select {
	case err = <-done:
	case <-time.After(placeLimit):
		err = errors.New("it takes too long")
	}
	if err != nil {
		w.logger.Warn("the window's place is not kept", "error", err)
	}
	return false
}
