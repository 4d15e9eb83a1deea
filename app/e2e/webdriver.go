// Package e2e drives the real window: WebKitWebDriver starts the program that APP_BIN
// names, with a shim preloaded that lets it be driven, and tests find things by role and
// accessible name. See make test.
package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// session is one WebDriver session (W3C WebDriver, level 2).
type session struct {
	base string // http://127.0.0.1:PORT
	id   string
}

// elementKey marks an element in JSON (W3C WebDriver, section 12.1).
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// driverError is what a WebDriver server answers when a command cannot be done.
type driverError struct {
	Kind    string `json:"error"`
	Message string `json:"message"`
}

func (e *driverError) Error() string { return e.Kind + ": " + e.Message }

// commandLimit bounds one WebDriver command on a slow machine.
const commandLimit = time.Minute

// send does one command and decodes the value of its answer into out, which may be nil.
func send(ctx context.Context, method, url string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	var reader io.Reader
	if method == http.MethodPost {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return fmt.Errorf("read the answer to %s: %w", url, err)
	}
	if res.StatusCode != http.StatusOK {
		e := &driverError{Kind: res.Status}
		_ = json.Unmarshal(answer.Value, e)
		return e
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, out)
}

func (s session) path(rest string) string { return s.base + "/session/" + s.id + rest }

func newSession(ctx context.Context, base, binary string, args []string) (session, error) {
	options := map[string]any{"binary": binary, "args": args}
	body := map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"webkitgtk:browserOptions": options}}}
	var out struct {
		SessionID string `json:"sessionId"`
	}
	if err := send(ctx, http.MethodPost, base+"/session", body, &out); err != nil {
		return session{}, err
	}
	if out.SessionID == "" {
		return session{}, errors.New("the driver gave no session")
	}
	return session{base: base, id: out.SessionID}, nil
}

// run executes the body of a function in the page, with arguments, and decodes its result.
func (s session) run(ctx context.Context, script string, out any, args ...any) error {
	if args == nil {
		args = []any{}
	}
	return send(ctx, http.MethodPost, s.path("/execute/sync"), map[string]any{"script": script, "args": args}, out)
}

// await executes the body of an async function in the page and decodes what it resolves to.
func (s session) await(ctx context.Context, script string, out any, args ...any) error {
	if args == nil {
		args = []any{}
	}
	const wrap = `const done = arguments[arguments.length-1]; const args = [...arguments].slice(0, -1);
(async () => { %s })().then(v => done({ok: v === undefined ? null : v}), e => done({err: typeof e === "string" ? e : JSON.stringify(e) + String(e)}));`
	var answer struct {
		OK  json.RawMessage `json:"ok"`
		Err *string         `json:"err"`
	}
	err := send(ctx, http.MethodPost, s.path("/execute/async"), map[string]any{"script": fmt.Sprintf(wrap, script), "args": args}, &answer)
	if err != nil {
		return err
	}
	if answer.Err != nil {
		return errors.New(*answer.Err)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.OK, out)
}

func (s session) screenshot(ctx context.Context) ([]byte, error) {
	var encoded string
	if err := send(ctx, http.MethodGet, s.path("/screenshot"), nil, &encoded); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(encoded)
}
