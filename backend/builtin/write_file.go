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

	"github.com/aymanbagabas/go-udiff"

	"patchbay/backend/fsx"
	"patchbay/backend/tool"
)

//go:embed write_file.md
var writeDescription string

const writeName = "write_file"

const writeSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"File, relative to the workspace."},` +
	`"content":{"type":"string","description":"The text to write."},` +
	`"mode":{"type":"string","enum":["create","overwrite","append"],"description":"overwrite when blank."}},` +
	`"required":["path","content"]}`

type writeArgs struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
	Mode    string  `json:"mode"`
}

type writeResult struct {
	Path         string `json:"path"`
	ResolvedPath string `json:"resolvedPath"`
	Mode         string `json:"mode"`
	Created      bool   `json:"created"`
	Appended     bool   `json:"appended"`
	BytesWritten int    `json:"bytesWritten"`
}

func (f files) writeEntry() tool.Entry {
	return fileTool(tool.Spec{
		Name: writeName, Description: writeDescription, Parameters: json.RawMessage(writeSchema), Title: "Write file",
		Annotations: tool.Annotations{ReadOnly: hint(false), Destructive: hint(true), Idempotent: hint(false), OpenWorld: hint(false)},
	}, func(_ context.Context, raw json.RawMessage) (any, error) {
		plan, err := f.planWrite(raw)
		if err != nil {
			return nil, err
		}
		return plan.run()
	})
}

// writePlan is a checked write.
type writePlan struct {
	args  writeArgs
	path  string // real
	shown string
	old   []byte
	isNew bool
}

func (f files) planWrite(raw json.RawMessage) (*writePlan, error) {
	p := &writePlan{}
	if err := decodeArgs(raw, &p.args); err != nil {
		return nil, err
	}
	if strings.TrimSpace(p.args.Path) == "" {
		return nil, errors.New("path is required")
	}
	if p.args.Content == nil {
		return nil, errors.New("content is required")
	}
	if p.args.Mode = strings.ToLower(strings.TrimSpace(p.args.Mode)); p.args.Mode == "" {
		p.args.Mode = "overwrite"
	}
	if p.args.Mode != "create" && p.args.Mode != "overwrite" && p.args.Mode != "append" {
		return nil, fmt.Errorf("Unsupported write mode: %s", p.args.Mode)
	}
	var err error
	if p.path, err = fsx.InsideForWrite(f.workspace, p.args.Path); err != nil {
		return nil, err
	}
	p.shown = f.relative(p.path)
	info, err := os.Stat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.isNew = true
		return p, nil
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", p.args.Path, err)
	case info.IsDir():
		return nil, fmt.Errorf("Target is a directory: %s", p.args.Path)
	case !info.Mode().IsRegular():
		return nil, irregular(p.args.Path)
	case p.args.Mode == "create":
		return nil, fmt.Errorf("File already exists: %s", p.args.Path)
	}
	if p.old, err = os.ReadFile(p.path); err != nil {
		return nil, fmt.Errorf("read %s: %w", p.args.Path, err)
	}
	return p, nil
}

func (p *writePlan) next() []byte {
	if p.args.Mode == "append" {
		return append(append([]byte{}, p.old...), *p.args.Content...)
	}
	return []byte(*p.args.Content)
}

func (p *writePlan) run() (*writeResult, error) {
	if err := os.MkdirAll(filepath.Dir(p.path), 0o755); err != nil {
		return nil, fmt.Errorf("create the folder of %s: %w", p.args.Path, err)
	}
	if err := fsx.WriteAtomic(p.path, p.next(), 0o644); err != nil {
		return nil, fmt.Errorf("write %s: %w", p.args.Path, err)
	}
	return &writeResult{
		Path: p.shown, ResolvedPath: p.path, Mode: p.args.Mode, Created: p.isNew,
		Appended: p.args.Mode == "append" && !p.isNew, BytesWritten: len(*p.args.Content),
	}, nil
}

// previewWrite is the change as a unified diff.
func (f files) previewWrite(raw json.RawMessage) (string, error) {
	p, err := f.planWrite(raw)
	if err != nil {
		return "", err
	}
	return diffOf(p.shown, p.old, p.next()), nil
}

func diffOf(path string, old, next []byte) string {
	return udiff.Unified("a/"+path, "b/"+path, strings.ToValidUTF8(string(old), "\uFFFD"), strings.ToValidUTF8(string(next), "\uFFFD"))
}
