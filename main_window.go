//go:build (production || dev) && !bindings

package main

import (
	"embed"
	"os"

	"patchbay/app"
)

//go:embed all:frontend/dist
var dist embed.FS

// openWindow runs the window in this process.
func openWindow(args []string) int {
	return app.Start(app.Program{
		Version: version, Args: args, Assets: dist, Stdout: os.Stdout, Stderr: os.Stderr,
		Open: app.OpenLocal,
	})
}
