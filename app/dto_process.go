package app

// ServerTimeline is the last starts of a server.
type ServerTimeline struct {
	Starts []ServerStart `json:"starts"` // newest first, at most ten
	Total  int           `json:"total"`  // since the application opened
}

// ServerStart is one attempt to connect a server.
type ServerStart struct {
	Number  uint64      `json:"number"` // from 1
	Reason  string      `json:"reason"` // first, again, edited, retry, reconnect
	Try     int         `json:"try"`    // of a reconnect series, 0 outside one
	BeganMs int64       `json:"beganMs"`
	TookMs  int64       `json:"tookMs"`  // to its outcome, 0 while it runs
	Stages  []StageTime `json:"stages"`  // finished ones in order
	Stage   string      `json:"stage"`   // that runs, failed or was cut; "" when connected
	StageMs int64       `json:"stageMs"` // when that began, 0 when there is none
	Outcome string      `json:"outcome"` // running, connected, failed, cut
	Cause   string      `json:"cause"`   // of a failed one
	Message string      `json:"message"` // why it failed or was cut
	PID     int         `json:"pid"`     // 0 when it had no process
	EndedMs int64       `json:"endedMs"` // of its connection, 0 while that lives
	End     string      `json:"end"`     // why that ended
}

// ServerProcesses is what runs of a server now.
type ServerProcesses struct {
	Processes   []ProcessInfo `json:"processes"`   // parents before children; empty when nothing runs
	Memory      int64         `json:"memory"`      // bytes
	SharedTwice bool          `json:"sharedTwice"` // pages that several share count for each
	CPUMs       int64         `json:"cpuMs"`
	Starts      int           `json:"starts"` // since the application opened
	Recovered   int           `json:"recovered"`
	LastEnd     string        `json:"lastEnd"` // why the one before ended, "" when none did
	LastEndMs   int64         `json:"lastEndMs"`
}

// ProcessInfo is one process.
type ProcessInfo struct {
	PID       int    `json:"pid"`
	Parent    int    `json:"parent"`
	Depth     int    `json:"depth"`  // below the server's own process
	Orphan    bool   `json:"orphan"` // the one that started it is gone
	Zombie    bool   `json:"zombie"`
	Name      string `json:"name"`
	Command   string `json:"command"` // without secrets, "" when hidden
	Memory    int64  `json:"memory"`  // bytes
	CPUMs     int64  `json:"cpuMs"`
	StartedMs int64  `json:"startedMs"` // 0 when unknown
}

// ServerDoctor says in what a server's start here differs from one in a terminal.
type ServerDoctor struct {
	Transport string          `json:"transport"`
	Problems  []string        `json:"problems"`
	Notes     []string        `json:"notes"`
	Command   string          `json:"command"`
	Resolved  string          `json:"resolved"` // "" when nothing was found
	Target    string          `json:"target"`   // through symbolic links, "" when the same
	Folder    string          `json:"folder"`
	EnvNames  []string        `json:"envNames"`
	Shell     string          `json:"shell"` // the login shell, "" for none
	Lacking   []LackingFolder `json:"lacking"`
	Variables []string        `json:"variables"` // names that the login shell sets and this process lacks
	Programs  []DoctorProgram `json:"programs"`
	Line      string          `json:"line"` // for a terminal
	Set       []string        `json:"set"`  // variables that the line needs in place of stored values
}

// LackingFolder is an entry of the login shell's PATH that this process lacks.
type LackingFolder struct {
	Folder string `json:"folder"`
	Added  bool   `json:"added"` // the server gets it all the same
}

// DoctorProgram is a program that the command depends on.
type DoctorProgram struct {
	Name    string       `json:"name"`
	Here    FoundProgram `json:"here"`
	There   FoundProgram `json:"there"` // as the login shell finds it
	Differs bool         `json:"differs"`
}

// FoundProgram is where a program was found.
type FoundProgram struct {
	Path    string `json:"path"` // "" when it was not found
	Version string `json:"version"`
	Problem string `json:"problem"` // why the version is not known
}
