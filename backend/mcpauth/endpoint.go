package mcpauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// token is what a token endpoint gives (RFC 6749, 5.1).
type token struct {
	Access  string      `json:"access_token"`
	Type    string      `json:"token_type"`
	Expires json.Number `json:"expires_in"` // seconds; some send it as text
	Refresh string      `json:"refresh_token"`
	Scope   string      `json:"scope"`
}

// refusal is what a token endpoint says instead (RFC 6749, 5.2).
type refusal struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
	status      int
}

// refusalOf reads one. The status says enough where the body is something else.
func refusalOf(status int, body []byte) *refusal {
	refused := &refusal{status: status}
	_ = json.Unmarshal(body, refused)
	return refused
}

func (e *refusal) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("HTTP %d", e.status)
	}
	return said(e.Code, e.Description)
}

// final reports whether what was refused will never work again.
func (e *refusal) final() bool {
	return e.Code == "invalid_grant" || e.ofClient()
}

// ofClient reports whether it is the client that is refused, whatever it asks for.
func (e *refusal) ofClient() bool {
	return e.Code == "invalid_client" || e.Code == "unauthorized_client"
}

// trade asks the token endpoint for a token and puts it into the record.
func (m *Manager) trade(ctx context.Context, r *record, form url.Values) error {
	if r.Resource != "" {
		form.Set("resource", r.Resource) // RFC 8707, 2
	}
	asked := time.Now()
	body, err := m.post(ctx, r, r.TokenURL, form)
	if err != nil {
		return err
	}
	var t token
	if json.Unmarshal(body, &t) != nil || t.Access == "" {
		return errors.New("its answer is no token")
	}
	if t.Type != "" && !strings.EqualFold(t.Type, "bearer") {
		return fmt.Errorf("its token is of type %q, which cannot be used", t.Type)
	}
	r.Access, r.Expires = t.Access, time.Time{}
	if seconds, err := t.Expires.Float64(); err == nil && seconds > 0 {
		r.Expires = asked.Add(time.Duration(min(seconds, 1e9)) * time.Second)
	}
	if t.Refresh != "" {
		r.Refresh = t.Refresh
	}
	if t.Scope != "" {
		r.Scopes = strings.Fields(t.Scope)
	}
	return nil
}

// post sends a form as the record's client and returns the body of a success. Nothing of
// the form is in an error.
func (m *Manager) post(ctx context.Context, r *record, address string, form url.Values) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	basic := r.Client.Secret != "" && r.Client.Basic
	if !basic {
		form.Set("client_id", r.Client.ID)
		if r.Client.Secret != "" {
			form.Set("client_secret", r.Client.Secret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if basic {
		req.SetBasicAuth(url.QueryEscape(r.Client.ID), url.QueryEscape(r.Client.Secret)) // RFC 6749, 2.3.1
	}
	resp, err := m.webOf(ctx, r.Server, r.namedIssuer()).Do(req)
	if err != nil {
		return nil, plain(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, plain(err)
	}
	if resp.StatusCode/100 == 2 {
		return body, nil
	}
	refused := refusalOf(resp.StatusCode, body)
	_, sent, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	refused.Code = without(refused.Code, form, r.Client.Secret, sent)
	refused.Description = without(refused.Description, form, r.Client.Secret, sent)
	return nil, refused
}
