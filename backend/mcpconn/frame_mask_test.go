package mcpconn_test

import (
	"encoding/json"
	"strings"
	"testing"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// The secrets of a definition, each in another field.
var planted = map[string]string{
	"env":        `env-"quoted"-sëcret`,
	"header":     "hdr-0123456789",
	"bearer":     "brr.abcdef.123456",
	"argument":   "arg-s3cr3t-value",
	"query":      "qry-s3cr3t-value",
	"the number": "90210447711",
}

func plantedDefinition() mcpconf.Definition {
	return mcpconf.Definition{
		Name: "n", Type: mcpconf.StreamableHTTP, URL: "https://user:" + "pw-s3cr3t" + "@example.com/mcp?k=" + planted["query"],
		Args: []string{"--token", planted["argument"]}, Env: map[string]string{"A": planted["env"], "N": planted["the number"]},
		Headers: map[string]string{"X": planted["header"], "Authorization": "Bearer " + planted["bearer"]},
	}
}

func frameOf(body string) mcpconn.Frame {
	return mcpconn.Frame{Kind: mcpconn.RequestFrame, Body: []byte(body), Size: len(body)}
}

func TestFrameMaskHidesWhatADefinitionKeepsSecret(t *testing.T) {
	m := mcpconn.NewFrameMask(plantedDefinition())
	for name, secret := range planted {
		inner, _ := json.Marshal(map[string]string{"text": "it is " + secret + "!"})
		twice, _ := json.Marshal(map[string]string{"text": string(inner)})
		named, _ := json.Marshal(map[string]int{secret: 2})
		for _, body := range []string{string(inner), string(twice), string(named), strings.ReplaceAll(string(inner), "-", `\u002d`)} {
			got := m.Body(frameOf(body))
			if !json.Valid([]byte(got)) && json.Valid([]byte(body)) {
				t.Errorf("%s: %s is no JSON any more: %s", name, body, got)
			}
			for _, part := range []string{secret, strings.ReplaceAll(secret, `"`, `\"`), strings.ReplaceAll(secret, "-", `\u002d`)} {
				if strings.Contains(got, part) {
					t.Errorf("%s shows in %s", name, got)
				}
			}
		}
	}
	if got := m.Body(frameOf(`{"n":90210447711}`)); got != `{"n":"•••"}` {
		t.Errorf("a number: %s", got)
	}
}

func TestFrameMaskHidesByNameAndShape(t *testing.T) {
	m := mcpconn.NewFrameMask(mcpconf.Definition{})
	const x = "hunter2hunter2"
	for name, body := range map[string]string{
		"password":             `{"params":{"password":"` + x + `"}}`,
		"snake case":           `{"access_token":"` + x + `"}`,
		"camel case":           `{"clientSecret":"` + x + `"}`,
		"header":               `{"X-Api-Key":"` + x + `"}`,
		"inside an object":     `{"credentials":{"value":{"a":["` + x + `"]}}}`,
		"list":                 `{"tokens":["` + x + `"]}`,
		"name and value":       `{"env":[{"name":"API_KEY","value":"` + x + `"}]}`,
		"bearer":               `{"a":"Authorization: Bearer ` + x + `"}`,
		"any authorization":    `{"a":"authorization=` + x + `"}`,
		"JSON in a string":     `{"a":"{\"password\":\"` + x + `\"}"}`,
		"assignment":           `{"a":"curl -d DB_PASSWORD=` + x + ` x"}`,
		"address":              `{"a":"postgres://me:` + x + `@host/db"}`,
		"query":                `{"a":"https://host/?a=b&token=` + x + `"}`,
		"key":                  `{"a":"use sk-` + x + `x"}`,
		"private key":          `{"a":"-----BEGIN PRIVATE KEY-----\n` + x + `\n-----END PRIVATE KEY-----"}`,
		"escaped name":         `{"pass\u0077ord":"` + x + `"}`,
		"cut in its value":     `{"password":"` + x,
		"cut behind its value": `{"password":"` + x + `","b":[{"c":`,
		"number":               `{"pwd":12345678}`,
	} {
		got := m.Body(frameOf(body))
		if strings.Contains(got, x) || strings.Contains(got, "12345678") || !strings.Contains(got, mcpconn.Hidden) {
			t.Errorf("%s: %s", name, got)
		}
		if json.Valid([]byte(body)) && !json.Valid([]byte(got)) {
			t.Errorf("%s is no JSON any more: %s", name, got)
		}
	}
}

// What a person filled into a form is hidden whatever it is called, in both eras.
func TestFrameMaskHidesWhatAPersonFilledIn(t *testing.T) {
	m := mcpconn.NewFrameMask(mcpconf.Definition{})
	const x = "hunter2hunter2"
	answer := frameOf(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"pin":"` + x + `","n":12345678,"list":["` + x + `"]}}}`)
	answer.Kind, answer.Method, answer.Out = mcpconn.ResponseFrame, "elicitation/create", true
	retry := frameOf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","inputResponses":{"a":{"action":"accept","content":{"pin":"` + x + `","n":12345678}}}}}`)
	for _, f := range []mcpconn.Frame{answer, retry} {
		if got := m.Body(f); strings.Contains(got, x) || strings.Contains(got, "12345678") || !json.Valid([]byte(got)) {
			t.Errorf("%s", got)
		}
	}
	if got := m.Body(retry); !strings.Contains(got, `"name":"t"`) {
		t.Errorf("the rest is hidden too: %s", got)
	}
}

