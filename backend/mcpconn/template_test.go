package mcpconn_test

import (
	"slices"
	"testing"

	"patchbay/backend/mcpconn"
)

func TestTemplates(t *testing.T) {
	for _, c := range []struct {
		template string
		values   map[string]string
		names    []string
		want     string
	}{
		{"test://city/{name}", map[string]string{"name": "São Paulo"}, []string{"name"}, "test://city/S%C3%A3o%20Paulo"},
		{"file:///{+path}", map[string]string{"path": "a/b c.txt"}, []string{"path"}, "file:///a/b%20c.txt"},
		{"repo://{owner}/{repo}/contents{/path*}", map[string]string{"owner": "o", "repo": "r", "path": "a/b"}, []string{"owner", "repo", "path"}, "repo://o/r/contents/a/b"},
		{"q://find{?text,limit}", map[string]string{"text": "x y", "other": "no"}, []string{"text", "limit"}, "q://find?text=x%20y"},
		// RFC 6570, 1.2 and 3.2
		{"O{undef}X", nil, []string{"undef"}, "OX"},
		{"{hello}", map[string]string{"hello": "Hello World!"}, []string{"hello"}, "Hello%20World%21"},
		{"{+path:6}/here", map[string]string{"path": "/foo/bar"}, []string{"path"}, "/foo/b/here"},
		{"X{#x,hello}", map[string]string{"x": "1024", "hello": "Hello World!"}, []string{"x", "hello"}, "X#1024,Hello%20World!"},
		{"X{.x,y}", map[string]string{"x": "1024", "y": "768"}, []string{"x", "y"}, "X.1024.768"},
		{"{;x,y}", map[string]string{"x": "1024", "y": "768"}, []string{"x", "y"}, ";x=1024;y=768"},
		{"?fixed=yes{&x}", map[string]string{"x": "1024"}, []string{"x"}, "?fixed=yes&x=1024"},
		{"plain://none", nil, nil, "plain://none"},
	} {
		names, err := mcpconn.TemplateVariables(c.template)
		if err != nil || !slices.Equal(names, c.names) {
			t.Errorf("%s: variables %v, %v", c.template, names, err)
		}
		if got, err := mcpconn.ExpandTemplate(c.template, c.values); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.template, got, err, c.want)
		}
	}
	for _, bad := range []string{"bad://{", "bad://}", "bad://{}", "bad://{a b}", "bad://{=x}"} {
		if got, err := mcpconn.ExpandTemplate(bad, nil); err == nil {
			t.Errorf("%s was expanded to %s", bad, got)
		}
	}
}
