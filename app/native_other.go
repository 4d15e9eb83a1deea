//go:build !linux || !(production || dev)

package app

import (
	goruntime "runtime"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"patchbay/backend/settings"
)

// nativeShell is the shell of systems whose webview is not WebKitGTK.
type nativeShell struct{ system }

// hardenNative has nothing to do here: the faults it answers are WebKitGTK's, and the other
// webviews bring a lost page back themselves.
func hardenNative(pageEvents) {}

// tameWebKit has nothing to do here: the faults it answers are WebKitGTK's.
func tameWebKit() {}

// placeNative moves the window to where it was, if that is on a screen as large as the
// current ones: Wails does not tell where screens are.
func placeNative(s system, p settings.Window) {
	screens, err := runtime.ScreenGetAll(s.wails)
	if err != nil {
		return
	}
	for _, screen := range screens {
		if p.X >= 0 && p.Y >= 0 && p.X < screen.Size.Width-80 && p.Y < screen.Size.Height-40 {
			runtime.WindowSetPosition(s.wails, p.X, p.Y)
			return
		}
	}
}

func (s nativeShell) reload() { runtime.WindowReloadApp(s.wails) }

// dismiss does nothing: the system's dialog cannot be closed from here.
func (nativeShell) dismiss() {}

func (s nativeShell) ask(title, text string, answered func(choice)) {
	o := runtime.MessageDialogOptions{
		Type: runtime.QuestionDialog, Title: title, Message: text,
		Buttons: []string{"Reload", "Quit"}, DefaultButton: "Reload",
	}
	if goruntime.GOOS == "windows" { // it has Yes and No only
		o.Message += "\n\nYes reloads the window, No quits Patchbay."
	}
	go func() { // until the person answers
		said, err := runtime.MessageDialog(s.wails, o)
		switch {
		case err != nil:
			answered(chooseNothing)
		case said == "Reload" || said == "Yes":
			answered(chooseReload)
		case said == "Quit" || said == "No":
			answered(chooseQuit)
		default:
			answered(chooseNothing)
		}
	}()
}
