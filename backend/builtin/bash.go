package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"patchbay/backend/fsx"
	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

//go:embed bash.md
var bashDescription string

const bashName = "bash"

const bashSchema = `{"type":"object","properties":{` +
	`"action":{"type":"string","enum":["exec","start","status","logs","write","stop","list"],"description":"What to do; exec when blank."},` +
	`"command":{"type":"string","description":"Shell command, for exec and start."},` +
	`"cwd":{"type":"string","description":"Working folder inside the workspace, for exec and start."},` +
	`"timeoutMs":{"type":"integer","description":"Time limit of exec in milliseconds."},` +
	`"processId":{"type":"string","description":"Background process, for status, logs, write and stop."},` +
	`"offset":{"type":"integer","description":"Where logs begin."},` +
	`"limit":{"type":"integer","description":"The most that logs return, in bytes."},` +
	`"input":{"type":"string","description":"Text for write."}},` +
	`"required":["action"]}`

// BashOptions says where commands run.
type BashOptions struct {
	Supervisor  *proc.Supervisor
	Environment *proc.Environment
	Workspace   string // folder that every cwd lies in
	OutputDir   string // where output that is too long for the model is kept; "": nowhere
}

// Bash is the tool that runs shell commands, and the owner of the background processes it
// started: they live until they end, are stopped, or Close. All methods may be called
// concurrently.
type Bash struct {
	opts BashOptions

	mu        sync.Mutex
	processes []*process            // in the background, in order of their start
	living    map[*process]struct{} // every one that has not finished, those of exec too
	closed    bool
	wait      sync.WaitGroup // one for every member of living
}

// NewBash returns the tool; it starts nothing.
func NewBash(o BashOptions) *Bash {
	return &Bash{opts: o, living: make(map[*process]struct{})}
}

// Entry is the tool as the model sees it. A call of it never runs beside others.
func (b *Bash) Entry() tool.Entry {
	yes, no := true, false
	sum := sha256.Sum256([]byte(bashName + "\x00" + bashDescription + "\x00" + bashSchema))
	return tool.Entry{
		Spec: tool.Spec{
			Name:        bashName,
			Description: strings.TrimSpace(bashDescription),
			Parameters:  json.RawMessage(bashSchema),
			Original:    bashName,
			Title:       "Shell",
			Annotations: tool.Annotations{ReadOnly: &no, Destructive: &yes, Idempotent: &no, OpenWorld: &yes},
			Hash:        hex.EncodeToString(sum[:]),
		},
		Invoke: b.invoke,
	}
}

// bashArgs are the arguments of a call. Models also send numbers as text and null.
type bashArgs struct {
	Action    string  `json:"action"`
	Command   string  `json:"command"`
	CWD       string  `json:"cwd"`
	TimeoutMs *number `json:"timeoutMs"`
	ProcessID string  `json:"processId"`
	Offset    *number `json:"offset"`
	Limit     *number `json:"limit"`
	Input     string  `json:"input"`
}

// number is a whole number, also when it stands in quotes or has a fraction of zero.
type number int64

// UnmarshalJSON reads 30000, 30000.0 and "30000", and 0 from "".
func (n *number) UnmarshalJSON(raw []byte) error {
	text := bytes.Trim(raw, `" `)
	if len(text) == 0 {
		return nil
	}
	value, err := json.Number(text).Float64()
	if err != nil || value != float64(int64(value)) {
		return fmt.Errorf("%s is not a whole number", raw)
	}
	*n = number(value)
	return nil
}

func (n *number) or(fallback int64) int64 {
	if n == nil {
		return fallback
	}
	return int64(*n)
}

func (b *Bash) invoke(ctx context.Context, call tool.Call, onProgress func(tool.Progress)) tool.Result {
	begin := time.Now()
	result := b.run(ctx, call.Arguments, onProgress)
	result.Took = time.Since(begin)
	return result
}

func (b *Bash) run(ctx context.Context, raw json.RawMessage, onProgress func(tool.Progress)) tool.Result {
	var args bashArgs
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return tool.Failed(tool.BadArguments, fmt.Sprintf("read arguments of bash: %v", err))
		}
	}
	if text := args.check(); text != "" {
		return tool.Failed(tool.BadArguments, text)
	}
	switch args.Action {
	case "exec":
		return b.exec(ctx, args, onProgress)
	case "start":
		return b.start(ctx, args)
	case "list":
		return jsonResult(b.Processes())
	}
	p, ok := b.find(args.ProcessID)
	if !ok {
		return tool.Failed(tool.ReasonNone, "Unknown processId: "+args.ProcessID)
	}
	switch args.Action {
	case "logs":
		return jsonResult(p.logs(args.Offset.or(0), args.Limit.or(defaultLogs)))
	case "write":
		return p.write(args.Input)
	case "stop":
		p.stop(ctx)
	}
	return jsonResult(p.snapshot())
}

// check fills in the action and returns what is wrong with the arguments, "" when nothing.
func (a *bashArgs) check() string {
	a.Action = strings.TrimSpace(a.Action)
	if a.Action == "" {
		a.Action = "exec"
	}
	switch a.Action {
	case "exec", "start":
		if strings.TrimSpace(a.Command) == "" {
			return "bash " + a.Action + " requires a non-empty command"
		}
		if strings.ContainsRune(a.Command, 0) {
			return "bash " + a.Action + " cannot run a command with a NUL character"
		}
	case "status", "logs", "write", "stop":
		if strings.TrimSpace(a.ProcessID) == "" {
			return "bash " + a.Action + " requires a processId"
		}
	case "list":
	default:
		return "unsupported bash action: " + a.Action
	}
	return ""
}

// folder is the real path of cwd, which lies in the workspace.
func (b *Bash) folder(cwd string) (string, error) {
	dir, err := fsx.Inside(b.opts.Workspace, cwd)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return "", fmt.Errorf("use cwd %s: no such folder in the workspace", cwd)
	}
	return dir, nil
}

// spec is how the shell runs command in dir.
func (b *Bash) spec(ctx context.Context, command, dir string) proc.Spec {
	env := proc.Merge(b.opts.Environment.Environ(ctx), quietly())
	spec := proc.Spec{Dir: dir, Env: env, RawStderr: true}
	if runtime.GOOS == "windows" {
		spec.Path, spec.CmdLine = "cmd.exe", `cmd.exe /d /s /c "`+command+`"`
		return spec
	}
	// No login shell: /etc/profile of many systems would overwrite PATH.
	spec.Path, spec.Args = "sh", []string{"-c", command}
	if _, err := proc.LookPath("bash", dir, env); err == nil {
		spec.Path = "bash"
	}
	return spec
}

// quietly keeps programs from waiting for a person: no prompt, pager, editor or colour.
func quietly() map[string]string {
	return map[string]string{
		"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true",
		"PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat", "EDITOR": "true", "VISUAL": "true",
		"DEBIAN_FRONTEND": "noninteractive", "TERM": "dumb", "NO_COLOR": "1",
	}
}

func jsonResult(v any) tool.Result { return tool.OKText(jsonText(v)) }

func jsonText(v any) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("encode the result: %v", err) // no type here can fail
	}
	return strings.TrimSuffix(out.String(), "\n")
}
