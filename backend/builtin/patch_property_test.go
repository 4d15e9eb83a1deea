package builtin

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestA37PatchKeepsBytesOutsideHunks draws a file with any mix of line endings, BOM and
// final newline, and changes in some places of it: what no hunk touches stays byte for byte.
func TestA37PatchKeepsBytesOutsideHunks(t *testing.T) {
	r := newFileRig(t)
	path := filepath.Join(r.root, "f")
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		if err := os.WriteFile(path, []byte(c.file()), 0o644); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(map[string]string{"patch": c.patch.String()})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.raw("apply_patch", string(raw)); !got.OK {
			t.Fatalf("%s\nfile %q\npatch\n%s", got.Content[0].Text, c.file(), c.patch.String())
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if why := c.wrong(string(data)); why != "" {
			t.Fatalf("%s\nfile  %q\nfound %q\npatch\n%s", why, c.file(), data, c.patch.String())
		}
	})
}

// patchCase is a file and a patch of it, with what is to be found afterwards.
type patchCase struct {
	bom   string
	lines []textLine
	want  []wantLine
	patch strings.Builder
}

// wantLine is a line of the result; a kept one has its own ending, an added one any that
// the file has.
type wantLine struct {
	textLine
	kept bool
}

func (c *patchCase) file() string {
	text := c.bom
	for _, l := range c.lines {
		text += l.body + l.end
	}
	return text
}

func drawCase(t *rapid.T) *patchCase {
	c := &patchCase{bom: rapid.SampledFrom([]string{"", utf8BOM}).Draw(t, "bom")}
	ends := rapid.SampledFrom([][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}}).Draw(t, "endings")
	n := rapid.IntRange(1, 24).Draw(t, "lines")
	for i := range n {
		body := fmt.Sprintf("%s%d%s", rapid.StringMatching(`[ \tä@+*-]{0,3}`).Draw(t, "before"), i, rapid.StringMatching(`[ xé]{0,2}`).Draw(t, "after"))
		c.lines = append(c.lines, textLine{body, rapid.SampledFrom(ends).Draw(t, "end")})
	}
	if rapid.Bool().Draw(t, "open end") {
		c.lines[n-1].end = ""
	}
	sep := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "patch ending")
	c.put(sep, "*** Begin Patch", "*** Update File: f")
	for at := 0; at < n; {
		skip := rapid.IntRange(0, 6).Draw(t, "skip")
		c.keep(min(skip, n-at), &at)
		if at < n {
			c.hunk(t, sep, &at)
		}
	}
	if !strings.Contains(c.patch.String(), "@@") { // nothing drawn: one insertion at the end
		c.put(sep, "@@", "+end")
		c.want = append(c.want, wantLine{textLine: textLine{body: "end"}})
	}
	c.put(sep, "*** End Patch")
	return c
}

func (c *patchCase) put(sep string, lines ...string) {
	for _, l := range lines {
		c.patch.WriteString(l + sep)
	}
}

func (c *patchCase) keep(n int, at *int) {
	for range n {
		c.want = append(c.want, wantLine{c.lines[*at], true})
		*at++
	}
}

// hunk draws one hunk at a line: it has at least one old line, or an anchor before it.
func (c *patchCase) hunk(t *rapid.T, sep string, at *int) {
	kinds := rapid.SliceOfN(rapid.SampledFrom([]byte(" -+")), 1, 5).Draw(t, "hunk")
	if anchor := *at; anchor > 0 && len(c.want) > 0 && c.want[len(c.want)-1].kept && strings.TrimSpace(c.lines[anchor-1].body) != "" && rapid.Bool().Draw(t, "anchored") {
		c.put(sep, "@@ "+c.lines[anchor-1].body)
	} else {
		c.put(sep, "@@")
		kinds[0] = rapid.SampledFrom([]byte(" -")).Draw(t, "first")
	}
	for i, kind := range kinds {
		switch {
		case kind == '+':
			body := fmt.Sprintf("new %d.%d", *at, i)
			c.put(sep, "+"+body)
			c.want = append(c.want, wantLine{textLine: textLine{body: body}})
		case *at >= len(c.lines):
		case kind == '-':
			c.put(sep, "-"+c.lines[*at].body)
			*at++
		default:
			c.put(sep, " "+c.lines[*at].body)
			c.keep(1, at)
		}
	}
}

// wrong says what of the result is not as it should be, "" when all is.
func (c *patchCase) wrong(result string) string {
	rest, ok := strings.CutPrefix(result, c.bom)
	if !ok {
		return "the byte order mark is gone"
	}
	open := c.lines[len(c.lines)-1].end == ""
	for i, w := range c.want {
		body, after, _ := strings.Cut(rest, "\n")
		end := rest[len(body) : len(rest)-len(after)]
		if cut, crlf := strings.CutSuffix(body, "\r"); crlf && end != "" {
			body, end = cut, "\r\n"
		}
		last := i == len(c.want)-1
		switch {
		case body != w.body:
			return fmt.Sprintf("line %d is %q, not %q", i+1, body, w.body)
		case last && open != (end == ""):
			return "the final newline changed"
		case !last && end == "":
			return fmt.Sprintf("line %d has no ending", i+1)
		case w.kept && !last && w.end != "" && end != w.end:
			return fmt.Sprintf("line %d ends in %q, not %q", i+1, end, w.end)
		case !w.kept && end != "" && !c.hasEnding(end):
			return fmt.Sprintf("line %d ends in %q, which the file does not have", i+1, end)
		}
		rest = after
	}
	if rest != "" {
		return fmt.Sprintf("%q is too much", rest)
	}
	return ""
}

func (c *patchCase) hasEnding(end string) bool {
	for _, l := range c.lines {
		if l.end == end {
			return true
		}
	}
	return len(c.lines) == 1 && c.lines[0].end == "" && end == "\n"
}

// FuzzPatch: no text is too strange to be refused, and what applies to a file leaves the
// lines that it does not name.
func FuzzPatch(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@ a\n a\n-b\n+c\n*** End of File\n*** End Patch", "a\r\nb")
	f.Add("*** Begin Patch\n*** Add File: f\n+\n\n*** Delete: g\n*** End Patch\n", "")
	f.Add("*** Begin Patch\n*** Update: f\n--- a\n+++ b\n@@ -1,2 +3 @@ h\n\n\n+x\n*** End Patch", "\ufeffh\n\n\n")
	f.Fuzz(func(t *testing.T, patch, file string) {
		parsed := splitText([]byte(file))
		if got := string(parsed.bytes()); got != file {
			t.Fatalf("%q became %q", file, got)
		}
		ops, err := parsePatch(patch)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a text")
			}
			return
		}
		for _, op := range ops {
			if op.path == "" || op.kind != patchUpdate && (op.to != "" || len(op.hunks) > 0) {
				t.Fatalf("operation %+v", op)
			}
			out, err := parsed.apply(op.path, op.hunks)
			if err != nil {
				continue
			}
			added, removed := 0, 0
			for _, h := range op.hunks {
				for _, l := range h.lines {
					added += strings.Count(string(l.op), "+")
					removed += strings.Count(string(l.op), "-")
				}
			}
			if len(out.lines) != len(parsed.lines)+added-removed {
				t.Fatalf("%d lines became %d with +%d -%d", len(parsed.lines), len(out.lines), added, removed)
			}
		}
	})
}