func TestFrameMaskLeavesTheRest(t *testing.T) {
	m := mcpconn.NewFrameMask(plantedDefinition())
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"call-1"},"name":"echo"}}`,
		`{"author":"Ada","keywords":["a"],"keyboard":"qwerty","maxTokens":100,"nextPageToken":"abc","key":"name","tokens":5}`,
		`{"inputSchema":{"type":"object","properties":{"password":{"type":"string","description":"your password"},"token":{"type":"string"}}}}`,
		"{ \"a\" : \"é<>&\\u00e9\" ,\n\t\"b\": -1.5e3, \"c\": [ true , null ] }",
		`{"name":"get_secret","description":"Reads a secret"}`,
		`[]`, `{}`, `""`, `{"a":"`, `]]}}"`, `{"password":""}`,
	} {
		if got := m.Body(frameOf(body)); got != body {
			t.Errorf("%s became %s", body, got)
		}
	}
}

// A body that was cut may end in the middle of a secret.
func TestFrameMaskAtTheCut(t *testing.T) {
	m := mcpconn.NewFrameMask(plantedDefinition())
	for _, secret := range planted {
		text, _ := json.Marshal(secret)
		body := `{"text":"it is ` + string(text[1:len(text)-1])
		for n := len(`{"text":"it is `) + 5; n <= len(body); n++ {
			f := frameOf(body[:n])
			f.Size += 100
			if got := m.Body(f); strings.Contains(got, secret[:4]) {
				t.Errorf("%s becomes %s", body[:n], got)
			}
		}
	}
}

func FuzzFrameMask(f *testing.F) {
	f.Add(`{"password":"x","a":["\"",{"b":1}]}`)
	f.Add(`{"a":"{\"token\":\"abcdefgh\"}"`)
	m := mcpconn.NewFrameMask(plantedDefinition())
	f.Fuzz(func(t *testing.T, body string) {
		got := m.Body(frameOf(body))
		if json.Valid([]byte(body)) && !json.Valid([]byte(got)) {
			t.Errorf("%q is no JSON any more: %q", body, got)
		}
		if json.Valid([]byte(body)) && strings.Contains(got, planted["header"]) {
			t.Errorf("%q shows a secret: %q", body, got)
		}
	})
}
