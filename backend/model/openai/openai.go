// Package openai speaks Chat Completions to any endpoint that says it is compatible. The
// request is built from go-openai's types; the stream is read by our own tolerant reader,
// because endpoints differ in more ways than that library's types allow for.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"patchbay/backend/model"
)

// Options are fixed when the client is made.
type Options struct {
	BaseURL string // with /v1; "" is OpenAI's own
	Key     string // "" sends no Authorization header
	Model   string
	Headers map[string]string // further headers, values are treated as secrets
	// HTTPClient is the transport, nil for a plain one. Its Timeout must be 0: streams are long.
	HTTPClient *http.Client
	// IdleTimeout is how long nothing at all may arrive, keep-alive comments included;
	// 0 is five minutes.
	IdleTimeout time.Duration
	MaxRetries  int // further tries of a refused request; 0 is four, negative is none
	// RetryBase is the first wait where the endpoint names none, doubled each time; 0 is one second.
	RetryBase time.Duration
	// Vision says that the model takes images: those of tool results are sent too.
	Vision bool
	// MaxTokens limits the answer, 0 leaves it to the endpoint.
	MaxTokens int
	// RepairSchema rewrites the schema of a tool for endpoints that refuse the original;
	// nil sends schemas as they are.
	RepairSchema func(json.RawMessage) json.RawMessage
}

const (
	defaultBaseURL = "https://api.openai.com/v1"
	defaultIdle    = 5 * time.Minute
	defaultRetries = 4
	dialRetries    = 2 // a server that is not there will rarely come
)

type client struct {
	o    Options
	url  string
	http *http.Client

	mu    sync.Mutex
	adapt adaptations // what this endpoint was found to refuse
}

// New returns a client of one model of one endpoint. It connects to nothing; the error
// names a base URL that cannot be one, or a missing model.
func New(o Options) (model.Client, error) {
	o.Headers = maps.Clone(o.Headers)
	if o.BaseURL == "" {
		o.BaseURL = defaultBaseURL
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = defaultIdle
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = defaultRetries
	}
	if o.RetryBase == 0 {
		o.RetryBase = time.Second
	}
	c := &client{o: o, http: o.HTTPClient}
	if c.http == nil {
		c.http = &http.Client{}
	}
	base := strings.TrimRight(strings.TrimSpace(o.BaseURL), "/")
	c.url = strings.TrimSuffix(base, "/chat/completions") + "/chat/completions"
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the base URL %q of the model is not usable: write it as https://host/v1", redacted(o.BaseURL))
	}
	if o.Model == "" {
		return nil, fmt.Errorf("no model is chosen for %s: set its name in the profile or OPENAI_MODEL", redacted(o.BaseURL))
	}
	return c, nil
}

// Stream implements model.Client.
func (c *client) Stream(ctx context.Context, req model.Request, sink func(model.Chunk)) (model.Response, error) {
	for try := 0; ; {
		c.mu.Lock()
		adapt := c.adapt
		c.mu.Unlock()
		resp, failed := c.once(ctx, req, adapt, sink)
		if failed == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return resp, context.Cause(ctx)
		}
		if next, changed := adapt.after(failed, c.o.RepairSchema != nil); changed {
			c.mu.Lock()
			c.adapt = next
			c.mu.Unlock()
			continue
		}
		if !failed.again || try >= c.tries(failed) {
			return resp, c.redact(failed)
		}
		try++
		wait := c.wait(failed, try)
		if wait > maxWait {
			failed.Message = fmt.Sprintf("%s It asks to wait %s: try again then.", failed.Message, wait.Round(time.Second))
			return resp, c.redact(failed)
		}
		if err := countdown(ctx, wait, failed, sink); err != nil {
			return resp, err
		}
	}
}

func (c *client) tries(failed *failure) int {
	if failed.Code == model.Unreachable {
		return min(c.o.MaxRetries, dialRetries)
	}
	return c.o.MaxRetries
}

// failure is a failed try.
type failure struct {
	model.Error
	again bool          // nothing of an answer had arrived, so the request may be sent again
	after time.Duration // what the endpoint asks to wait, 0 when it does not say
	raw   string        // the endpoint's own words, for adaptations
}

// redact returns the error without anything that was sent as a secret.
func (c *client) redact(f *failure) error {
	e := f.Error
	secrets := []string{c.o.Key}
	if u, err := url.Parse(c.url); err == nil {
		password, _ := u.User.Password()
		secrets = append(secrets, password)
	}
	for _, v := range c.o.Headers {
		secrets = append(secrets, v, strings.TrimPrefix(v, "Bearer "))
	}
	for _, s := range secrets {
		if len(s) >= 4 {
			e.Message = strings.ReplaceAll(e.Message, s, "***")
		}
	}
	return &e
}

var errStalled = errors.New("nothing arrived within the idle limit")

// once sends the request once and reads the answer.
func (c *client) once(parent context.Context, req model.Request, adapt adaptations, sink func(model.Chunk)) (model.Response, *failure) {
	body, err := c.marshal(req, adapt)
	if err != nil {
		return model.Response{}, &failure{Error: model.Error{Code: model.BadRequest, Message: err.Error()}}
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	alive := time.AfterFunc(c.o.IdleTimeout, func() { cancel(errStalled) })
	defer alive.Stop()
	resp, err := c.post(ctx, body)
	if err != nil {
		return model.Response{}, c.unsent(ctx, err)
	}
	defer resp.Body.Close()
	alive.Reset(c.o.IdleTimeout)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return model.Response{}, refused(resp, c.o.Model, c.url)
	}
	a := &answer{sink: sink}
	end := readEvents(resp.Body, func() { alive.Reset(c.o.IdleTimeout) }, a.event)
	return a.finish(end, stalled(ctx, c.o.IdleTimeout), resp.Header.Get("Content-Type"), c.url)
}

func (c *client) post(ctx context.Context, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	c.o.authorize(r)
	return c.http.Do(r)
}

func (o Options) authorize(r *http.Request) {
	if o.Key != "" {
		r.Header.Set("Authorization", "Bearer "+o.Key)
	}
	for name, value := range o.Headers {
		r.Header.Set(name, value)
	}
}

// stalled is the failure of an idle connection, nil when it was not idle.
func stalled(ctx context.Context, limit time.Duration) *failure {
	if !errors.Is(context.Cause(ctx), errStalled) {
		return nil
	}
	return &failure{Error: model.Error{Code: model.Stalled,
		Message: fmt.Sprintf("The model sent nothing for %s. Try again, or choose another model.", limit)}}
}

// unsent is the failure of a request that got no answer.
func (c *client) unsent(ctx context.Context, err error) *failure {
	if f := stalled(ctx, c.o.IdleTimeout); f != nil {
		return f
	}
	return unreachable(c.url, err)
}
