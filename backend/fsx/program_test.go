package fsx

import (
	"os"
	"testing"
)

// A program that is not the window, such as this test, starts itself.
func TestCommandLineIsThisProgramWhereNoOtherStandsBesideIt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := CommandLine(); err != nil || got != self {
		t.Errorf("CommandLine() = %q, %v; want %q", got, err, self)
	}
}
