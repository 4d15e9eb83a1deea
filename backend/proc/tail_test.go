package proc

import (
	"slices"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	for _, tt := range []struct {
		name   string
		chunks []string
		want   []string
	}{
		{"lines over chunks", []string{"a", "b\nc", "\r\n"}, []string{"ab", "c"}},
		{"unfinished line shows", []string{"a\nPassword: "}, []string{"a", "Password:"}},
		{"progress", []string{"10%\r20%\r\n"}, []string{"10%", "20%"}},
		{"colours", []string{"\x1b[31;1mred\x1b[0m \x1b]0;title\x07x\x1b]8;;u\x1b\\y"}, []string{"red xy"}},
		{"not UTF-8", []string{"a\xffb\n"}, []string{"a\uFFFDb"}},
		{"long line", []string{strings.Repeat("x", 3000), strings.Repeat("x", 3000) + "\n"}, []string{strings.Repeat("x", lineBytes)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tail := newTail(nil)
			for _, chunk := range tt.chunks {
				tail.write([]byte(chunk))
			}
			if got := tail.snapshot(); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTailIsBounded(t *testing.T) {
	for _, line := range []string{"x", strings.Repeat("y", 5000)} {
		tail := newTail(nil)
		for range 1000 {
			tail.write([]byte(line + "\n"))
		}
		got := tail.snapshot()
		if n := len(strings.Join(got, "")); len(got) > tailLines || n > tailBytes || len(got) < 16 {
			t.Errorf("kept %d lines, %d bytes", len(got), n)
		}
	}
}
