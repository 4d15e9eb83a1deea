//go:build !linux

package proc

// UnmapCold has nothing to do here: only Linux counts pages of a program as its memory that
// are not used any more.
func UnmapCold() {}
