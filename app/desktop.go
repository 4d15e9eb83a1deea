package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// pickLimit is how long a dialog of the system may stay open.
const pickLimit = time.Hour

// desktop is what the window asks of the system around it.
type desktop interface {
	openFile(ctx context.Context, path string, line int) error
	openLink(address string) error
	pickFolder() (string, error)
	pickSave(title, name string) (path string, err error) // "" when the person cancels
	copyText(text string) error
	raise()
	place() seen
}

// system is the real desktop. Its context is the one Wails gives at startup: its functions
// end the program with any other.
type system struct{ wails context.Context }

func (s system) openLink(address string) error {
	runtime.BrowserOpenURL(s.wails, address)
	return nil
}

func (s system) pickFolder() (string, error) {
	return runtime.OpenDirectoryDialog(s.wails, runtime.OpenDialogOptions{Title: "Open workspace", CanCreateDirectories: true})
}

func (s system) pickSave(title, name string) (string, error) {
	return runtime.SaveFileDialog(s.wails, runtime.SaveDialogOptions{Title: title, DefaultFilename: name, CanCreateDirectories: true})
}

func (s system) copyText(text string) error {
	return runtime.ClipboardSetText(s.wails, text)
}

func (s system) raise() {
	runtime.WindowUnminimise(s.wails)
	runtime.WindowShow(s.wails)
}

// openFile starts an editor that can be told a line, else the system's opener.
func (s system) openFile(_ context.Context, path string, line int) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &CommandError{Code: CodeNotFound, Path: path, Message: "the file does not exist yet: " + path + ". Adding or enabling a server creates it"}
	}
	argv, err := editorCommand(goruntime.GOOS, exec.LookPath, path, line)
	if err != nil {
		return err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		return &CommandError{Code: CodeInvalid, Path: path, Message: "open " + path + " with " + filepath.Base(argv[0]) + ": " + err.Error()}
	}
	go func() { _ = cmd.Wait() }() // only reaps: the editor is the person's and may outlive the window
	return nil
}

// editors are asked in this order; each takes file:line with the flags given.
var editors = [][]string{{"code", "-g"}, {"codium", "-g"}, {"cursor", "-g"}, {"zed"}, {"subl"}}

// openers hand a file to whatever the person chose for it.
var openers = map[string][]string{
	"linux":   {"xdg-open"},
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// editorCommand is the command line that opens path at line (0: the beginning) on goos.
func editorCommand(goos string, look func(string) (string, error), path string, line int) ([]string, error) {
	if line > 0 {
		for _, editor := range editors {
			if found, err := look(editor[0]); err == nil {
				return append(append([]string{found}, editor[1:]...), path+":"+strconv.Itoa(line)), nil
			}
		}
	}
	opener := openers[goos]
	if opener == nil {
		opener = openers["linux"]
	}
	found, err := look(opener[0])
	if err != nil {
		return nil, &CommandError{Code: CodeNotFound, Path: path, Message: "no program to open " + path + " with: install xdg-utils or an editor such as code, or open the file by hand"}
	}
	return append(append([]string{found}, opener[1:]...), path), nil
}
