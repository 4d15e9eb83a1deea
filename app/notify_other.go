//go:build !linux && !darwin

package app

import "log/slog"

// noNotifier shows nothing: a note on Windows needs an installed and registered program.
type noNotifier struct{}

func newNotifier(*slog.Logger) notifier { return noNotifier{} }

func (noNotifier) tell(note, func()) {}
func (noNotifier) close()            {}
