package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// named is the file that a path of a patch means: an absolute one inside the workspace is
// taken as it is, of any other a leading slash means the workspace.
func (f files) named(path string) string {
	if filepath.IsAbs(path) && fsx.Within(f.workspace, filepath.Clean(path)) {
		return path
	}
	return strings.TrimLeft(path, "/")
}

// isLink reports whether a path of a patch names a link itself.
func (f files) isLink(path string) bool {
	if path = f.named(path); !filepath.IsAbs(path) {
		path = filepath.Join(f.workspace, path)
	}
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// load finds a file as the operations so far leave it.
func (p *patchPlan) load(path string) (string, *fileState, error) {
	real, err := fsx.InsideForWrite(p.files.workspace, p.files.named(path))
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
		if p.files.isLink(op.path) {
			return fmt.Errorf("%s is a link: remove it with bash, or name the file it points to", op.path)
		}
		change.LinesRemoved = len(splitText(now.data).lines)
	case patchUpdate:
		if now.data == nil {
			return fmt.Errorf("File does not exist: %s", op.path)
		}
		if bytes.IndexByte(now.data, 0) >= 0 {
			return fmt.Errorf("%s is not UTF-8 text (UTF-16 or binary): change it with bash", op.path)
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

// write makes the files what the plan says; when one cannot be written, every step before
// it is undone, newest first.
func (p *patchPlan) write() error {
	var undo []func() error
	for _, path := range p.order {
		err := p.put(path, &undo)
		if err == nil {
			continue
		}
		var undone error
		for _, step := range slices.Backward(undo) {
			undone = errors.Join(undone, step())
		}
		if undone != nil {
			return fmt.Errorf("write %s: %w; taking the patch back went wrong too: %w", p.after[path].shown, err, undone)
		}
		return fmt.Errorf("write %s: %w; nothing was changed", p.after[path].shown, err)
	}
	return nil
}

// put writes or deletes one file and adds how to undo it.
func (p *patchPlan) put(path string, undo *[]func() error) error {
	next, old := p.after[path], p.before[path]
	if next.data != nil {
		for _, dir := range missingFolders(filepath.Dir(path)) {
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			*undo = append(*undo, func() error { return os.Remove(dir) })
		}
	}
	if err := writeState(path, next); err != nil {
		return err
	}
	*undo = append(*undo, func() error { return writeState(path, old) })
	return nil
}

// writeState makes the file what the state says; no data means no file.
func writeState(path string, state *fileState) error {
	if state.data != nil {
		return fsx.WriteAtomic(path, state.data, state.mode)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// missingFolders lists dir and those above it that do not exist, the uppermost first.
func missingFolders(dir string) []string {
	var missing []string
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			slices.Reverse(missing)
			return missing
		}
		missing = append(missing, dir)
	}
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
