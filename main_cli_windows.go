//go:build windows && !production && !dev && !bindings

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// become runs the program and answers with its exit code.
func become(program string, args []string) (int, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", program, err)
	}
	return 0, nil
}
