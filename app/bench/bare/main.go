//go:build linux && production

// Command bare is the least a window can be: one page with one line of text, whose only
// bound method says that the line is painted. What Patchbay's own window costs is measured
// against it.
package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
)

//go:embed page
var pages embed.FS

// Page is bound.
type Page struct{}

// Ready prints the line that the benchmark waits for.
func (*Page) Ready() { fmt.Println("the page is ready") }

func main() {
	page, err := fs.Sub(pages, "page")
	if err == nil {
		err = wails.Run(&options.App{
			Title: "Bare", Width: 1280, Height: 800, MinWidth: 720, MinHeight: 480,
			AssetServer: &assetserver.Options{Assets: page},
			Linux:       &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
			Bind:        []any{&Page{}},
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
