package proc

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// fakeFiles is a finder over a table of paths; the mode matters on unix only.
func fakeFiles(goos string, files map[string]fs.FileMode) finder {
	return finder{goos: goos, stat: func(path string) (fs.FileInfo, error) {
		key := path
		if goos == "windows" {
			key = strings.ToLower(path)
		}
		mode, ok := files[key]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return fs.Stat(fstest.MapFS{"f": &fstest.MapFile{Mode: mode}}, "f")
	}}
}

func TestLookPath(t *testing.T) {
	unix := fakeFiles("linux", map[string]fs.FileMode{
		"/a/tool": 0o644, "/b/tool": 0o755, "/only/plain": 0o644, "/w/bin/run": 0o755,
		"/w/node_modules/.bin/x": 0o755, "/a/folder": fs.ModeDir | 0o755,
	})
	win := fakeFiles("windows", map[string]fs.FileMode{
		`c:\node\npx`: 0, `c:\node\npx.cmd`: 0, `c:\x\node.exe`: 0, `c:\w\.\s.bat`: 0,
		`c:\windows\cmd.exe`: 0, `c:\py\tool.py`: 0,
	})
	winEnv := []string{`Path="C:\node";C:\x;C:\windows;C:\py`}
	for _, tt := range []struct {
		name         string
		f            finder
		command, dir string
		env          []string
		want         string
		wantErr      string
	}{
		{"child's own PATH", unix, "tool", "/w", []string{"PATH=/b"}, "/b/tool", ""},
		{"a plain file does not hide a program", unix, "tool", "/w", []string{"PATH=/a:/b"}, "/b/tool", ""},
		{"only a plain file", unix, "plain", "/w", []string{"PATH=/only"}, "", "chmod +x"},
		{"folder", unix, "folder", "/w", []string{"PATH=/a"}, "", "it is a folder"},
		{"relative to the working folder", unix, "bin/run", "/w", nil, "/w/bin/run", ""},
		{"relative entry of PATH", unix, "x", "/w", []string{"PATH=node_modules/.bin"}, "/w/node_modules/.bin/x", ""},
		{"empty entry is not the working folder", unix, "run", "/w/bin", []string{"PATH=:"}, "", "not in PATH (:)"},
		{"last PATH wins", unix, "tool", "/w", []string{"PATH=/x", "PATH=/b"}, "/b/tool", ""},
		{"no PATH", unix, "tool", "/w", nil, "", "PATH is empty"},
		{"empty command", unix, "", "/w", nil, "", `find command ""`},
		{"npx is npx.cmd", win, "npx", `C:\w`, winEnv, `C:\node\npx.cmd`, ""},
		{"npx.cmd", win, "npx.cmd", `C:\w`, winEnv, `C:\node\npx.cmd`, ""},
		{"NPX.CMD", win, "NPX.CMD", `C:\w`, winEnv, `C:\node\NPX.CMD`, ""},
		{"absolute", win, `C:\x\node.exe`, `C:\w`, winEnv, `C:\x\node.exe`, ""},
		{"absolute without extension", win, `C:\x\node`, `C:\w`, winEnv, `C:\x\node.exe`, ""},
		{"relative", win, `.\s`, `C:\w`, winEnv, `C:\w\.\s.bat`, ""},
		{"own PATHEXT", win, "tool", `C:\w`, append(winEnv, "PathExt=.PY"), `C:\py\tool.py`, ""},
		{"not there", win, "uvx", `C:\w`, winEnv, "", `find command "uvx"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := lookPath(tt.f, tt.command, tt.dir, tt.env)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("error %v, want %q", err, tt.wantErr)
			}
		})
	}
}

func TestS05BatchFilesRunThroughCmd(t *testing.T) {
	lookup := func(command string) (string, error) {
		found := map[string]string{
			"npx": `C:\Program Files\nodejs\npx.cmd`, "npx.cmd": `C:\Program Files\nodejs\npx.cmd`,
			`C:\x\node.exe`: `C:\x\node.exe`, "cmd": `C:\Windows\System32\cmd.exe`,
			"cmd.exe": `C:\Windows\System32\cmd.exe`, "old": `C:\old.BAT`,
		}[command]
		if found == "" {
			return "", &NotFoundError{Command: command}
		}
		return found, nil
	}
	const shell = `C:\Windows\System32\cmd.exe`
	const head = `cmd.exe /e:ON /v:OFF /d /s /c "`
	for _, tt := range []struct {
		name, goos, command string
		args                []string
		path, line          string
	}{
		{"bare name", "windows", "npx", []string{"-y", "pkg"}, shell, head + `"C:\Program Files\nodejs\npx.cmd" "-y" "pkg""`},
		{"with extension", "windows", "npx.cmd", nil, shell, head + `"C:\Program Files\nodejs\npx.cmd""`},
		{"upper case .BAT", "windows", "old", nil, shell, head + `"C:\old.BAT""`},
		{"program", "windows", `C:\x\node.exe`, []string{"a b"}, `C:\x\node.exe`, ""},
		{"cmd is not wrapped twice", "windows", "cmd", []string{"/c", "npx", "-y", "pkg"}, shell, ""},
		{"metacharacters", "windows", "npx", []string{`a&b|c>d^e`}, shell, head + `"C:\Program Files\nodejs\npx.cmd" "a&b|c>d^e""`},
		{"quotes", "windows", "npx", []string{`say "hi" \"`}, shell, head + `"C:\Program Files\nodejs\npx.cmd" "say ""hi"" \\""""`},
		{"variables", "windows", "npx", []string{`%PATH%`}, shell, head + `"C:\Program Files\nodejs\npx.cmd" "%%cd:~,%PATH%%cd:~,%""`},
		{"backslash at the end", "windows", "npx", []string{`C:\dir\`}, shell, head + `"C:\Program Files\nodejs\npx.cmd" "C:\dir\\""`},
		{"empty argument", "windows", "npx", []string{""}, shell, head + `"C:\Program Files\nodejs\npx.cmd" """`},
		{"elsewhere", "linux", "npx", []string{"x"}, `C:\Program Files\nodejs\npx.cmd`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := BuildCommand(tt.goos, lookup, tt.command, tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if got.Path != tt.path || got.CmdLine != tt.line || !slices.Equal(got.Args, tt.args) {
				t.Errorf("got  %q %q\nwant %q %q", got.Path, got.CmdLine, tt.path, tt.line)
			}
		})
	}
	var refused *NotExecutableError
	if _, err := BuildCommand("windows", lookup, "npx", []string{"a\nb"}); !errors.As(err, &refused) {
		t.Errorf("line break: %v", err)
	}
	var missing *NotFoundError
	if _, err := BuildCommand("windows", lookup, "gone", nil); !errors.As(err, &missing) {
		t.Errorf("missing: %v", err)
	}
}

func TestS04MergeChangesOnlyWhatIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name, goos string
		base       []string
		overrides  map[string]string
		want       []string
	}{
		{"nil map", "linux", []string{"HOME=/h", "PATH=/p"}, nil, []string{"HOME=/h", "PATH=/p"}},
		{"empty map", "linux", []string{"HOME=/h"}, map[string]string{}, []string{"HOME=/h"}},
		{"new ones last and sorted", "linux", []string{"HOME=/h"}, map[string]string{"Z": "1", "A": "2"}, []string{"HOME=/h", "A=2", "Z=1"}},
		{"override", "linux", []string{"A=1", "B=2"}, map[string]string{"A": "=x"}, []string{"A==x", "B=2"}},
		{"last duplicate wins", "linux", []string{"A=1", "B=2", "A=3"}, nil, []string{"A=3", "B=2"}},
		{"case matters", "linux", []string{"Path=1"}, map[string]string{"PATH": "2"}, []string{"Path=1", "PATH=2"}},
		{"case does not on Windows", "windows", []string{"Path=1", "SystemRoot=r", "=C:=C:\\d"}, map[string]string{"PATH": "2"}, []string{"PATH=2", "SystemRoot=r", "=C:=C:\\d"}},
		{"not variables", "linux", []string{"junk", "", "=x"}, map[string]string{"": "1", "A=B": "2"}, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := merge(tt.goos, tt.base, tt.overrides); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
