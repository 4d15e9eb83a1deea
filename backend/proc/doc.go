// Package proc starts processes so that none is left behind: each in a process group of its
// own (a job object on Windows), known to a watchdog that outlives the application. It also
// finds commands and the environment they run in, as a person's login shell would.
package proc
