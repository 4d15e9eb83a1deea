package mcpconf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

// entriesOf are the texts of the entries below mcpServers, by name, comments included.
func entriesOf(t interface{ Fatalf(string, ...any) }, raw []byte) (list []string, texts map[string]string) {
	doc, fe := parseDocument("f", raw)
	if fe != nil {
		t.Fatalf("the text is not valid: %v\n%s", fe, raw)
	}
	texts = map[string]string{}
	if m := member(doc.root.Value, "mcpServers"); m != nil {
		if o, ok := m.Value.Value.(*object); ok {
			for _, e := range o.Members {
				name := memberName(e)
				if !slices.Contains(list, name) {
					list = append(list, name)
				}
				texts[name] = string(doc.body[e.Value.StartOffset:e.Value.EndOffset])
			}
		}
	}
	return list, texts
}

// checkEdit makes every kind of edit on raw and demands: valid in gives valid out, the
// entry has its new meaning, and all others stay byte for byte in their order.
func checkEdit(t interface{ Fatalf(string, ...any) }, raw []byte, name, value string) {
	doc, fe := parseDocument("f", raw)
	if fe != nil {
		return
	}
	before, fe := doc.definitions()
	if fe != nil {
		return
	}
	name = strings.TrimSpace(strings.ToValidUTF8(name, "?"))
	if name == "" {
		return
	}
	value = strings.ToValidUTF8(value, "?")
	want, err := checked(Definition{Name: name, Type: Stdio, Command: "x" + strings.TrimSpace(value), Args: []string{value, value}, Env: map[string]string{"K": value}, Tools: ToolRules{Exclude: []string{"t"}}})
	if err != nil {
		return
	}
	i := indexOf(before, name)
	edits := map[string]func(e *edit) error{
		"add":     func(e *edit) error { return e.set(want.entry(), "mcpServers", name) },
		"remove":  func(e *edit) error { return e.remove("mcpServers", name) },
		"rewrite": func(e *edit) error { return e.rewrite(before[max(i, 0)], want) },
	}
	if i >= 0 {
		delete(edits, "add")
	} else {
		delete(edits, "rewrite")
	}
	for what, do := range edits {
		fresh, _ := parseDocument("f", raw)
		e := &edit{doc: fresh}
		if err := do(e); err != nil {
			if strings.Contains(err.Error(), "belong to another program") {
				continue
			}
			t.Fatalf("%s: %v\n%q", what, err, raw)
		}
		list, texts := entriesOf(t, e.text())
		oldList, oldTexts := entriesOf(t, raw)
		other := func(n string) bool { return n == name }
		if !slices.Equal(slices.DeleteFunc(slices.Clone(list), other), slices.DeleteFunc(slices.Clone(oldList), other)) {
			t.Fatalf("%s changed the other servers: %q, before %q", what, list, oldList)
		}
		for n, text := range oldTexts {
			if n != name && texts[n] != text {
				t.Fatalf("%s of %q changed %q from %q to %q", what, name, n, text, texts[n])
			}
		}
		after, fe := e.doc.definitions()
		j := indexOf(after, name)
		if fe != nil || what == "remove" && j >= 0 || what != "remove" && (j < 0 || !sameMeaning(after[j], want)) {
			t.Fatalf("%s of %q gives %+v, %v\nin  %q\nout %q", what, name, after, fe, raw, e.text())
		}
		if !bytes.HasPrefix(e.text(), []byte(e.doc.bom)) || e.doc.bom != doc.bom {
			t.Fatalf("%s changed the byte order mark", what)
		}
		if strict(raw) && !strict(e.text()) {
			t.Fatalf("%s made strict JSON lenient:\n%q\n%q", what, raw, e.text())
		}
	}
}

func strict(raw []byte) bool {
	return json.Valid(bytes.TrimPrefix(raw, []byte(utf8BOM)))
}

func FuzzEdit(f *testing.F) {
	f.Add([]byte(two), "fetch", "v")
	f.Add([]byte("{}"), "a", "")
	f.Add([]byte("\xEF\xBB\xBF{\r\n\"mcpServers\":{// x\r\n}}"), "a", "\"\\\n")
	f.Add([]byte("{\"mcpServers\":{\"a\":{\"command\":\"x\",},/* c */\"b\":{}// d\n,}/**/,}"), "b", "${A}")
	f.Add([]byte("{\"mcpServers\":null,\"mcpServers\":{\"a\":1,\" a\":{\"env\":3,\"args\":{}}}}"), "a", " ")
	f.Fuzz(checkEditFuzz)
}

func checkEditFuzz(t *testing.T, raw []byte, name, value string) { checkEdit(t, raw, name, value) }

// drawFile draws a file in any style: comments and blanks at every place where they may
// stand, trailing commas, duplicates, other fields, either line end.
func drawFile(t *rapid.T) []byte {
	blank := func() string {
		return rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\t", "/* c */", " // l\n", "\n    // x, y: {}\n"}).Draw(t, "blank")
	}
	comma := rapid.Bool().Draw(t, "trailing")
	join := func(open, closing string, items []string) string {
		out := open + blank()
		for i, it := range items {
			out += it + blank()
			if i < len(items)-1 || comma {
				out += "," + blank()
			}
		}
		return out + closing
	}
	pair := func(k, v string) string { return fmt.Sprintf("%q%s:%s%s", k, blank(), blank(), v) }
	var servers []string
	for range rapid.IntRange(0, 4).Draw(t, "servers") {
		name := rapid.SampledFrom([]string{"a", "b", "c", " a", "é", "A"}).Draw(t, "name")
		var fields []string
		for _, f := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"command", "args", "env", "url", "tools", "z"}), 0, 5, rapid.ID[string]).Draw(t, "fields") {
			v := map[string]string{
				"command": `"x"`, "url": `"http://h"`, "z": "[1, {}]",
				"args": join("[", "]", []string{`"p"`, `"p"`}), "env": join("{", "}", []string{pair("K", `""`), pair("L", `"l"`)}),
				"tools": join("{", "}", []string{pair("exclude", `["q"]`)}),
			}[f]
			fields = append(fields, pair(f, rapid.SampledFrom([]string{v, v, v, "null", "7"}).Draw(t, "value")))
		}
		servers = append(servers, pair(name, join("{", "}", fields)))
	}
	top := []string{pair("other", "1")}
	if rapid.Bool().Draw(t, "has servers") {
		top = append(top, pair("mcpServers", join("{", "}", servers)))
	}
	text := blank() + join("{", "}", top) + blank()
	if rapid.Bool().Draw(t, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if rapid.Bool().Draw(t, "bom") {
		text = utf8BOM + text
	}
	return []byte(text)
}

func TestEditsOfAnyFileAreLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := drawFile(t)
		if _, err := hujson.Parse(bytes.TrimPrefix(raw, []byte(utf8BOM))); err != nil {
			t.Fatalf("the drawn file is not valid: %v\n%s", err, raw)
		}
		checkEdit(t, raw, rapid.SampledFrom([]string{"a", "b", "é", "new"}).Draw(t, "target"), rapid.String().Draw(t, "text"))
	})
}
