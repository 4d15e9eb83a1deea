package practice

import (
	"encoding/json"
	"slices"
	"strings"
)

// mention is a tool that a prompt names, with what the prompt says after it.
type mention struct {
	tool  function
	given map[string]any // the JSON object after the name, nil when there is none
	words string         // the text up to the next tool, without that object
}

// mentions finds the tools that prompt names, in order. A name that could be an ordinary
// word counts only after a verb like "call", between quotes, or after another tool.
func mentions(prompt string, tools []function) []mention {
	byLength := slices.Clone(tools) // the longest name wins: get-sum is not get
	slices.SortStableFunc(byLength, func(a, b function) int { return len(b.Name) - len(a.Name) })
	var found []mention
	words := 0 // where the words of the last mention begin
	for at := 0; at < len(prompt); {
		f, ok := toolAt(prompt, at, byLength, len(found) > 0)
		if !ok {
			n := len(found)
			given, size := objectAt(prompt[at:])
			if size > 0 && n > 0 && found[n-1].given == nil {
				found[n-1].given = given
				found[n-1].words += prompt[words:at]
				words = at + size
			}
			at += max(size, 1)
			continue
		}
		if n := len(found); n > 0 {
			found[n-1].words += prompt[words:at]
		}
		found = append(found, mention{tool: f})
		at += len(f.Name)
		words = at
	}
	if n := len(found); n > 0 {
		found[n-1].words += prompt[words:]
	}
	return found
}

// objectAt reads a JSON object at the start of s and its length, 0 when there is none.
func objectAt(s string) (map[string]any, int) {
	if s[0] != '{' {
		return nil, 0
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var object map[string]any
	if d.Decode(&object) != nil {
		return nil, 0
	}
	return object, int(d.InputOffset())
}

// toolAt is the tool named at a position of prompt.
func toolAt(prompt string, at int, tools []function, after bool) (function, bool) {
	if at > 0 && nameByte(prompt[at-1]) {
		return function{}, false
	}
	for _, f := range tools {
		end := at + len(f.Name)
		if f.Name == "" || end > len(prompt) || !strings.EqualFold(prompt[at:end], f.Name) || end < len(prompt) && nameByte(prompt[end]) {
			continue
		}
		if !plainWord(f.Name) || called(prompt[:at], after) || strings.HasPrefix(prompt[end:], "(") || strings.HasPrefix(prompt[end:], " tool") {
			return f, true
		}
	}
	return function{}, false
}

func nameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}

// plainWord reports whether a name could be a word of a sentence.
func plainWord(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
}

// called reports whether the text before a name asks for a tool.
func called(before string, after bool) bool {
	quoted := strings.HasSuffix(before, "`")
	before = strings.ToLower(strings.TrimRight(before, " \t\r\n`\"'"))
	for _, filler := range []string{" tool", " the", " mcp"} {
		before = strings.TrimRight(strings.TrimSuffix(before, filler), " ")
	}
	if quoted || before == "" {
		return true
	}
	for _, verb := range []string{"call", "use", "run", "invoke", "try", "execute", "start", "with", "调用", "使用", "运行", "执行", "用"} {
		if rest, ok := strings.CutSuffix(before, verb); ok && (verb[0] >= 0x80 || rest == "" || !nameByte(rest[len(rest)-1])) {
			return true
		}
	}
	for _, link := range []string{"then", " and", ",", ";", "然后", "和"} {
		if after && strings.HasSuffix(before, link) {
			return true
		}
	}
	return false
}
