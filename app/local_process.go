package app

import (
	"context"
	"strconv"
	"strings"

	"patchbay/backend/mcphost"
	"patchbay/backend/proc"
	"patchbay/backend/session"
)

// ServerTimeline is the last starts of a server.
func (l *Local) ServerTimeline(_ context.Context, name string) (ServerTimeline, error) {
	s, err := l.current()
	if err != nil {
		return ServerTimeline{}, err
	}
	starts, total, err := s.Starts(name)
	if err != nil {
		return ServerTimeline{}, err
	}
	out := ServerTimeline{Starts: []ServerStart{}, Total: total}
	for _, start := range starts {
		out.Starts = append(out.Starts, toStart(start))
	}
	return out, nil
}

func toStart(s mcphost.Start) ServerStart {
	out := ServerStart{
		Number: s.Number, Reason: string(s.Reason), Try: s.Try, BeganMs: unixMs(s.Began), TookMs: wholeMs(s.Took),
		Stages: toStages(s.Stages), Stage: string(s.Stage), Outcome: string(s.Outcome), Cause: string(s.Cause),
		Message: s.Message, PID: s.PID, EndedMs: unixMs(s.Ended), End: s.End,
	}
	if s.Outcome != mcphost.StartConnected {
		out.StageMs = unixMs(s.Entered)
	}
	return out
}

// ServerProcesses is what runs of a server now.
func (l *Local) ServerProcesses(ctx context.Context, name string) (ServerProcesses, error) {
	s, err := l.current()
	if err != nil {
		return ServerProcesses{}, err
	}
	p, err := s.Processes(ctx, name)
	if err != nil {
		return ServerProcesses{}, err
	}
	out := ServerProcesses{
		Processes: []ProcessInfo{}, Memory: p.Memory, SharedTwice: p.Shared, CPUMs: wholeMs(p.CPU),
		Starts: p.Starts, Recovered: p.Recovered, LastEnd: p.LastEnd, LastEndMs: unixMs(p.LastEndAt),
	}
	for _, each := range p.Tree {
		out.Processes = append(out.Processes, toProcess(each))
	}
	return out, nil
}

func toProcess(p proc.Info) ProcessInfo {
	return ProcessInfo{
		PID: p.PID, Parent: p.Parent, Depth: p.Depth, Orphan: p.Orphan, Zombie: p.Zombie, Name: p.Name,
		Command: commandLine(p.Command), Memory: p.Memory, CPUMs: wholeMs(p.CPU), StartedMs: unixMs(p.Started),
	}
}

// commandLine joins words; those that could be mistaken for several are quoted.
func commandLine(words []string) string {
	shown := make([]string, len(words))
	for i, word := range words {
		shown[i] = word
		if word == "" || strings.ContainsAny(word, " \t\n\"'") {
			shown[i] = strconv.Quote(word)
		}
	}
	return strings.Join(shown, " ")
}

// ServerDoctor examines a server.
func (l *Local) ServerDoctor(ctx context.Context, callID, name string, again bool) (ServerDoctor, error) {
	s, err := l.current()
	if err != nil {
		return ServerDoctor{}, err
	}
	ctx, end, err := l.byHand.begin(ctx, callID)
	if err != nil {
		return ServerDoctor{}, err
	}
	defer end()
	d, err := s.Doctor(ctx, name, again)
	if err != nil {
		return ServerDoctor{}, err
	}
	return toDoctor(d), nil
}

// StopDoctor ends an examination.
func (l *Local) StopDoctor(_ context.Context, callID string) error {
	l.byHand.cancel(callID)
	return nil
}

func toDoctor(d session.Doctor) ServerDoctor {
	out := ServerDoctor{
		Transport: string(d.Type), Problems: orEmpty(d.Problems), Notes: orEmpty(d.Notes),
		Command: d.Command, Resolved: d.Resolved, Target: d.Target, Folder: d.Folder, EnvNames: orEmpty(d.EnvNames),
		Shell: d.Shell, Lacking: []LackingFolder{}, Variables: orEmpty(d.Variables), Programs: []DoctorProgram{},
		Line: d.Line, Set: orEmpty(d.Set),
	}
	for _, each := range d.Lacking {
		out.Lacking = append(out.Lacking, LackingFolder(each))
	}
	for _, p := range d.Programs {
		out.Programs = append(out.Programs, DoctorProgram{Name: p.Name, Here: FoundProgram(p.Here), There: FoundProgram(p.There), Differs: p.Differs()})
	}
	return out
}
