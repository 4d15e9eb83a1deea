package proc

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// Merge returns base with the variables of overrides set: only those named change, and of
// several of one name the last wins. Names differ by case except on Windows. New variables
// stand last, sorted.
func Merge(base []string, overrides map[string]string) []string {
	return merge(runtime.GOOS, base, overrides)
}

// Lookup returns the value of name in env, the last where there are several.
func Lookup(env []string, name string) (string, bool) {
	return lookup(runtime.GOOS, env, name)
}

func merge(goos string, base []string, overrides map[string]string) []string {
	out := make([]string, 0, len(base)+len(overrides))
	at := make(map[string]int, len(base)+len(overrides))
	put := func(name, entry string) {
		key := foldName(goos, name)
		if i, ok := at[key]; ok {
			out[i] = entry
			return
		}
		at[key] = len(out)
		out = append(out, entry)
	}
	for _, entry := range base {
		if name, _, ok := splitVariable(entry); ok {
			put(name, entry)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		if name != "" && !strings.ContainsAny(name, "=\x00") {
			put(name, name+"="+overrides[name])
		}
	}
	return out
}

func lookup(goos string, env []string, name string) (string, bool) {
	want := foldName(goos, name)
	for _, entry := range slices.Backward(env) {
		if got, value, ok := splitVariable(entry); ok && foldName(goos, got) == want {
			return value, true
		}
	}
	return "", false
}

func foldName(goos, name string) string {
	if goos == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// splitVariable splits NAME=value. The names of Windows' per-drive folders begin with "=".
func splitVariable(entry string) (name, value string, ok bool) {
	i := strings.IndexByte(entry, '=')
	if i == 0 {
		if i = strings.IndexByte(entry[1:], '=') + 1; i == 0 {
			return "", "", false
		}
	}
	if i < 0 {
		return "", "", false
	}
	return entry[:i], entry[i+1:], true
}
