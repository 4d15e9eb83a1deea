//go:build linux && production

// Command probe is the window around a page and a backend that misbehave: tests see with
// it that no fault behind a bound call ends the program. It is built by make e2e only.
package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"os"

	"patchbay/app"
	"patchbay/backend/watch"
)

//go:embed page
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
func (backend) SettingsValue() app.Source[app.SettingsSnapshot] {
	return watch.NewValue(app.SettingsSnapshot{})
}
func (backend) FollowChat(ctx context.Context, _ func(app.ChatEvent)) error {
	<-ctx.Done()
	return nil
}
func (backend) Media() http.Handler { return nil }
func (backend) Start()              {}
func (backend) Close() error        { return nil }

func main() {
	page, err := fs.Sub(pages, "page")
	if err == nil {
		err = app.Run(app.Options{Assets: page, Backend: backend{}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
