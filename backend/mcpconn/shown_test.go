package mcpconn

import (
	"slices"
	"strings"
	"testing"

	"patchbay/backend/mcpconf"
)

func TestShownArgsHideSecrets(t *testing.T) {
	tests := []struct{ args, want string }{
		{"-y @scope/server /home/u", "-y @scope/server /home/u"},
		{"--api-key s3cret1 --verbose", "--api-key ••• --verbose"},
		{"--token=s3cret1", "--token=•••"},
		{"-token s3cret1", "-token •••"},
		{"--access-token --next x", "--access-token --next x"},
		{"--token ${env:TOKEN} --key=${keyring:x}", "--token ${env:TOKEN} --key=${keyring:x}"},
		{"--token ${TOKEN:-s3cret1}", "--token •••"},
		{"run -e NAME=s3cret1 --env=OTHER=s3cret2 image", "run -e NAME=••• --env=OTHER=••• image"},
		{"GITHUB_TOKEN=s3cret1 LANG=C", "GITHUB_TOKEN=••• LANG=C"},
		{"postgresql://u5er:s3cret1@db:5432/x?sslkey=s3cret2&y", "postgresql://db:5432/x?sslkey=•••&y"},
		{"--url=https://u5er:s3cret1@h/p?a=s3cret2#s3cret3", "--url=https://h/p?a=•••"},
		{"DSN=postgres://u5er:s3cret1@db/x", "DSN=postgres://db/x"},
		{"sk-s3cret1", "•••"},
	}
	for _, tt := range tests {
		if got := strings.Join(ShownArgs(strings.Fields(tt.args)), " "); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.args, got, tt.want)
		}
	}
	if got := ShownArgs([]string{"--header", "Authorization: Bearer s3cret1", "-H", "X-Key:s3cret1"}); !slices.Equal(got, []string{"--header", "Authorization: •••", "-H", "X-Key:•••"}) {
		t.Errorf("headers = %q", got)
	}
}

func TestShownURL(t *testing.T) {
	for raw, want := range map[string]string{
		"http://h:1/mcp":                        "http://h:1/mcp",
		"https://u:p@h/mcp?key=v&flag&b=w#frag": "https://h/mcp?key=•••&flag&b=•••",
		"http://h/%zz?key=v":                    "•••",
		"":                                      "",
	} {
		if got := ShownURL(raw); got != want {
			t.Errorf("%s → %s, want %s", raw, got, want)
		}
	}
}

func TestMaskHidesArgumentsAndQueryValues(t *testing.T) {
	m := newMask(mcpconf.Definition{
		Args: []string{"--api-key", "arg-secret", "https://u:word-secret@h?x=query%20one"}, URL: "https://h/?key=query-two",
		Headers: map[string]string{"Authorization": "Bearer head-secret"}, Env: map[string]string{"A": "env-secret"},
	})
	text := m.hide("arg-secret word-secret query one query%20one query-two head-secret env-secret --api-key")
	if strings.Contains(text, "secret") || strings.Contains(text, "query") || !strings.Contains(text, "--api-key") {
		t.Errorf("masked: %s", text)
	}
}
