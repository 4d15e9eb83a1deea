// Package proc starts processes so that none is left behind: each in a process group of its
// own (a job object on Windows), known to a watchdog that outlives the application.
package proc
