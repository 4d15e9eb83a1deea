package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"patchbay/backend/tool"
)

func (r *fileRig) read(args map[string]any) readResult {
	r.t.Helper()
	return decode[readResult](r.t, r.call("read_file", args), true)
}

func TestReadFileLines(t *testing.T) {
	r := newFileRig(t)
	r.put("five.txt", "one\ntwo\nthree\nfour\nfive\n")
	r.put("open.txt", "one\ntwo")
	r.put("crlf.txt", "a\r\nb\r\n")
	r.put("empty.txt", "")
	r.put("bom.txt", "\xef\xbb\xbfone\ntwo\n")
	tests := []struct {
		name string
		args map[string]any
		want readResult
	}{
		{"all of it", map[string]any{"path": "five.txt"}, readResult{Content: "one\ntwo\nthree\nfour\nfive\n", StartLine: 1, EndLine: 5}},
		{"a range", map[string]any{"path": "five.txt", "startLine": 2, "endLine": 3}, readResult{Content: "two\nthree\n", StartLine: 2, EndLine: 3}},
		{"one line", map[string]any{"path": "five.txt", "startLine": 5, "endLine": 5}, readResult{Content: "five\n", StartLine: 5, EndLine: 5}},
		{"an end beyond the file", map[string]any{"path": "five.txt", "startLine": 4, "endLine": 99}, readResult{Content: "four\nfive\n", StartLine: 4, EndLine: 5}},
		{"a start beyond the file", map[string]any{"path": "five.txt", "startLine": 7}, readResult{StartLine: 7, Note: "the file has fewer than 7 lines"}},
		{"a start of nothing", map[string]any{"path": "five.txt", "startLine": -3, "endLine": 1}, readResult{Content: "one\n", StartLine: 1, EndLine: 1}},
		{"no newline at the end", map[string]any{"path": "open.txt", "startLine": 2}, readResult{Content: "two", StartLine: 2, EndLine: 2}},
		{"one line beyond an open end", map[string]any{"path": "open.txt", "startLine": 3}, readResult{StartLine: 3, Note: "the file has fewer than 3 lines"}},
		{"exactly what fits", map[string]any{"path": "open.txt", "maxChars": 7}, readResult{Content: "one\ntwo", StartLine: 1, EndLine: 2}},
		{"one less than fits", map[string]any{"path": "open.txt", "maxChars": 6}, readResult{Content: "one\n", StartLine: 1, EndLine: 1, Truncated: true, NextLine: 2}},
		{"full at a line's end", map[string]any{"path": "five.txt", "maxChars": 8}, readResult{Content: "one\ntwo\n", StartLine: 1, EndLine: 2, Truncated: true, NextLine: 3}},
		{"a line that is too long by itself", map[string]any{"path": "five.txt", "startLine": 3, "maxChars": 4}, readResult{Content: "thre", StartLine: 3, EndLine: 3, Truncated: true, NextLine: 4, Note: "line 3 is too long: only its first 4 characters are here, bash can show the rest"}},
		{"a last line that is too long", map[string]any{"path": "open.txt", "startLine": 2, "maxChars": 2}, readResult{Content: "tw", StartLine: 2, EndLine: 2, Truncated: true, Note: "line 2 is too long: only its first 2 characters are here, bash can show the rest"}},
		{"CRLF is shown as it is", map[string]any{"path": "crlf.txt", "startLine": 2}, readResult{Content: "b\r\n", StartLine: 2, EndLine: 2}},
		{"an empty file", map[string]any{"path": "empty.txt"}, readResult{StartLine: 1, Note: "the file is empty"}},
		{"a byte order mark is no text", map[string]any{"path": "bom.txt", "maxChars": 4}, readResult{Content: "one\n", StartLine: 1, EndLine: 1, Truncated: true, NextLine: 2}},
		{"absolute inside", map[string]any{"path": filepath.Join(r.root, "open.txt")}, readResult{Content: "one\ntwo", StartLine: 1, EndLine: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Path = filepath.Base(tt.args["path"].(string))
			if got := (&fileRig{t: t, set: r.set}).read(tt.args); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestReadFileEncodings(t *testing.T) {
	r := newFileRig(t)
	tests := []struct{ name, bytes, want, encoding, note string }{
		{"UTF-8", "grün 漢字 😀\n", "grün 漢字 😀\n", "", ""},
		{"UTF-16LE", "\xff\xfeg\x00\xfc\x00\n\x00=\xd8\x00\xde", "gü\n😀", "UTF-16LE", ""},
		{"UTF-16BE", "\xfe\xff\x00g\x00\xfc\x00\n", "gü\n", "UTF-16BE", ""},
		{"UTF-16 with an odd byte", "\xff\xfeg\x00\x41", "g", "UTF-16LE", ""},
		{"Latin-1", "gr\xfcn \xe9t\xe9\n", "grün été\n", "ISO-8859-1", ""},
		{"an image", "\x89PNG\r\n\x1a\n\x00\x00", "", "binary", "binary file, 10 bytes, image/png"},
		{"a rune that the sniffing cuts", strings.Repeat("a", sniffBytes-1) + "é\n", strings.Repeat("a", sniffBytes-1) + "é\n", "", ""},
		{"a stray byte far behind", strings.Repeat("a\n", sniffBytes) + "\xff", "", "", ""},
		{"markup is not escaped", "<a href=\"x\">&amp;</a>\u2028", "<a href=\"x\">&amp;</a>\u2028", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r.put("f", tt.bytes)
			got := (&fileRig{t: t, set: r.set}).read(map[string]any{"path": "f", "maxChars": maxReadSize})
			if tt.name == "a stray byte far behind" {
				if !strings.HasSuffix(got.Content, "a\n\uFFFD") {
					t.Errorf("content ends with %q", got.Content[max(0, len(got.Content)-8):])
				}
				return
			}
			if got.Content != tt.want || got.Note != tt.note || got.Encoding != tt.encoding && tt.encoding != "binary" {
				t.Errorf("got %+v\nwant %q, %q, %q", got, tt.want, tt.encoding, tt.note)
			}
		})
	}
	r.put("m", "<b>&</b>")
	if text := r.call("read_file", map[string]any{"path": "m"}).Content[0].Text; !strings.Contains(text, "<b>&</b>") {
		t.Errorf("the model reads %s", text)
	}
}

// TestReadFileWalk reads files to their end by nextLine alone, as a model does: every line
// arrives once, and no answer is so long that its middle would be cut out.
func TestReadFileWalk(t *testing.T) {
	r := newFileRig(t)
	var lines []string
	for i := range 1500 {
		lines = append(lines, strings.Repeat([]string{"x", "漢", "\"\t", "<\u2028"}[i%4], i%97)+fmt.Sprint(i))
	}
	for _, end := range []string{"", "\n"} {
		whole := strings.Join(lines, "\n") + end
		r.put("big.txt", whole)
		for _, most := range []int{500, 12_000, 1 << 30} {
			var got strings.Builder
			for next, n := 1, 0; next != 0; n++ {
				result := r.call("read_file", map[string]any{"path": "big.txt", "startLine": next, "maxChars": most})
				part := decode[readResult](t, result, true)
				if size := utf8.RuneCountInString(part.Content); size > most || size > maxReadSize {
					t.Fatalf("%d characters for maxChars %d", size, most)
				}
				if text := tool.ModelText(result, tool.ModelTextLimit, nil); text != result.Content[0].Text {
					t.Fatalf("an answer of %d bytes is cut for the model", len(result.Content[0].Text))
				}
				if n > len(lines) || part.NextLine != 0 && part.NextLine <= next {
					t.Fatalf("nextLine %d after a start at %d", part.NextLine, next)
				}
				got.WriteString(part.Content)
				next = part.NextLine
			}
			if got.String() != whole {
				t.Errorf("maxChars %d: the parts do not make the file (%d of %d bytes)", most, got.Len(), len(whole))
			}
		}
	}
}

// TestReadFileStreams reads a little of a file that must not be in memory whole.
func TestReadFileStreams(t *testing.T) {
	r := newFileRig(t)
	r.put("huge", "first\n")
	if err := os.Truncate(filepath.Join(r.root, "huge"), 1<<30); err != nil {
		t.Fatal(err)
	}
	r.put("text", "first\n"+strings.Repeat("x", 64<<20)+"\nlast\n")
	measure := func(do func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	used := measure(func() {
		if got := r.read(map[string]any{"path": "huge"}); !strings.Contains(got.Note, "binary file, 1073741824 bytes") {
			t.Errorf("a sparse file: %+v", got)
		}
		if got := r.read(map[string]any{"path": "text", "startLine": 3}); got.Content != "last\n" {
			t.Errorf("behind a long line: %+v", got)
		}
		if got := r.read(map[string]any{"path": "text", "startLine": 2, "maxChars": 10}); got.Content != "xxxxxxxxxx" || got.NextLine != 3 {
			t.Errorf("a long line: %+v", got)
		}
	})
	if used > 16<<20 {
		t.Errorf("reading took %d MiB of memory", used>>20)
	}
}

func TestReadFileRefuses(t *testing.T) {
	r := newFileRig(t)
	r.put("dir/file", "x")
	secret := filepath.Join(r.outside, "secret")
	if err := os.WriteFile(secret, []byte("s"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.link(secret, "link")
	r.link(r.outside, "folder")
	r.link("link", "chain")
	tests := []struct {
		name string
		args map[string]any
		want string
	}{
		{"missing", map[string]any{"path": "no/such"}, "File does not exist: no/such"},
		{"a directory", map[string]any{"path": "dir"}, "Path is a directory: dir"},
		{"no path", map[string]any{}, "path is required"},
		{"a blank path", map[string]any{"path": " "}, "path is required"},
		{"parent", map[string]any{"path": "../outside/secret"}, "Path escapes workspace root: ../outside/secret"},
		{"absolute", map[string]any{"path": secret}, "Path escapes workspace root: " + secret},
		{"a link out", map[string]any{"path": "link"}, "Path escapes workspace root: link"},
		{"a link to a link out", map[string]any{"path": "chain"}, "Path escapes workspace root: chain"},
		{"through a folder link", map[string]any{"path": "folder/secret"}, "Path escapes workspace root: folder/secret"},
		{"a folder link is not there or not", map[string]any{"path": "folder/none"}, "Path escapes workspace root: folder/none"},
		{"an end before the start", map[string]any{"path": "dir/file", "startLine": 4, "endLine": 2}, "endLine 2 is before startLine 4"},
		{"a word as a line", map[string]any{"path": "dir/file", "startLine": "one"}, `argument "startLine" must be of type int, not string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			(&fileRig{t: t, set: r.set}).fails("read_file", tt.args, tt.want)
		})
	}
}

func TestReadFileReadsTheFolderOfLongOutput(t *testing.T) {
	r := newFileRig(t)
	long := filepath.Join(r.output, "call.txt")
	if err := os.WriteFile(long, []byte("a\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.read(map[string]any{"path": long, "startLine": 2}); got.Content != "b\n" || got.Path != filepath.ToSlash(long) {
		t.Errorf("got %+v", got)
	}
	if err := os.Symlink(filepath.Join(r.outside, "x"), filepath.Join(r.output, "out")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(r.output, "out")
	r.fails("read_file", map[string]any{"path": out}, "Path escapes workspace root: "+out)
	r.fails("write_file", map[string]any{"path": long, "content": "x"}, "Path escapes workspace root: "+long)
}
