package mcptest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// The tools of every server: echo (answers its text), printenv (the variable of its name),
// fail (isError), refuse (a JSON-RPC error), image, audio, resource, link, hologram (a kind
// of content that nobody knows), scontent (structuredContent alone), big (text of bytes
// length), progress (reports n times, every each, then answers), hang (never answers), die
// (the process ends), roots (asks for roots/list and answers with it), grow (adds a tool
// and says so four times), log (a notifications/message). Over HTTP there are no die, roots, grow and log.
var toolNames = []string{
	"echo", "printenv", "fail", "refuse", "image", "audio", "resource", "link", "hologram",
	"scontent", "big", "progress", "hang", "die", "roots", "grow", "log",
}

// readOnlyTools are annotated so: they may be repeated.
var readOnlyTools = map[string]bool{"echo": true, "printenv": true}

type object = map[string]any

func toolObject(name string) object {
	t := object{"name": name, "description": "the tool " + name, "inputSchema": object{"type": "object"}}
	if readOnlyTools[name] {
		t["annotations"] = object{"readOnlyHint": true}
	}
	return t
}

func toolObjects(names []string) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = toolObject(name)
	}
	return list
}

// offered is what a server lists by default.
func offered() []string {
	if names := os.Getenv(toolsEnv); names != "" {
		return strings.Split(names, ",")
	}
	return toolNames
}

// listResult is the answer to tools/list in a mode.
func listResult(mode, cursor string) any {
	good := toolObject("good")
	with := func(field string, value any) object {
		t := toolObject("bad")
		t[field] = value
		return t
	}
	switch mode {
	case "pages", "pagesnull", "pagesempty":
		return page(mode, cursor)
	case "cursorloop":
		return object{"tools": []any{good}, "nextCursor": "again"}
	case "cursorendless":
		return object{"tools": []any{}, "nextCursor": cursor + "x"}
	case "badann":
		return object{"tools": []any{good, with("annotations", object{"readOnlyHint": "true"})}}
	case "descarr":
		return object{"tools": []any{good, with("description", []any{"x"})}}
	case "toolnotobject":
		return object{"tools": []any{good, "just a text", nil}}
	case "listnotlist":
		return object{"tools": "none"}
	case "listmissing":
		return object{}
	case "names":
		return object{"tools": toolObjects([]string{"calendar.create", "user/update", "list files", "查询"})}
	case "schemas":
		return object{"tools": schemaTools()}
	case "dup":
		return object{"tools": toolObjects([]string{"twice", "twice"})}
	case "unnamed":
		return object{"tools": toolObjects([]string{"good", ""})}
	case "builtin":
		return object{"tools": toolObjects([]string{"bash"})}
	case "notools":
		return object{"tools": []any{}}
	case "apponly":
		return object{"tools": []any{good, with("_meta", object{"ui": object{"visibility": []any{"app"}}})}}
	}
	return object{"tools": toolObjects(offered())}
}

// schemaTools are tools whose schemas are valid JSON Schema and refused by one provider or
// another; what each is about is its name.
func schemaTools() []any {
	property := func(schema any) object { return object{"type": "object", "properties": object{"a": schema}} }
	schemas := []struct {
		name   string
		schema any
	}{
		{"no_properties", object{"type": "object"}},
		{"type_list", property(object{"type": []string{"string", "null"}})},
		{"reference", object{"type": "object", "properties": object{"a": object{"$ref": "#/$defs/X"}}, "$defs": object{"X": object{"type": "string"}}}},
		{"no_items", property(object{"type": "array"})},
		{"boolean", property(true)},
		{"prefix_items", property(object{"type": "array", "prefixItems": []any{object{"type": "string"}}})},
		{"type_null", property(object{"type": "null"})},
	}
	var tools []any
	for _, s := range schemas {
		tools = append(tools, object{"name": s.name, "description": s.name, "inputSchema": s.schema})
	}
	return tools
}

// page lists 101 tools on three pages; the modes differ in how the last page says so.
func page(mode, cursor string) any {
	from := map[string]int{"": 0, "b3BhcXVlLTUw": 50, "b3BhcXVlLTEwMA==": 100}[cursor]
	next := map[int]string{0: "b3BhcXVlLTUw", 50: "b3BhcXVlLTEwMA=="}[from]
	var names []string
	for i := from; i < min(from+50, 101); i++ {
		names = append(names, fmt.Sprintf("tool_%03d", i))
	}
	result := object{"tools": toolObjects(names)}
	switch {
	case next != "":
		result["nextCursor"] = next
	case mode == "pagesnull":
		result["nextCursor"] = nil
	case mode == "pagesempty":
		result["nextCursor"] = ""
	}
	return result
}

// Pixel is the PNG that the tool image answers with.
const Pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

type callParams struct {
	Name      string `json:"name"`
	Arguments struct {
		Text  string `json:"text"`
		Name  string `json:"name"`
		Bytes int    `json:"bytes"`
		N     int    `json:"n"`
		Each  string `json:"each"`
	} `json:"arguments"`
	Meta struct {
		Token any `json:"progressToken"`
	} `json:"_meta"`
}

func (p callParams) each() time.Duration {
	d, _ := time.ParseDuration(p.Arguments.Each) // none means at once
	return d
}

func said(text string) object {
	return object{"content": []any{object{"type": "text", "text": text}}}
}

func content(blocks ...any) object { return object{"content": blocks} }

// callResult is the answer to tools/call of the tools that only answer.
func callResult(p callParams, arguments json.RawMessage) any {
	switch p.Name {
	case "echo":
		return said(p.Arguments.Text)
	case "printenv":
		return said(os.Getenv(p.Arguments.Name))
	case "fail":
		result := said("upstream 500")
		result["isError"] = true
		return result
	case "image":
		return content(object{"type": "text", "text": "done"}, object{"type": "image", "mimeType": "image/png", "data": Pixel})
	case "audio":
		return content(object{"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="})
	case "resource":
		return content(object{"type": "resource", "resource": object{"uri": "file:///a.txt", "mimeType": "text/plain", "text": "inside"}})
	case "link":
		return content(object{"type": "resource_link", "uri": "file:///b.txt", "name": "b.txt"})
	case "hologram":
		return content(object{"type": "hologram", "depth": 3}, object{"type": "text", "text": "beside it"})
	case "scontent":
		return object{"content": []any{}, "structuredContent": object{"accounts": []any{1}}}
	case "big":
		return said(strings.Repeat("x", p.Arguments.Bytes))
	}
	return said(p.Name + " " + string(arguments))
}
