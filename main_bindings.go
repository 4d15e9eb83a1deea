//go:build bindings

package main

import (
	"embed"
	"fmt"
	"os"

	"patchbay/app"
)

//go:embed all:frontend/dist
var dist embed.FS

// main, under this tag, writes frontend/wailsjs and ends: see make bindings.
func main() {
	if err := app.Bindings(dist); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
