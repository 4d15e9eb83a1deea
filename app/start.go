package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"patchbay/backend/fsx"
)

// Program is what the window is started with.
type Program struct {
	Version string
	Args    []string // without the program's name
	Assets  fs.FS
	Stdout  io.Writer
	Stderr  io.Writer
	// Open opens the sessions: files are read, no server starts before Backend.Start.
	Open func(LocalOptions) (Backend, error)
}

// LocalOptions say what a window starts with.
type LocalOptions struct {
	Version   string
	Workspace string // absolute; "" when none was named
	Logger    *slog.Logger
}

// Start opens the window, or hands the arguments to the one that is open, and returns the
// exit code: 0 when the window was closed or handed over to, 1 when it could not be opened,
// 2 for bad usage.
func Start(p Program) int {
	workspace, err := parseArgs(p.Args)
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 2
	}
	instance, handed, err := TakeInstance(context.Background(), fsx.AppDirs().Runtime, workspace)
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	if handed {
		fmt.Fprintln(p.Stdout, handedText(workspace))
		return 0
	}
	defer instance.Close()
	logger := slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: logLevel(os.Getenv("PATCHBAY_LOG"))}))
	backend, err := p.Open(LocalOptions{Version: p.Version, Workspace: workspace, Logger: logger})
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	if err := Run(Options{Assets: p.Assets, Backend: backend, Instance: instance, Logger: logger}); err != nil {
		fmt.Fprintln(p.Stderr, errors.Join(fmt.Errorf("open the window: %w", err), backend.Close()))
		return 1
	}
	return 0
}

// logLevel is from where on the window tells what happens on stderr: PATCHBAY_LOG (debug,
// info, warn or error), else warn.
func logLevel(name string) slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return slog.LevelWarn
	}
	return level
}

func handedText(workspace string) string {
	if workspace == "" {
		return "Patchbay is already open; its window comes forward."
	}
	return "Patchbay is already open; its window shows " + workspace + "."
}

// currentFolder is where the program was started, "" when that says nothing: a launcher
// starts it in the root or the home folder.
func currentFolder() string {
	dir, err := os.Getwd()
	if err != nil || filepath.Dir(dir) == dir {
		return ""
	}
	home, err := fsx.Home()
	if err != nil {
		return dir
	}
	if same, err := fsx.Canonical(home); err == nil && same == dir {
		return ""
	}
	return dir
}

// parseArgs reads [--workspace DIR] and returns the folder as an absolute path; the current
// one when none is named.
func parseArgs(args []string) (string, error) {
	if len(args) == 0 {
		return currentFolder(), nil
	}
	const flag = "--workspace"
	dir, inline := strings.CutPrefix(args[0], flag+"=")
	rest := args[1:]
	if !inline {
		if args[0] != flag || len(rest) == 0 {
			return "", errors.New("usage: patchbay [--workspace DIR]")
		}
		dir, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 || dir == "" {
		return "", errors.New("usage: patchbay [--workspace DIR]")
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the workspace %s: %w", dir, err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the workspace does not exist: %s", path)
	case err != nil:
		return "", fmt.Errorf("open the workspace: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("the workspace is no folder: %s", path)
	}
	return path, nil
}
