package proc

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// snapshot lists every process of the machine by a toolhelp snapshot.
func snapshot(ctx context.Context) ([]Info, error) {
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer windows.CloseHandle(list)
	var all []Info
	entry := windows.ProcessEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Process32First(list, &entry); err == nil; err = windows.Process32Next(list, &entry) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p := Info{PID: int(entry.ProcessID), Parent: int(entry.ParentProcessID), Name: windows.UTF16ToString(entry.ExeFile[:])}
		inspect(p.PID, func(process windows.Handle) {
			var began, ended, kernel, user windows.Filetime
			if windows.GetProcessTimes(process, &began, &ended, &kernel, &user) == nil {
				p.Started = time.Unix(0, began.Nanoseconds())
				p.CPU = span(kernel) + span(user)
			}
		})
		all = append(all, p)
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return all, nil
}

// inspect calls look with a handle of the process, unless the system refuses one.
func inspect(pid int, look func(windows.Handle)) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return // the system's own, or it ended
	}
	defer windows.CloseHandle(process)
	look(process)
}

// span is a Filetime that counts a duration: steps of 100 ns.
func span(t windows.Filetime) time.Duration {
	return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * 100
}

// memoryCounters is PROCESS_MEMORY_COUNTERS.
type memoryCounters struct {
	size, pageFaults                 uint32
	peakWorkingSet, workingSet       uintptr
	quotaPeakPaged, quotaPaged       uintptr
	quotaPeakNonPaged, quotaNonPaged uintptr
	pageFile, peakPageFile           uintptr
}

// measure adds the command and the memory of a process.
func measure(_ context.Context, p *Info) {
	p.Shared = true
	inspect(p.PID, func(process windows.Handle) {
		var now memoryCounters
		now.size = uint32(unsafe.Sizeof(now))
		call := windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")
		if ok, _, _ := call.Call(uintptr(process), uintptr(unsafe.Pointer(&now)), uintptr(now.size)); ok != 0 {
			p.Memory = int64(now.workingSet)
		}
		p.Command = commandOf(process)
	})
}

// commandOf is the command line of a process, nil when the system does not tell.
func commandOf(process windows.Handle) []string {
	var needed uint32
	_ = windows.NtQueryInformationProcess(process, windows.ProcessCommandLineInformation, nil, 0, &needed) // tells the size
	if needed < uint32(unsafe.Sizeof(windows.NTUnicodeString{})) || needed > 1<<17 {
		return nil
	}
	block := make([]uintptr, (uintptr(needed)+unsafe.Sizeof(uintptr(0))-1)/unsafe.Sizeof(uintptr(0)))
	err := windows.NtQueryInformationProcess(process, windows.ProcessCommandLineInformation, unsafe.Pointer(&block[0]), needed, &needed)
	if err != nil {
		return nil
	}
	words, err := windows.DecomposeCommandLine((*windows.NTUnicodeString)(unsafe.Pointer(&block[0])).String())
	if err != nil {
		return nil
	}
	return words
}
