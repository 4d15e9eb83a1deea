//go:build linux && (production || dev)

package app

// #include <stdint.h>
import "C"

import "runtime/cgo"

// The window's thread calls these, in the order in which things happen: what is for the
// page is held back before the page is loaded again.

//export patchbayLoading
func patchbayLoading(handle C.uintptr_t) {
	cgo.Handle(handle).Value().(pageEvents).loading()
}

//export patchbayGone
func patchbayGone(handle C.uintptr_t, reason C.int) {
	text := "it crashed"
	if reason == 1 { // WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT
		text = "it took too much memory"
	}
	cgo.Handle(handle).Value().(pageEvents).gone(text)
}

//export patchbayDrawn
func patchbayDrawn(handle C.uintptr_t) { cgo.Handle(handle).Value().(pageEvents).drawn() }

//export patchbayAnswer
func patchbayAnswer(handle C.uintptr_t, answer C.int) {
	h := cgo.Handle(handle)
	answered := h.Value().(func(choice))
	h.Delete()
	go answered(map[C.int]choice{1: chooseReload, 0: chooseQuit}[answer])
}
