package session

// turnProcess is here until its test is written below.
func turnProcess(workspace, text string) int { return 0 }
