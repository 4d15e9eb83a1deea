package session

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/mcphost"
)

// TestR11AnEditedHeaderConnectsWithoutARestart: a refused sign-in waits without asking
// again; the definition with the right header, and Retry, connect.
func TestR11AnEditedHeaderConnectsWithoutARestart(t *testing.T) {
	h := mcptest.NewHTTP("bearer=right")
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	r := newRig(t)
	define := func(token string) {
		r.write(r.storePath(), fmt.Sprintf(`{"mcpServers": {"web": {"url": %q, "headers": {"Authorization": "Bearer %s"}}}}`, server.URL+"/mcp", token))
	}
	define("wrong")
	m := r.open(Options{})
	s := r.session(m, "web")
	if row := r.wantState(s, "web", mcphost.Error); row.Cause != mcpconn.SignIn || h.Requests(http.MethodPost) > 2 {
		t.Errorf("row %+v after %d requests", row, h.Requests(http.MethodPost))
	}
	define("right")
	m.Store().Reload()
	r.eventually("the edited definition connects", func() bool { return r.row(s, "web").State == mcphost.Connected })

	h.SetMode("bearer=other") // the token is withdrawn: a new start is refused, until it is given again
	r.must(s.Pause("web"))
	r.eventually("it is paused", func() bool { return r.row(s, "web").State == mcphost.Paused })
	r.must(s.Resume("web"))
	r.eventually("the withdrawn token is refused", func() bool { return r.row(s, "web").Cause == mcpconn.SignIn })
	h.SetMode("bearer=right")
	r.must(s.Retry("web"))
	r.eventually("Retry connects", func() bool { return r.row(s, "web").State == mcphost.Connected })
}
