package proc

import (
	"errors"
	"fmt"
	"strings"
)

// ErrClosed is the error of Start once the Supervisor is closed.
var ErrClosed = errors.New("start process: the application is closing")

// NotFoundError says that a command is in none of the folders that were searched.
type NotFoundError struct {
	Command      string
	SearchedPath string // the PATH of the child, "" when Command names a file
}

// Error names the command, where it was looked for and the way out.
func (e *NotFoundError) Error() string {
	if strings.ContainsAny(e.Command, `/\`) {
		return fmt.Sprintf("find command %q: no such file; check the path, or give the absolute one", e.Command)
	}
	if e.SearchedPath == "" {
		return fmt.Sprintf("find command %q: PATH is empty; set PATH or give the absolute path of the command", e.Command)
	}
	return fmt.Sprintf("find command %q: not in PATH (%s); install it, or give its absolute path", e.Command, e.SearchedPath)
}

// NotExecutableError says that a file was found but the system cannot run it.
type NotExecutableError struct {
	Path   string
	Reason string // e.g. "it has no execute permission"
}

// Error names the file and what keeps it from running.
func (e *NotExecutableError) Error() string {
	return fmt.Sprintf("run %s: %s", e.Path, e.Reason)
}

// BadDirError says that the folder a process is to run in cannot be used.
type BadDirError struct {
	Dir    string
	Reason string // e.g. "no such folder"
}

// Error names the folder and what is wrong with it.
func (e *BadDirError) Error() string {
	return fmt.Sprintf("use working folder %s: %s", e.Dir, e.Reason)
}
