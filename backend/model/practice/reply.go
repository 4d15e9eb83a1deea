package practice

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// reply is the answer to a conversation: it reports results when there are new ones,
// calls the tools that the last message names, lists them, or says what it can do.
func reply(messages []message, tools []function) (text string, calls []toolCall) {
	at := len(messages) - 1
	for at >= 0 && messages[at].Role != "user" {
		at--
	}
	if at < 0 {
		return help("", tools), nil
	}
	if len(messages) > at+1 && messages[len(messages)-1].Role == "tool" {
		return report(messages[at+1:]), nil
	}
	prompt, attached := attachments(messages[at].text())
	wanted := mentions(prompt, tools)
	if len(wanted) == 0 && everyTool(prompt) {
		for _, f := range tools {
			wanted = append(wanted, mention{tool: f})
		}
	}
	switch {
	case len(wanted) > 0:
		return makeCalls(wanted, at)
	case asksForList(prompt):
		return list(tools), nil
	case len(attached) > 0:
		return fmt.Sprintf("Your message carries %s:\n%s", counted(len(attached), "resource"), strings.Join(attached, "\n")), nil
	}
	return help(unknownTool(prompt), tools), nil
}

// makeCalls turns mentions into calls. The ids are the same each time and unique in the
// conversation: turn marks the message that asked.
func makeCalls(wanted []mention, turn int) (string, []toolCall) {
	var calls []toolCall
	var names []string
	for i, m := range wanted {
		args, _ := json.Marshal(m.arguments()) // decoded JSON and samples: cannot fail
		calls = append(calls, toolCall{Index: i, ID: fmt.Sprintf("call_%d_%d", turn, i+1), Type: "function",
			Function: functionCall{Name: m.tool.Name, Arguments: string(args)}})
		names = append(names, m.tool.Name)
	}
	return fmt.Sprintf("Calling %s.", strings.Join(names, ", ")), calls
}

const maxQuoted = 600 // bytes of a result in the report

// report says what the calls since the last user message gave.
func report(since []message) string {
	names := map[string]string{}
	var b strings.Builder
	for _, m := range since {
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Function.Name
		}
		if m.Role == "tool" {
			result := cut(strings.TrimSpace(m.text()), maxQuoted)
			verb := "answered"
			if strings.HasPrefix(result, "Error:") {
				verb = "failed"
			}
			fmt.Fprintf(&b, "%s %s: %s\n", names[m.ToolCallID], verb, result)
		}
	}
	return strings.TrimSpace(b.String())
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + " …"
}

// list names the tools of the request with the first line of what they say they do.
func list(tools []function) string {
	if len(tools) == 0 {
		return "No tools are open in this request. Light a service above the message, then ask again."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools are open in this request:\n", len(tools))
	for _, f := range tools {
		line, _, _ := strings.Cut(strings.TrimSpace(f.Description), "\n")
		fmt.Fprintf(&b, "- `%s`", f.Name)
		if line != "" {
			fmt.Fprintf(&b, ": %s", cut(line, 160))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

// help says what this is and documents the grammar.
func help(unknown string, tools []function) string {
	var b strings.Builder
	if unknown != "" {
		fmt.Fprintf(&b, "There is no tool %s in this request.\n\n", unknown)
	}
	b.WriteString("This is the practice model: it runs inside Patchbay, needs no key and does not think. It shows how tools are called. For real answers choose a model in Settings, or set OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL.\n\n")
	example := "demo_echo"
	if len(tools) == 0 {
		b.WriteString("No tools are open in this request. With some you can write:\n")
	} else {
		example = tools[len(tools)-1].Name
		fmt.Fprintf(&b, "%d tools are open in this request. You can write:\n", len(tools))
	}
	fmt.Fprintf(&b, "- list tools\n- call %s\n- use %s with {\"name\": \"value\"}, or name=value, or just the values\n- call one tool, then call another\n- call every tool once\n\nArguments that a tool requires and you leave out get sample values.", example, example)
	return b.String()
}

func matches(pattern, text string) bool {
	ok, err := regexp.MatchString(pattern, text)
	return ok && err == nil
}

func everyTool(prompt string) bool {
	return matches(`(?i)\b(call|use|run|try|invoke|test)\s+(every|each|all)\b.{0,20}\btools?\b|(调用|使用|运行)(所有|每个|全部)`, prompt)
}

func asksForList(prompt string) bool {
	return matches(`(?i)\b(list|show|which|what|name)\b.{0,40}\btools?\b|^\s*tools\s*\??\s*$|(列出|哪些|什么).{0,10}工具`, prompt)
}

// unknownTool is the name of a tool that the prompt asks for and the request does not
// have, "" when it asks for none.
func unknownTool(prompt string) string {
	re, err := regexp.Compile("(?i)\\b(?:call|use|run|invoke|try)\\s+(?:the\\s+)?(?:tool\\s+)?[`\"']?([A-Za-z0-9]+[_-][A-Za-z0-9_-]+)")
	if err != nil {
		return ""
	}
	found := re.FindStringSubmatch(prompt)
	if found == nil {
		return ""
	}
	return found[1]
}
