package mcpconf

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"patchbay/backend/fsx"
)

// watchedPoll is between two looks at a file whose folder is watched: for file systems
// that report no events, and for a link that was pointed elsewhere.
const watchedPoll = 30 * time.Second

// watch reloads the file after each change until ctx ends. It watches folders, since
// watching the file itself ends with its first atomic replacement; a folder that does not
// exist yet, or cannot be watched, is looked at from time to time.
func (s *source) watch(ctx context.Context) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		s.opts.Logger.Warn("watch configuration; looking at it from time to time instead", "file", s.path, "error", err)
		w = &fsnotify.Watcher{} // its nil channels never speak
	} else {
		defer func() { _ = w.Close() }()
	}
	usable := err == nil
	poll := time.NewTimer(s.pollAfter(w, usable))
	defer poll.Stop()
	quiet := time.NewTimer(s.opts.Debounce) // once at the start: a change before the watch began
	defer quiet.Stop()
	var waiting time.Time // since the first change that was not looked at
	changed := func() {
		if waiting.IsZero() {
			waiting = time.Now()
		}
		if time.Since(waiting) < 10*s.opts.Debounce { // a file that never rests is looked at too
			quiet.Reset(s.opts.Debounce)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-w.Events:
			if ok && s.concerns(ev) {
				changed()
			}
		case <-w.Errors: // e.g. an overflow: the next look finds what was missed
			changed()
		case <-quiet.C:
			waiting = time.Time{}
			s.look(ctx)
			poll.Reset(s.pollAfter(w, usable))
		case <-poll.C:
			s.look(ctx)
			poll.Reset(s.pollAfter(w, usable))
		}
	}
}

// look reloads the file. One that has just vanished gets a moment to come back: some
// programs save by deleting first.
func (s *source) look(ctx context.Context) {
	s.turn <- struct{}{}
	vanished := s.seen.exists && !readContent(s.path).exists
	<-s.turn
	if vanished {
		select {
		case <-ctx.Done():
			return
		case <-time.After(3 * s.opts.Debounce):
		}
	}
	s.reload()
}

// pollAfter watches the folders of the file and of what it links to, where that is not
// done yet, and tells when to look next.
func (s *source) pollAfter(w *fsnotify.Watcher, usable bool) time.Duration {
	if !usable {
		return s.opts.Poll
	}
	after := max(watchedPoll, s.opts.Poll)
	for _, path := range s.paths() {
		dir := filepath.Dir(path)
		if slices.Contains(w.WatchList(), dir) {
			continue
		}
		if err := w.Add(dir); err != nil {
			after = s.opts.Poll
			continue
		}
		after = min(after, s.opts.Poll) // a change may have come just before the watch
	}
	return after
}

// paths are the names of the file whose folders matter.
func (s *source) paths() []string {
	paths := []string{s.path}
	if real, err := fsx.RealPath(s.path); err == nil && real != s.path {
		paths = append(paths, real)
	}
	return paths
}

func (s *source) concerns(ev fsnotify.Event) bool {
	for _, path := range s.paths() {
		if ev.Name == path || ev.Name == filepath.Dir(path) {
			return true
		}
	}
	return false
}
