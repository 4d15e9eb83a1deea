package mcpconn

import (
	"encoding/json"
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
		{"serve 4f9d8c7b6a5e4d3c2b1a09f8e7d6c5b4", "serve •••"},
		{"Xy7Kq2LmPw9RtZv4 5f0e9a3c-1b2d-4e5f-8a9b-0c1d2e3f4a5b", "••• •••"},
		{"--region=eu --id=Xy7Kq2LmPw9RtZv4 name=Xy7Kq2LmPw9RtZv4", "--region=eu --id=••• name=•••"},
		{"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE/12aB", "•••"},
		{"eyJhbGciOi.eyJzdWI.x AIzaSyD", "••• •••"},
		{"@modelcontextprotocol/server-everything@2025.9.12 mcp-server-fetch==2025.4.7", "@modelcontextprotocol/server-everything@2025.9.12 mcp-server-fetch==2025.4.7"},
		{"/home/u/5f0e9a3c1b2d4e5f8a9b0c1d2e3f4a5b/x ./dist/index.js --filter=a=b 127.0.0.1:65535", "/home/u/5f0e9a3c1b2d4e5f8a9b0c1d2e3f4a5b/x ./dist/index.js --filter=a=b 127.0.0.1:65535"},
		{"ghcr.io/github/github-mcp-server:v0.13.2 Internationalization2 AReallyLongCamelCaseName", "ghcr.io/github/github-mcp-server:v0.13.2 Internationalization2 AReallyLongCamelCaseName"},
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

func TestRedactHidesTheSecretsOfAuth(t *testing.T) {
	def := mcpconf.Definition{Auth: json.RawMessage(`{"clientId": "open-client", "issuer": "https://open.test", "scopes": ["open-scope"], "clientSecret": "hide-secret",
		"privateKey": "hide-key", "redirectPort": 8080, "identity": {"tokenEndpoint": "https://open.test/token", "clientId": "open-other", "idToken": "hide-token"}}`)}
	if got := Redact(def, string(def.Auth)); strings.Contains(got, "hide-") || strings.Count(got, "open") != strings.Count(string(def.Auth), "open") {
		t.Error(got)
	}
}
