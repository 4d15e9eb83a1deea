package tool_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"patchbay/backend/tool"
)

func text(s string) tool.Content { return tool.Content{Kind: tool.Text, Text: s} }

func structured(s string) tool.Content {
	return tool.Content{Kind: tool.Structured, JSON: json.RawMessage(s)}
}

func TestModelText(t *testing.T) {
	png := bytes.Repeat([]byte{0x89}, 300<<10)
	tests := []struct {
		name   string
		failed bool
		reason tool.Reason
		in     []tool.Content
		want   string
	}{
		{name: "text parts are lines", in: []tool.Content{text("a"), text(""), text("b")}, want: "a\nb"},
		{name: "A16 nothing", want: "(no output)"},
		{name: "A16 blank", in: []tool.Content{text(" \n")}, want: "(no output)"},
		{name: "T16 image", in: []tool.Content{text("done"), {Kind: tool.Image, MIMEType: "image/png", Data: png}},
			want: "done\n[image image/png, 300 KB, shown to the user]"},
		{name: "T16 audio of no type", in: []tool.Content{{Kind: tool.Audio, Data: []byte("abc")}}, want: "[audio, 3 bytes, shown to the user]"},
		{name: "T16 binary resource", in: []tool.Content{{Kind: tool.Resource, URI: "file:///a", MIMEType: "application/pdf", Data: make([]byte, 3<<20)}},
			want: "[resource file:///a application/pdf, 3.0 MB, binary]"},
		{name: "text resource", in: []tool.Content{{Kind: tool.Resource, URI: "file:///a", Text: "x\ny"}}, want: "[resource file:///a]\nx\ny"},
		{name: "resource link", in: []tool.Content{{Kind: tool.ResourceLink, URI: "file:///a", Name: "A", Text: "the a"}}, want: "[resource link file:///a] A the a"},
		{name: "T18 only structured", in: []tool.Content{structured(`{"accounts":[1]}`)}, want: `{"accounts":[1]}`},
		{name: "T18 said by a text already", in: []tool.Content{text("{\n \"b\": 2, \"a\": 1}"), structured(`{"a":1,"b":2}`)}, want: "{\n \"b\": 2, \"a\": 1}"},
		{name: "T18 text says something else", in: []tool.Content{text("2 found"), structured(`{"n":2}`)}, want: "2 found\n{\"n\":2}"},
		{name: "T18 numbers that a float cannot tell apart", in: []tool.Content{text("9007199254740992"), structured("9007199254740993")}, want: "9007199254740992\n9007199254740993"},
		{name: "T20 failed", failed: true, in: []tool.Content{text("upstream 500")}, want: "Error: upstream 500"},
		{name: "T20 failed and says so", failed: true, in: []tool.Content{text("Error: no such file")}, want: "Error: no such file"},
		{name: "T20 failed without a word", failed: true, want: "Error: (no output)"},
		{name: "T20 the host's failure", failed: true, reason: tool.ServerGone, in: []tool.Content{text("gone")}, want: "Error: gone"},
		{name: "a rejection is an answer", failed: true, reason: tool.Rejected, in: []tool.Content{text("The user rejected this call.")}, want: "The user rejected this call."},
		{name: "not UTF-8", in: []tool.Content{text("a\xff\xfeb")}, want: "a\uFFFDb"},
		{name: "a kind of tomorrow", in: []tool.Content{{Kind: "hologram", Text: "x"}}, want: "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := tool.Result{OK: !tt.failed, Reason: tt.reason, Content: tt.in}
			if got := tool.ModelText(r, tool.ModelTextLimit, nil); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

var base64Run = regexp.MustCompile(`[A-Za-z0-9+/=]{200,}`)

func TestT16NoBase64(t *testing.T) {
	for _, kind := range tool.AllContentKinds {
		if kind == tool.Text || kind == tool.Structured {
			continue
		}
		r := tool.Result{OK: true, Content: []tool.Content{{Kind: kind, MIMEType: "image/png", Data: bytes.Repeat([]byte("A"), 300<<10)}}}
		if got := tool.ModelText(r, 0, nil); base64Run.MatchString(got) || len(got) > 200 {
			t.Errorf("%s: the model reads %d bytes", kind, len(got))
		}
	}
}

func TestT14HugeResultIsCut(t *testing.T) {
	full := "BEGIN" + strings.Repeat("x", 2<<20) + "END"
	kept := ""
	got := tool.ModelText(tool.OKText(full), 0, func(s string) (string, error) { kept = s; return "/out/call.txt", nil })
	if len(got) > tool.ModelTextLimit {
		t.Errorf("the model reads %d bytes", len(got))
	}
	for _, want := range []string{"BEGIN", "END", "[… 2.0 MB of 2.0 MB left out; the full text is in /out/call.txt …]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if kept != full {
		t.Errorf("%d bytes were kept of %d", len(kept), len(full))
	}
	got = tool.ModelText(tool.OKText(full), 1000, func(string) (string, error) { return "", errors.New("disk full") })
	if !strings.Contains(got, "left out; the full text could not be kept: disk full …]") {
		t.Errorf("a failed save is not said: %q", got)
	}
	if got = tool.ModelText(tool.OKText("short"), 1000, func(string) (string, error) { t.Error("saved a short text"); return "", nil }); got != "short" {
		t.Errorf("got %q", got)
	}
}

func TestT14CutsAreValidUTF8(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		full := rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'é', '界', '🙂', '\n'}), 0, 400, -1).Draw(t, "text")
		limit := rapid.IntRange(-1, 500).Draw(t, "limit")
		long := strings.Repeat("p", rapid.IntRange(0, 600).Draw(t, "path")) + "\xff"
		got := tool.ModelText(tool.OKText(full), limit, func(string) (string, error) { return long, nil })
		if strings.TrimSpace(full) == "" {
			full = "(no output)"
		}
		if !utf8.ValidString(got) {
			t.Fatalf("not valid: %q", got)
		}
		if most := limit + len(long) + 200; limit > 0 && len(got) > most {
			t.Fatalf("%d bytes with limit %d", len(got), limit)
		}
		head, tail, cut := strings.Cut(got, "\n\n[… ")
		if !cut {
			if got != full {
				t.Fatalf("changed without a note: %q", got)
			}
			return
		}
		_, tail, _ = strings.Cut(tail, " …]\n\n")
		if !strings.HasPrefix(full, head) || !strings.HasSuffix(full, tail) {
			t.Fatalf("head %q and tail %q are not of %q", head, tail, full)
		}
	})
}
