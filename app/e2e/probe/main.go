//go:build linux && production

// Command probe is the window around a page and a backend that misbehave: tests see with
// it that no fault behind a bound call ends the program. It is built by make e2e only.
package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"time"

	"patchbay/app"
	"patchbay/backend/settings"
	"patchbay/backend/watch"
)

//go:embed page stuck
var pages embed.FS

// backend answers what the window reads by itself. Every command is a method of the nil
// interface it embeds, so that calling one dereferences nil.
type backend struct {
	app.Backend
}

func (backend) Servers() app.Source[app.MCPSnapshot] { return watch.NewValue(app.MCPSnapshot{}) }
func (backend) SessionList() app.Source[app.SessionsSnapshot] {
	return watch.NewValue(app.SessionsSnapshot{})
}
func (backend) Questions() app.Source[app.ApprovalsSnapshot] {
	return watch.NewValue(app.ApprovalsSnapshot{})
}
func (backend) Asks() app.Source[app.AsksSnapshot] { return watch.NewValue(app.AsksSnapshot{}) }
func (backend) SettingsValue() app.Source[app.SettingsSnapshot] {
	return watch.NewValue(app.SettingsSnapshot{})
}
func (backend) Trials() app.Source[app.Trial] { return watch.NewValue(app.Trial{}) }
func (backend) FollowChat(ctx context.Context, _ func(app.ChatEvent)) error {
	<-ctx.Done()
	return nil
}
func (backend) Media() http.Handler             { return nil }
func (backend) Place() settings.Window          { return settings.Window{} }
func (backend) KeepPlace(settings.Window) error { return nil }
func (backend) BrowseWith(func(string) error)   {}
func (backend) Start()                          {}
func (backend) Close() error                    { return nil }

// With a time as its argument, the page is one that never becomes ready, and that is how
// long the window waits for it.
func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	o := app.Options{Backend: backend{}, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	folder := "page"
	if len(args) > 0 {
		limit, err := time.ParseDuration(args[0])
		if err != nil {
			return err
		}
		folder, o.ReadyLimit = "stuck", limit
	}
	var err error
	if o.Assets, err = fs.Sub(pages, folder); err != nil {
		return err
	}
	return app.Run(o)
}
