package history

import (
	"strconv"

	"golang.org/x/sys/windows"
)

// startTime tells two processes with one id apart: the creation time, in nanoseconds.
func startTime(pid int) (string, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", err
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	var code uint32
	const stillActive = 259
	if err := windows.GetExitCodeProcess(h, &code); err == nil && code != stillActive {
		return "", windows.ERROR_INVALID_PARAMETER // it has ended, someone holds a handle
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), nil
}
