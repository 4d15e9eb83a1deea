package app

import (
	"errors"
	"fmt"

	"patchbay/backend/mcpconf"
)

// The codes of a CommandError; the page branches on nothing else.
const (
	CodeNotFound   = "not_found"
	CodeInvalid    = "invalid"
	CodeConflict   = "conflict"
	CodeUnreadable = "unreadable"
	CodeBusy       = "busy"
	CodeNoKeyring  = "no_keyring" // the key may only be stored in a file, after the person agreed
	CodeInternal   = "internal"
)

// Error is the sentence for the person.
func (e *CommandError) Error() string { return e.Message }

// commandError is what the page gets for err: never empty.
func commandError(err error) *CommandError {
	var command *CommandError
	if errors.As(err, &command) && command.Message != "" && command.Code != "" {
		return command
	}
	var file *mcpconf.FileError
	if errors.As(err, &file) {
		return &CommandError{Code: CodeUnreadable, Message: file.Error(), Path: file.Path}
	}
	message := err.Error()
	if message == "" {
		message = fmt.Sprintf("the command ended with an error that says nothing (%T)", err)
	}
	return &CommandError{Code: CodeInvalid, Message: message}
}

// formatError is Wails' ErrorFormatter.
func formatError(err error) any {
	if err == nil {
		return nil
	}
	return commandError(err)
}
