// Package builtin is the four tools that every workspace session has: bash, read_file,
// write_file and apply_patch. Each is x.go with x.md, which is what the model reads.
package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"patchbay/backend/approval"
	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

// Options say where the tools work.
type Options struct {
	Supervisor  *proc.Supervisor
	Environment *proc.Environment
	Workspace   string   // canonical folder
	ReadRoots   []string // canonical folders outside it that read_file may read
	OutputDir   string   // where long output is kept whole; read_file may read it
}

// Set is the tools of one session.
type Set struct {
	bash    *Bash
	entries []tool.Entry
	files   files
}

// files is what the file tools share.
type files struct {
	workspace string
	readRoots []string
}

// New returns the tools; nothing is started.
func New(o Options) *Set {
	s := &Set{
		bash: NewBash(BashOptions{
			Supervisor: o.Supervisor, Environment: o.Environment, Workspace: o.Workspace, OutputDir: o.OutputDir,
		}),
		files: files{workspace: o.Workspace, readRoots: slices.Clone(o.ReadRoots)},
	}
	if o.OutputDir != "" {
		s.files.readRoots = append(s.files.readRoots, o.OutputDir)
	}
	s.entries = []tool.Entry{s.bash.Entry(), s.files.readEntry(), s.files.writeEntry(), s.files.patchEntry()}
	return s
}

// Names lists the names that no server may have, from the tools themselves.
func Names() []string {
	var names []string
	for _, e := range New(Options{}).entries {
		names = append(names, e.Name)
	}
	return names
}

// Entries lists the tools in the order the model sees them.
func (s *Set) Entries() []tool.Entry { return s.entries }

// Bash gives readers the background processes.
func (s *Set) Bash() *Bash { return s.bash }

// Close ends everything that bash started.
func (s *Set) Close() { s.bash.Close() }

// Preview shows what a call is about to do: the command, the change as a diff, or the
// arguments. What cannot be previewed is shown as its arguments.
func (s *Set) Preview(call tool.Call) approval.Preview {
	switch call.Name {
	case bashName:
		return previewCommand(call.Arguments)
	case writeName:
		if diff, err := s.files.previewWrite(call.Arguments); err == nil {
			return approval.Preview{Kind: "diff", Text: diff}
		}
	case patchName:
		if diff, err := s.files.previewPatch(call.Arguments); err == nil {
			return approval.Preview{Kind: "diff", Text: diff}
		}
	}
	return Arguments(call.Arguments)
}

// Arguments is the preview of a call that has no better one: the JSON as it stands, with
// line breaks, so that no number and no character looks other than it is.
func Arguments(raw json.RawMessage) approval.Preview {
	var pretty bytes.Buffer
	if json.Indent(&pretty, raw, "", "  ") != nil {
		return approval.Preview{Kind: "arguments", Text: string(raw)}
	}
	return approval.Preview{Kind: "arguments", Text: pretty.String()}
}

func previewCommand(raw json.RawMessage) approval.Preview {
	var args struct{ Action, Command, CWD, ProcessID, Input string }
	if json.Unmarshal(raw, &args) != nil || args.Command == "" || !runsCommand(args.Action) {
		return Arguments(raw)
	}
	text := args.Command
	if args.CWD != "" {
		text = "cd " + args.CWD + "\n" + text
	}
	return approval.Preview{Kind: "command", Text: text}
}

// runsCommand reports whether an action of bash runs its command.
func runsCommand(action string) bool {
	switch strings.ToLower(strings.TrimSpace(action)) {
	case "", "exec", "start":
		return true
	}
	return false
}

// fileTool makes the entry of a tool whose work is a function of its arguments.
func fileTool(spec tool.Spec, run func(ctx context.Context, raw json.RawMessage) (any, error)) tool.Entry {
	spec.Description = strings.TrimSpace(spec.Description)
	spec.Original = spec.Name
	spec.Hash = tool.Hash(spec.Name, spec.Description, spec.Parameters, nil)
	return tool.Entry{
		Spec:     spec,
		Parallel: spec.Annotations.SaysReadOnly(),
		Invoke: func(ctx context.Context, call tool.Call, _ func(tool.Progress)) tool.Result {
			raw, err := tool.Arguments(call.Arguments)
			if err != nil {
				return tool.Failed(tool.BadArguments, err.Error())
			}
			result, err := run(ctx, raw)
			if err != nil {
				return tool.Failed(tool.ReasonNone, err.Error())
			}
			return jsonResult(result)
		},
	}
}

func hint(b bool) *bool { return &b }
