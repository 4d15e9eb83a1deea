package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// LookPath finds the file that command names for a child with the environment env and the
// working folder dir: a bare name is searched in the child's own PATH (with PATHEXT on
// Windows), anything else is a path, relative to dir. Its errors are *NotFoundError and
// *NotExecutableError.
func LookPath(command, dir string, env []string) (string, error) {
	return lookPath(finder{goos: runtime.GOOS, stat: os.Stat}, command, dir, env)
}

// finder is what a search depends on, so that every system's rules are tested on any.
type finder struct {
	goos string
	stat func(string) (fs.FileInfo, error)
}

func lookPath(f finder, command, dir string, env []string) (string, error) {
	if command == "" {
		return "", &NotFoundError{Command: command}
	}
	exts := f.extensions(command, env)
	if strings.Contains(command, "/") || f.goos == "windows" && strings.ContainsAny(command, `\:`) {
		path := command
		if !f.isAbs(path) {
			path = f.join(dir, path)
		}
		found, err := f.file(path, exts)
		if errors.Is(err, fs.ErrNotExist) {
			return "", &NotFoundError{Command: command}
		}
		return found, err
	}
	search, _ := lookup(f.goos, env, "PATH")
	var refused error
	for _, folder := range f.list(search) {
		if !f.isAbs(folder) {
			folder = f.join(dir, folder)
		}
		found, err := f.file(f.join(folder, command), exts)
		if err == nil {
			return found, nil
		}
		// A folder further on may hold one that runs, as for every shell.
		var bad *NotExecutableError
		if refused == nil && errors.As(err, &bad) {
			refused = err
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", &NotFoundError{Command: command, SearchedPath: search}
}

// file is path, or path with the first extension under which a file exists that can run.
func (f finder) file(path string, exts []string) (string, error) {
	err := fs.ErrNotExist
	for _, ext := range exts {
		info, statErr := f.stat(path + ext)
		switch {
		case errors.Is(statErr, fs.ErrPermission):
			err = &NotExecutableError{Path: path + ext, Reason: "permission denied on the way to it"}
		case statErr != nil:
		case info.IsDir():
			err = &NotExecutableError{Path: path + ext, Reason: "it is a folder; name the program in it"}
		case f.goos != "windows" && info.Mode()&0o111 == 0:
			err = &NotExecutableError{Path: path + ext, Reason: "it has no execute permission; run chmod +x on it"}
		default:
			return path + ext, nil
		}
	}
	return "", err
}

// extensions are what is appended to a command to find its file. On Windows a name without
// an extension of PATHEXT is never the file itself: npm puts a shell script "npx" beside
// "npx.cmd".
func (f finder) extensions(command string, env []string) []string {
	if f.goos != "windows" {
		return []string{""}
	}
	list, ok := lookup(f.goos, env, "PATHEXT")
	if !ok || list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	var exts []string
	for _, ext := range strings.Split(strings.ToLower(list), ";") {
		if ext == "" {
			continue
		}
		if strings.HasSuffix(strings.ToLower(command), ext) {
			return []string{""}
		}
		exts = append(exts, ext)
	}
	return exts
}

func (f finder) list(search string) []string {
	sep := ":"
	if f.goos == "windows" {
		sep = ";"
	}
	var folders []string
	for _, folder := range strings.Split(search, sep) {
		// Quotes are allowed in a Windows PATH; an empty entry would be the working folder.
		if folder = strings.Trim(folder, `"`); folder != "" {
			folders = append(folders, folder)
		}
	}
	return folders
}

func (f finder) isAbs(path string) bool {
	if f.goos != "windows" {
		return strings.HasPrefix(path, "/")
	}
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return drive || strings.HasPrefix(path, `\\`)
}

func (f finder) join(dir, path string) string {
	if f.goos == runtime.GOOS {
		return filepath.Join(dir, path)
	}
	if f.goos == "windows" {
		return strings.TrimRight(dir, `\/`) + `\` + path
	}
	return strings.TrimRight(dir, "/") + "/" + path
}

// Command is what the system is asked to run.
type Command struct {
	Path    string
	Args    []string // without the program's name
	CmdLine string   // Windows: the whole command line where Args cannot say it, else ""
}

// BuildCommand resolves command by lookup and says how goos runs it: batch files of Windows
// go through cmd.exe, quoted so that no argument is taken for syntax; everything else, cmd
// itself included, runs as it is.
func BuildCommand(goos string, lookup func(string) (string, error), command string, args []string) (Command, error) {
	path, err := lookup(command)
	if err != nil {
		return Command{}, err
	}
	lower := strings.ToLower(path)
	if goos != "windows" || !strings.HasSuffix(lower, ".cmd") && !strings.HasSuffix(lower, ".bat") {
		return Command{Path: path, Args: args}, nil
	}
	shell, err := lookup("cmd.exe")
	if err != nil {
		return Command{}, fmt.Errorf("run batch file %s: %w", path, err)
	}
	line, err := batchLine(path, args)
	if err != nil {
		return Command{}, err
	}
	return Command{Path: shell, Args: args, CmdLine: line}, nil
}

// batchLine quotes a batch file and its arguments for cmd.exe. Everything stands in quotes,
// a quote is doubled, backslashes before a quote are doubled for the program that parses
// the line in the end, and a per cent sign is followed by an expansion to nothing, since
// quotes do not stop %NAME%.
func batchLine(path string, args []string) (string, error) {
	var b strings.Builder
	b.WriteString(`cmd.exe /e:ON /v:OFF /d /s /c "`)
	for i, word := range append([]string{path}, args...) {
		if strings.ContainsAny(word, "\r\n\x00") {
			return "", &NotExecutableError{Path: path,
				Reason: fmt.Sprintf("argument %d has a line break, which a batch file cannot take", i)}
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		quoteBatch(&b, word)
	}
	b.WriteByte('"')
	return b.String(), nil
}

func quoteBatch(b *strings.Builder, word string) {
	b.WriteByte('"')
	backslashes := 0
	for _, r := range word {
		switch r {
		case '\\':
			backslashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
			backslashes = 0
		case '%':
			b.WriteString("%%cd:~,")
			backslashes = 0
		default:
			backslashes = 0
		}
		b.WriteRune(r)
	}
	b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
}
