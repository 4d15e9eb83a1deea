package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wailsapp/wails/v2/pkg/options"

	"patchbay/backend/settings"
)

func TestKeepPlace(t *testing.T) {
	old := settings.Window{X: 10, Y: 20, Width: 900, Height: 700}
	now := settings.Window{X: 30, Y: 40, Width: 1000, Height: 800}
	large := settings.Window{Width: 1920, Height: 1080, Maximised: true}
	maximised := old
	maximised.Maximised = true
	tests := []struct {
		name string
		old  settings.Window
		now  seen
		want settings.Window
	}{
		{"a window", old, seen{Window: now}, now},
		{"a maximised one has its own size afterwards", old, seen{Window: large}, maximised},
		{"no longer maximised", maximised, seen{Window: now}, now},
		{"a minimised one is nowhere", old, seen{Window: settings.Window{X: -32000, Y: -32000, Width: 160, Height: 28}, minimised: true}, old},
		{"minimised while maximised", maximised, seen{Window: now, minimised: true}, maximised},
		{"the whole screen", old, seen{Window: large, fullscreen: true}, old},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := keep(tt.old, tt.now); got != tt.want {
				t.Fatalf("keep = %+v, want %+v", got, tt.want)
			}
		})
	}
}

// still is a Backend that cannot keep anything, or never answers.
type still struct {
	Backend
	err  error
	hang chan struct{}
}

func (s still) Place() settings.Window {
	return settings.Window{Width: 1, Height: 5000, Maximised: true}
}
func (s still) KeepPlace(settings.Window) error {
	if s.hang != nil {
		<-s.hang
	}
	return s.err
}

// quiet is a desktop whose window is where it is.
type quiet struct{ desktop }

func (quiet) place() seen { return seen{} }

func TestNothingAboutItsPlaceKeepsTheWindowFromClosing(t *testing.T) {
	for name, b := range map[string]still{"an error": {err: errors.New("disk full")}, "no answer": {hang: make(chan struct{})}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if b.hang != nil {
					b.hang = make(chan struct{}) // of this bubble
					defer close(b.hang)
				}
				var log strings.Builder
				w := &window{logger: slog.New(slog.NewTextHandler(&log, nil)), core: &core{backend: b, desktop: quiet{}}}
				w.shown.Store(true)
				began := time.Now()
				if w.beforeClose(context.Background()) || time.Since(began) > placeLimit {
					t.Fatalf("the window stays open, after %s", time.Since(began))
				}
				if !strings.Contains(log.String(), "not kept") {
					t.Errorf("the log says %q", log.String())
				}
			})
		})
	}
}

func TestTheWindowOpensAsItWasClosed(t *testing.T) {
	w := &window{core: &core{backend: still{}}}
	o := w.open(&options.App{Width: 1280, Height: 800, MinWidth: 720, MinHeight: 480})
	if o.Width != 720 || o.Height != 5000 || o.WindowStartState != options.Maximised {
		t.Fatalf("it opens with %d by %d, state %v", o.Width, o.Height, o.WindowStartState)
	}
}
