//go:build !bindings

// Patchbay is a coding agent whose tools come from MCP servers, and the live table of those
// servers. One main package makes two programs: patchbay, free of cgo, and patchbay-window
// (build tag production). Both know every command.
package main

import (
	"os"

	"patchbay/backend/cli"
)

// version is set by the linker.
var version = "dev"

func main() {
	args := os.Args[1:]
	if cli.WantsWindow(args) {
		os.Exit(openWindow(args))
	}
	os.Exit(cli.Main(cli.Program{Version: version, Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
