package mcpconf

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// runOptions are options with a value of the programs that start servers, by program.
var runOptions = map[string][]string{
	"npx": {"-p", "--package", "--registry"}, "bunx": {"-p", "--package"}, "pnpm": {"--package"}, "npm": {"-p", "--package"}, "yarn": {"-p", "--package"},
	"uvx": {"--from", "--with", "--python", "-p", "--directory", "--index", "--index-url", "--extra-index-url", "--refresh-package", "--with-editable"},
	"uv":  {"--from", "--with", "--python", "-p", "--directory", "--project", "--index", "--index-url", "--extra", "--group", "--env-file", "--with-editable"},
	"docker": {"-e", "--env", "--env-file", "-v", "--volume", "--mount", "--name", "-p", "--publish", "--network", "--net", "-w", "--workdir", "-u", "--user",
		"--entrypoint", "-l", "--label", "--add-host", "--platform", "--pull", "-h", "--hostname", "-m", "--memory", "--cpus", "--gpus", "--runtime",
		"--security-opt", "--cap-add", "--cap-drop", "--device", "--dns", "--tmpfs", "--ulimit", "--log-driver", "--restart", "--shm-size", "--ipc", "--pid"},
	"node": {"-r", "--require", "--import", "--loader", "--env-file"}, "python": {"-W", "-X"}, "deno": {"--config", "--import-map"}, "dotnet": {"--project", "--framework"},
	"java": {"-cp", "-classpath", "--class-path"},
}

// subcommands stand between a program and what it runs.
var subcommands = map[string][]string{
	"npm": {"exec", "x"}, "pnpm": {"dlx", "exec"}, "yarn": {"dlx"}, "bun": {"x", "run"}, "uv": {"tool", "run"}, "pipx": {"run"},
	"docker": {"run", "container"}, "deno": {"run"}, "dotnet": {"run", "tool"}, "go": {"run"}, "cargo": {"run"},
}

// otherNames are programs that are called the same way as another one.
var otherNames = map[string]string{"podman": "docker", "python3": "python", "py": "python", "tsx": "node", "pnpx": "npx"}

// guessName names a server after what it is, without what all servers have in common.
func guessName(def Definition) string {
	name := ""
	if def.URL != "" && def.Command == "" {
		name = hostName(def.URL)
	} else {
		name = commandName(def)
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, name)
	if name = strings.Trim(name, "-._"); name == "" {
		return "server"
	}
	return name
}

func commandName(def Definition) string {
	prog := program(def.Command)
	if same, ok := otherNames[prog]; ok {
		prog = same
	}
	if !runners[prog] {
		return bestOf(pathNames(def.Command))
	}
	run := target(prog, def.Args)
	switch prog {
	case "docker":
		return bestOf([]string{imageName(run.what)})
	case "sh", "bash", "zsh", "pwsh", "powershell", "cmd":
		if words, err := shellWords(run.what, false); err == nil && len(words) > 1 && runners[program(words[0].text)] {
			return commandName(Definition{Command: words[0].text, Args: plainWords(words[1:])})
		}
	}
	if prog == "npx" || prog == "bunx" || prog == "uvx" { // a bridge to a URL
		i := slices.IndexFunc(run.args, func(a string) bool { return bareURL(a) != "" })
		if strings.Contains(run.what, "mcp-remote") || strings.Contains(run.what, "mcp-proxy") || strings.Contains(run.what, "supergateway") {
			if i >= 0 {
				return hostName(run.args[i])
			}
		}
	}
	names := targetNames(run.what)
	names = append(names, pathNames(run.folder)...)
	names = append(names, pathNames(def.CWD)...)
	return bestOf(append(names, prog))
}

// ran is what a program was told to run.
type ran struct {
	what   string
	folder string // where it is, "" when not told
	args   []string
}

// target finds what a program runs among its arguments.
func target(prog string, args []string) (r ran) {
	module := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, value, joined := strings.Cut(a, "=")
		takes := slices.Contains(runOptions[prog], name)
		if takes && !joined && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch {
		case a == "--":
		case takes && (name == "--directory" || name == "--project"):
			r.folder = value
		case takes:
		case (prog == "python" && a == "-m" || prog == "java" && a == "-jar" || strings.HasSuffix(prog, "sh") && strings.HasSuffix(a, "c")) && i+1 < len(args):
			module = true
		case strings.HasPrefix(a, "-") && !module:
		case slices.Contains(subcommands[prog], a) && r.what == "":
		case prog == "uv" && (a == "python" || a == "python3" || a == "mcp" || a == "fastmcp"):
		default:
			r.what, r.args = a, args[i+1:]
			return r
		}
	}
	return r
}

