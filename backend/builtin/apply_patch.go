package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"patchbay/backend/fsx"
	"patchbay/backend/tool"
)

//go:embed apply_patch.md
var patchDescription string

const patchName = "apply_patch"

const patchSchema = `{"type":"object","properties":{` +
	`"patch":{"type":"string","description":"The patch, from *** Begin Patch to *** End Patch."}},` +
	`"required":["patch"]}`

type patchResult struct {
	FilesChanged      int          `json:"filesChanged"`
	OperationsApplied int          `json:"operationsApplied"`
	ChangedFiles      []string     `json:"changedFiles"`
	FileChanges       []fileChange `json:"fileChanges"`
}

type fileChange struct {
	Path         string `json:"path"`
	Operation    string `json:"operation"`
	MovedTo      string `json:"movedTo,omitempty"`
	LinesAdded   int    `json:"linesAdded"`
	LinesRemoved int    `json:"linesRemoved"`
}

func (f files) patchEntry() tool.Entry {
	return fileTool(tool.Spec{
		Name: patchName, Description: patchDescription, Parameters: json.RawMessage(patchSchema), Title: "Apply patch",
		Annotations: tool.Annotations{ReadOnly: hint(false), Destructive: hint(true), Idempotent: hint(false), OpenWorld: hint(false)},
	}, func(_ context.Context, raw json.RawMessage) (any, error) {
		plan, err := f.planPatch(raw)
		if err != nil {
			return nil, err
		}
		if err := plan.write(); err != nil {
			return nil, err
		}
		return plan.result, nil
	})
}

// patchPlan is a patch that was verified whole: what each file is and what it will be.
type patchPlan struct {
	files  files
	before map[string]*fileState // by real path, as it is on disk
	after  map[string]*fileState
	order  []string
	result patchResult
}

// fileState is the content of a file; nil data means that there is none.
type fileState struct {
	data  []byte
	mode  fs.FileMode
	shown string
}

func (f files) planPatch(raw json.RawMessage) (*patchPlan, error) {
	var args struct {
		Patch string `json:"patch"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return nil, err
	}
	ops, err := parsePatch(args.Patch)
	if err != nil {
		return nil, err
	}
	p := &patchPlan{files: f, before: map[string]*fileState{}, after: map[string]*fileState{}}
	p.result.ChangedFiles, p.result.FileChanges = []string{}, []fileChange{}
	for _, op := range ops {
		if err := p.add(op); err != nil {
			return nil, err
		}
	}
	p.result.OperationsApplied = len(ops)
	for _, path := range p.order {
		p.result.ChangedFiles = append(p.result.ChangedFiles, p.after[path].shown)
	}
	p.result.FilesChanged = len(p.order)
	return p, nil
}

// load finds a file as the operations so far leave it.
func (p *patchPlan) load(path string) (string, *fileState, error) {
	real, err := fsx.InsideForWrite(p.files.workspace, path)
	if err != nil {
		return "", nil, err
	}
	if state := p.after[real]; state != nil {
		return real, state, nil
	}
	state := &fileState{mode: 0o644, shown: p.files.relative(real)}
	info, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.before[real] = state
		return real, state, nil
	case err != nil:
		return "", nil, fmt.Errorf("look at %s: %w", path, err)
	case info.IsDir():
		return "", nil, fmt.Errorf("Path is a directory: %s", path)
	case !info.Mode().IsRegular():
		return "", nil, irregular(path)
	}
	state.mode = info.Mode().Perm()
	if state.data, err = os.ReadFile(real); err != nil {
		return "", nil, fmt.Errorf("read %s: %w", path, err)
	}
	if state.data == nil {
		state.data = []byte{}
	}
	p.before[real] = state
	return real, state, nil
}

func (p *patchPlan) set(real string, state *fileState) {
	if p.after[real] == nil {
		p.order = append(p.order, real)
	}
	p.after[real] = state
}

func (p *patchPlan) add(op patchOp) error {
	real, now, err := p.load(op.path)
	if err != nil {
		return err
	}
	change := fileChange{Path: now.shown, Operation: string(op.kind)}
	next := &fileState{mode: now.mode, shown: now.shown}
	switch op.kind {
	case patchAdd:
		if now.data != nil {
			return fmt.Errorf("File already exists: %s", op.path)
		}
		next.data = []byte(strings.Join(op.lines, "\n"))
		if len(op.lines) > 0 {
			next.data = append(next.data, '\n')
		}
		change.LinesAdded = len(op.lines)
	case patchDelete:
		if now.data == nil {
			return fmt.Errorf("File does not exist: %s", op.path)
		}
		change.LinesRemoved = len(splitText(now.data).lines)
	case patchUpdate:
		if now.data == nil {
			return fmt.Errorf("File does not exist: %s", op.path)
		}
		changed, err := splitText(now.data).apply(op.path, op.hunks)
		if err != nil {
			return err
		}
		next.data = changed.bytes()
		change.count(op.hunks)
		if op.to != "" {
			return p.move(real, next, op, change)
		}
	}
	p.set(real, next)
	p.result.FileChanges = append(p.result.FileChanges, change)
	return nil
}

func (c *fileChange) count(hunks []hunk) {
	for _, h := range hunks {
		for _, l := range h.lines {
			switch l.op {
			case '+':
				c.LinesAdded++
			case '-':
				c.LinesRemoved++
			}
		}
	}
}

func (p *patchPlan) move(from string, next *fileState, op patchOp, change fileChange) error {
	to, there, err := p.load(op.to)
	if err != nil {
		return err
	}
	if there.data != nil && to != from {
		return fmt.Errorf("File already exists: %s", op.to)
	}
	change.MovedTo = there.shown
	if to != from {
		p.set(from, &fileState{mode: next.mode, shown: next.shown})
	}
	p.set(to, &fileState{data: next.data, mode: next.mode, shown: there.shown})
	p.result.FileChanges = append(p.result.FileChanges, change)
	return nil
}

// write makes the files what the plan says; when one cannot be written, those written
// before get their old content back.
func (p *patchPlan) write() error {
	for i, path := range p.order {
		if err := p.put(path, p.after[path]); err != nil {
			var undo []error
			for _, done := range p.order[:i] {
				undo = append(undo, p.put(done, p.before[done]))
			}
			if e := errors.Join(undo...); e != nil {
				return fmt.Errorf("write %s: %w; taking the patch back went wrong too: %w", p.after[path].shown, err, e)
			}
			return fmt.Errorf("write %s: %w; nothing was changed", p.after[path].shown, err)
		}
	}
	return nil
}

func (p *patchPlan) put(path string, state *fileState) error {
	if state.data == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return fsx.WriteAtomic(path, state.data, state.mode)
}

// previewPatch is the whole change as one unified diff.
func (f files) previewPatch(raw json.RawMessage) (string, error) {
	p, err := f.planPatch(raw)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, path := range p.order {
		b.WriteString(diffOf(p.after[path].shown, p.before[path].data, p.after[path].data))
	}
	return b.String(), nil
}
