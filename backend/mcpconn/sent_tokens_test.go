package mcpconn

import (
	"strings"
	"testing"
)

func TestSentTokensAreHiddenInFrames(t *testing.T) {
	var s sentTokens
	s.add("planted-token")
	s.add("short") // a word
	tests := []struct {
		name, body string
		size       int // 0 is all of it
		want       string
	}{
		{"none", `{"a":"short"}`, 0, `{"a":"short"}`},
		{"whole", `{"a":"planted-token planted-token"}`, 0, `{"a":"` + Hidden + ` ` + Hidden + `"}`},
		{"cut inside", `{"a":"planted-tok`, 100, `{"a":"` + Hidden},
		{"cut elsewhere", `{"a":"planted-token pla`, 100, `{"a":"` + Hidden + ` pla`},
		{"not cut", `planted-tok`, 0, `planted-tok`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := []byte(tt.body)
			f := Frame{Body: body, Size: max(tt.size, len(body))}
			got := s.inFrame(f)
			if string(got.Body) != tt.want || got.Cut() != f.Cut() || string(body) != tt.body {
				t.Errorf("%q, cut %v", got.Body, got.Cut())
			}
		})
	}
}

func TestSentTokensAreFew(t *testing.T) {
	var s sentTokens
	for n := range 3 * maxSentTokens {
		s.add(strings.Repeat("x", minSecret+n))
	}
	if all := s.all(); len(all) != maxSentTokens || len(all[maxSentTokens-1]) != minSecret+3*maxSentTokens-1 {
		t.Errorf("%d tokens: %q", len(all), all)
	}
	var none *sentTokens
	if none.hide("text") != "text" {
		t.Error("a text without tokens changed")
	}
}