// targetNames are names for a package, a module, or a script, the best first.
func targetNames(what string) []string {
	what = regexp.MustCompile(`\A(?:npm:|jsr:|github:|git\+)`).ReplaceAllString(what, "")
	if u := bareURL(what); u != "" {
		parsed, _, _ := strings.Cut(u, "@v")
		return pathNames(strings.TrimSuffix(strings.TrimRight(parsed, "/"), ".git"))
	}
	if m := regexp.MustCompile(`\A@([\w.-]+)/([\w.-]+)(?:@.*)?\z`).FindStringSubmatch(what); m != nil {
		return []string{m[2], m[1]}
	}
	if strings.ContainsAny(what, `/\`) {
		return pathNames(regexp.MustCompile(`@[\w.-]+\z`).ReplaceAllString(what, ""))
	}
	what = regexp.MustCompile(`(?:@|==|>=|~=|\[).*\z`).ReplaceAllString(what, "")
	if regexp.MustCompile(`\.(?:m?js|c?js|ts|py|rb|jar|sh|php|dll|csx?)\z`).MatchString(what) {
		return pathNames(what)
	}
	return []string{what}
}

// pathNames are the parts of a path from its end, extensions taken off the first.
func pathNames(path string) []string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	slices.Reverse(parts)
	if len(parts) > 0 {
		parts[0] = regexp.MustCompile(`\.(?:[cm]?js|ts|py|rb|jar|sh|php|dll|csx?|csproj|exe|cmd|bat|ps1)\z`).ReplaceAllString(parts[0], "")
	}
	return parts
}

// imageName is the last part of an image without registry, tag and digest.
func imageName(image string) string {
	image, _, _ = strings.Cut(image, "@")
	image = image[strings.LastIndexByte(image, '/')+1:]
	image, _, _ = strings.Cut(image, ":")
	return image
}

// generic names say nothing about a server.
var generic = map[string]bool{
	"": true, "mcp": true, "server": true, "main": true, "index": true, "cli": true, "app": true, "run": true, "start": true, "stdio": true, "__main__": true,
	"dist": true, "build": true, "src": true, "bin": true, "lib": true, "out": true, "target": true, "release": true, "debug": true, "scripts": true,
	".": true, "..": true, "~": true, "venv": true, ".venv": true, "latest": true, "cmd": true, "mcp_server": true, "mcp-server": true,
}

// bestOf is the first name that says something, without decoration; else the last that is
// not empty.
func bestOf(names []string) string {
	last := ""
	for _, n := range names {
		bare := undecorated(n)
		if !generic[strings.ToLower(bare)] && !regexp.MustCompile(`\Av\d+\z`).MatchString(bare) {
			return bare
		}
		if n != "" && n != "." && n != ".." {
			last = n
		}
	}
	return last
}

// undecorated takes off what every name of an MCP server may have.
func undecorated(name string) string {
	for {
		next := regexp.MustCompile(`(?i)\A(?:mcp|server)[-_.]+(.+)|(.+)[-_.]+(?:mcp|server|mcpserver)\z`).ReplaceAllString(name, "$1$2")
		if next == name || next == "" {
			return name
		}
		name = next
	}
}

// hosting are suffixes below which everybody has a name of their own.
const hosting = `(?i)\.(?:(?:co|com|org|net|ac|gov|edu)\.[a-z]{2}|vercel\.app|workers\.dev|pages\.dev|github\.io|netlify\.app|fly\.dev|[\w-]+\.run\.app|onrender\.com|herokuapp\.com|azurewebsites\.net|ngrok(?:-free)?\.(?:app|io|dev)|[a-z]+)\z`

// hostName is the part of a host that says whose it is, with the port of this machine.
func hostName(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	host := u.Hostname()
	if net.ParseIP(host) != nil || !strings.Contains(host, ".") {
		if host == "127.0.0.1" || host == "::1" {
			host = "localhost"
		}
		if u.Port() != "" {
			host += "-" + u.Port()
		}
		return host
	}
	owner := regexp.MustCompile(hosting).ReplaceAllString(host, "")
	if owner == "" {
		owner = host
	}
	parts := strings.Split(owner, ".")
	slices.Reverse(parts)
	return bestOf(parts)
}
