package app

import (
	"log/slog"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
)

// browsers open an address with what the person chose for the web; the first that is there
// does.
var browsers = map[string][][]string{
	"linux":   {{"xdg-open"}, {"x-www-browser"}, {"www-browser"}},
	"darwin":  {{"open"}},
	"windows": {{"rundll32", "url.dll,FileProtocolHandler"}},
}

// browse opens an address of the web in the system's browser and does not wait for it: an
// opener may run for as long as the browser does.
func browse(logger *slog.Logger) func(address string) error {
	return func(address string) error {
		argv, err := browserCommand(goruntime.GOOS, exec.LookPath, address)
		if err != nil {
			return err
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		if err := cmd.Start(); err != nil {
			return &CommandError{Code: CodeInvalid, Message: filepath.Base(argv[0]) + " could not open the browser: " + err.Error()}
		}
		go func() { // only reaps: the browser is the person's and may outlive the window
			if err := cmd.Wait(); err != nil {
				logger.Warn("the opener of the browser ended", "program", argv[0], "error", err)
			}
		}()
		return nil
	}
}

// browserCommand is the command line that opens address on goos.
func browserCommand(goos string, look func(string) (string, error), address string) ([]string, error) {
	safe, err := webAddress(address)
	if err != nil {
		return nil, err
	}
	known, ok := browsers[goos]
	if !ok {
		known = browsers["linux"]
	}
	for _, each := range known {
		if found, err := look(each[0]); err == nil {
			return append(append([]string{found}, each[1:]...), safe), nil
		}
	}
	return nil, &CommandError{Code: CodeNotFound, Message: "no program opens a browser here: install xdg-utils, or copy the link into one"}
}
