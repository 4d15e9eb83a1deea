package mcpconn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// statusError is an HTTP answer that is not the one asked for.
type statusError struct {
	Status      int
	URL         string // without credentials and query
	ContentType string
	Challenge   string // WWW-Authenticate
	Body        string // its beginning, as text
}

func (e *statusError) Error() string {
	if e.Status == http.StatusOK {
		return fmt.Sprintf("%s answered with %s instead of MCP", e.URL, orNothing(e.ContentType))
	}
	if e.wantsScope() {
		return fmt.Sprintf("%s wants more access than the sign-in gave (HTTP 403, insufficient_scope). Sign in again to allow it", e.URL)
	}
	return fmt.Sprintf("%s answered HTTP %d %s", e.URL, e.Status, http.StatusText(e.Status))
}

func orNothing(contentType string) string {
	if contentType == "" {
		return "no content type"
	}
	return contentType
}

// redirectError refuses a redirect that would carry headers or a body elsewhere.
type redirectError struct{ From, To string }

func (e *redirectError) Error() string {
	return fmt.Sprintf("%s redirects to %s. If that is right, write it as the url", e.From, e.To)
}

// errExpired says that the server no longer knows the session (MCP, basic/transports,
// session management: 404).
var errExpired = errors.New("the server no longer knows this session")

// origin is what headers are bound to.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// plainURL is a URL that may be shown: without credentials, query values and fragment.
func plainURL(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	return shown.String()
}

// newHTTPClient follows redirects only within the origin and only where method and body
// stay the same (307, 308); it has no time limit of its own.
func newHTTPClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			first, last := via[0], via[len(via)-1]
			if len(via) > 5 || origin(req.URL) != origin(first.URL) || req.Method != last.Method {
				return &redirectError{From: plainURL(last.URL), To: plainURL(req.URL)}
			}
			return nil
		},
	}
}

// endpoint is an address with the headers bound to its origin.
type endpoint struct {
	url     *url.URL
	headers map[string]string
	client  *http.Client
	stray   func(text string) // hears events that are no JSON-RPC; nil: nobody does
}

// decode reads an event as messages; an empty one has none.
func (e *endpoint) decode(data []byte) ([]jsonrpc.Message, bool) {
	messages, ok := decodeData(data)
	if !ok && len(data) > 0 && e.stray != nil {
		e.stray(string(data))
	}
	return messages, ok
}

// request makes a request with the definition's headers, which never replace the
// protocol's own.
func (e *endpoint) request(ctx context.Context, method string, to *url.URL, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body == nil {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	}
	if origin(to) == origin(e.url) {
		for name, value := range e.headers {
			if http.CanonicalHeaderKey(name) == "Host" {
				req.Host = value
				continue
			}
			req.Header.Set(name, value)
		}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	} else {
		req.Header.Set("Accept", "text/event-stream")
	}
	return req, nil
}

// failed reads what an answer says when it is not the one asked for.
func failed(resp *http.Response) *statusError {
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 2048)) // a body cut off is shown as far as it came
	return &statusError{
		Status: resp.StatusCode, URL: plainURL(resp.Request.URL), ContentType: mediaType(resp),
		Challenge: resp.Header.Get("WWW-Authenticate"), Body: strings.ToValidUTF8(string(head), "\uFFFD"),
	}
}

func mediaType(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return resp.Header.Get("Content-Type")
	}
	return kind
}

// readJSON reads a JSON body of at most maxFrame bytes as messages.
func readJSON(resp *http.Response) ([]jsonrpc.Message, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFrame+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxFrame {
		return nil, errFrameTooLarge
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if len(text) > 0 {
		if messages, ok := decodeFrame(text); ok {
			return messages, nil
		}
	}
	return nil, &statusError{
		Status: resp.StatusCode, URL: plainURL(resp.Request.URL), ContentType: mediaType(resp),
		Body: strings.ToValidUTF8(string(text[:min(len(text), 512)]), "\uFFFD"),
	}
}

// rpcError is the JSON-RPC error that a body with an error status holds, nil without one.
func rpcError(body string) *jsonrpc.Error {
	var answer struct {
		Version string         `json:"jsonrpc"`
		Error   *jsonrpc.Error `json:"error"`
	}
	if json.Unmarshal([]byte(body), &answer) != nil || answer.Version != "2.0" {
		return nil
	}
	return answer.Error
}
