package proc

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TIOCGETA
	zombie     = 5 // SZOMB of sys/proc.h
)

// startTime identifies the process that has the number pid now.
func startTime(pid int) (string, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", err
	}
	if int(info.Proc.P_pid) != pid {
		return "", unix.ESRCH
	}
	return stamp(info), nil
}

func stamp(info *unix.KinfoProc) string {
	at := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec)
}

// groupLives reports whether the group has a member that is not a zombie.
func groupLives(group int) bool {
	members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	if err != nil {
		return true
	}
	for _, m := range members {
		if m.Proc.P_stat != zombie {
			return true
		}
	}
	return false
}

// machine names this boot.
func machine() string {
	boot, _ := unix.Sysctl("kern.bootsessionuuid")
	return boot
}

// marked lists this user's processes whose environment holds entry (NAME=value), this one
// left out. The system hides the environment of its own programs: those are not found.
func marked(entry string) []groupID {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil
	}
	var found []groupID
	for i := range all {
		pid := int(all[i].Proc.P_pid)
		if pid == os.Getpid() || all[i].Proc.P_stat == zombie {
			continue
		}
		args, err := unix.SysctlRaw("kern.procargs2", pid)
		if err == nil && hasVariable(args, entry) {
			found = append(found, groupID{pid, stamp(&all[i])})
		}
	}
	return found
}
