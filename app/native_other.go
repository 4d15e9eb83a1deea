//go:build !linux || !(production || dev)

package app

// hardenNative has nothing to do here: the two faults it answers are WebKitGTK's.
func hardenNative() {}

// quietGPU has nothing to do here: the fault it answers is WebKitGTK's.
func quietGPU() {}
