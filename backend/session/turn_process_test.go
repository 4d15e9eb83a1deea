package session

import (
	"context"
	"fmt"
	"os"
)

// turnProcess is a program with one session and one turn, for the test that kills it. It
// prints the session's id and waits for ever.
func turnProcess(workspace, text string) int {
	m, err := Open(Options{Version: "test", Mode: "auto"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer m.Close()
	s, err := m.NewSession(workspace)
	if err == nil {
		err = s.Enable("demo")
	}
	if err == nil {
		m.Show(s.ID())
		s.Start()
		err = s.Settled(context.Background())
	}
	if err == nil {
		err = s.Send(Prompt{Text: text})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(s.ID())
	select {}
}
