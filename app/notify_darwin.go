package app

import (
	"context"
	"log/slog"
	"os/exec"
	"time"
)

// notifyScript takes its texts as arguments: nothing of them is script.
const notifyScript = `on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run`

// scriptNotifier shows notes by osascript. A click shows no session: the system opens the
// program that sent the note, which is osascript.
type scriptNotifier struct{ unable *unable }

func newNotifier(logger *slog.Logger) notifier { return scriptNotifier{&unable{logger: logger}} }

func (s scriptNotifier) tell(n note, _ func()) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := exec.CommandContext(ctx, "/usr/bin/osascript", "-e", notifyScript, n.title, n.body).Run(); err != nil {
		s.unable.because(err)
	}
}

func (scriptNotifier) close() {}
