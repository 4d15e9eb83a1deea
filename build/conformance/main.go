// Command conformance is the client that the MCP conformance suite drives: what the window
// does with one server, without a person. It connects by Patchbay's own connection layer,
// calls every tool with arguments made from its schema, and accepts what it is asked.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/tool"
)

// limit bounds every step; the suite gives a scenario 30 s.
const limit = 20 * time.Second

func main() {
	if err := run(context.Background(), os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// signInMost is how often a scenario is signed in to; a server that then still refuses is not
// asked again.
const signInMost = 3

// run connects to a server and calls each of its tools, signing in where that is asked for.
func run(ctx context.Context, url string) error {
	auth, err := authOf(os.Getenv("MCP_CONFORMANCE_CONTEXT"))
	if err != nil {
		return err
	}
	signer := mcpauth.New(mcpauth.Options{
		Redirect: "http://localhost:3000/callback", Follow: follow,
		ClientMetadataURL: "https://conformance-test.local/client-metadata.json",
	})
	defer signer.Close()
	s := &scenario{
		signer: signer, dialer: mcpconn.NewDialer(mcpconn.Options{Version: "conformance", Auth: signer}),
		def: mcpconf.Definition{Name: "conformance", Type: mcpconf.StreamableHTTP, URL: url, Auth: auth},
	}
	for range signInMost {
		again, err := s.through(ctx)
		if !again {
			return err
		}
		if err := signer.SignIn(ctx, s.def); err != nil {
			return err
		}
	}
	_, err = s.through(ctx)
	return err
}

type scenario struct {
	signer *mcpauth.Manager
	dialer mcpconn.Dialer
	def    mcpconf.Definition
}

// through goes once through a server; again says that signing in may help.
func (s *scenario) through(ctx context.Context) (again bool, err error) {
	c, err := s.dialer.Dial(ctx, mcpconn.Target{Definition: s.def, Timeout: limit, MaxTimeout: limit, Person: agreeable{}}, mcptest.Deaf{})
	var failed *mcpconn.Failure
	if errors.As(err, &failed) {
		return failed.Cause == mcpconn.SignIn, err
	}
	if err != nil {
		return false, err
	}
	defer c.Close("the scenario is over")
	for _, t := range c.Tools() {
		result := c.Call(ctx, t.Name, arguments(t.InputSchema), mcpconn.CallLimits{Idle: limit, Most: limit}, func(tool.Progress) {})
		if !result.OK {
			return len(s.signer.State(s.def).Wants) > 0, fmt.Errorf("%s: %s", t.Name, tool.ModelText(result, 2000, nil))
		}
	}
	return false, nil
}

// authOf is the auth field of a definition for what the suite tells about a client.
func authOf(told string) (json.RawMessage, error) {
	if told == "" {
		return nil, nil
	}
	var client struct {
		ID       string `json:"client_id"`
		Secret   string `json:"client_secret"`
		Key      string `json:"private_key_pem"`
		IDPID    string `json:"idp_client_id"`
		IDPToken string `json:"idp_id_token"`
		IDPAt    string `json:"idp_token_endpoint"`
	}
	if err := json.Unmarshal([]byte(told), &client); err != nil {
		return nil, err
	}
	auth := map[string]any{"clientId": client.ID, "clientSecret": client.Secret, "privateKey": client.Key}
	switch {
	case client.IDPToken != "":
		auth["grant"] = "cross_app"
		auth["identity"] = map[string]string{"tokenEndpoint": client.IDPAt, "clientId": client.IDPID, "idToken": client.IDPToken}
	case strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/client-credentials-"):
		auth["grant"] = "client_credentials"
	}
	return json.Marshal(auth)
}

// follow is the browser of somebody who agrees to everything: the address that the
// authorization server redirects to.
func follow(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	to := resp.Header.Get("Location")
	if to == "" {
		return "", fmt.Errorf("%s answered HTTP %d without a redirect", address, resp.StatusCode)
	}
	return to, nil
}

// agreeable is a person who accepts what a form proposes.
type agreeable struct{}

// Elicit accepts with the defaults of the fields.
func (agreeable) Elicit(_ context.Context, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
	var form struct {
		Properties map[string]struct {
			Default json.RawMessage `json:"default"`
		} `json:"properties"`
	}
	if req.URL == "" {
		if err := json.Unmarshal(req.Schema, &form); err != nil {
			return mcpconn.ElicitAnswer{}, err
		}
	}
	filled := map[string]json.RawMessage{}
	for name, field := range form.Properties {
		if field.Default != nil {
			filled[name] = field.Default
		}
	}
	content, err := json.Marshal(filled)
	return mcpconn.ElicitAnswer{Action: "accept", Content: content}, err
}

// Sample answers with a text.
func (agreeable) Sample(context.Context, mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
	return mcpconn.SampleAnswer{Model: "conformance", Text: "ok"}, nil
}

// arguments are values for the required properties of a tool.
func arguments(schema json.RawMessage) json.RawMessage {
	var s struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s) // what cannot be read has no properties
	values := map[string]any{}
	for name, property := range s.Properties {
		switch property.Type {
		case "number", "integer":
			values[name] = map[string]int{"a": 5, "b": 3}[name]
		case "boolean":
			values[name] = true
		case "string":
			values[name] = "text"
		}
	}
	data, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings, numbers and booleans only
	}
	return data
}
