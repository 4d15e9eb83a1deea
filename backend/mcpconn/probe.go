package mcpconn

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"patchbay/backend/mcpconf"
)

func parseURL(raw string) (*url.URL, error) { return url.Parse(raw) }

// probeLimit bounds the look whether a server speaks the other HTTP transport.
const probeLimit = 2 * time.Second

// otherTransport looks whether the address belongs to the other HTTP transport, after a
// refusal that could mean that (R10). Only a proof changes the failure.
func (a *attempt) otherTransport(f *Failure) *Failure {
	u, err := parseURL(a.target.Definition.URL)
	if err != nil {
		return f
	}
	to := &endpoint{url: u, headers: a.target.Definition.Headers, client: newHTTPClient(a.signed(u))}
	ctx, cancel := context.WithTimeout(context.Background(), probeLimit)
	defer cancel()
	other := mcpconf.Transport("")
	switch {
	case a.target.Definition.Type == mcpconf.StreamableHTTP && speaksSSE(ctx, to):
		other = mcpconf.SSE
	case a.target.Definition.Type == mcpconf.SSE && speaksStreamable(ctx, to):
		other = mcpconf.StreamableHTTP
	default:
		return f
	}
	f.Cause = WrongTransport
	f.Message = fmt.Sprintf("%s speaks %s, not %s%s. Change its type to %s", a.shownURL(), other, a.target.Definition.Type, statusSuffix(f.Evidence.HTTPStatus), other)
	return f
}

func statusSuffix(status int) string {
	if status == 0 {
		return ""
	}
	return fmt.Sprintf(" (it answered HTTP %d)", status)
}

// speaksSSE reports whether a GET opens a stream that begins with the endpoint event.
func speaksSSE(ctx context.Context, to *endpoint) bool {
	l, err := openSSE(ctx, to)
	if err != nil {
		return false
	}
	l.Close()
	return true
}

// speaksStreamable reports whether an initialize is answered, by a refusal at least.
func speaksStreamable(ctx context.Context, to *endpoint) bool {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"patchbay","version":"probe"}}}`, legacyRevision)
	req, err := to.request(ctx, http.MethodPost, to.url, []byte(body))
	if err != nil {
		return false
	}
	resp, err := to.client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return rpcError(failed(resp).Body) != nil // as servers that speak only 2026-07-28 refuse it
	}
	switch mediaType(resp) {
	case "text/event-stream":
		ev, err := newEventReader(resp.Body).next()
		if err != nil {
			return false
		}
		_, ok := decodeData(ev.data)
		return ok
	case "application/json":
		_, err := readJSON(resp)
		return err == nil
	}
	return false
}
