package mcpconn

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
)

// The newest revision of each era (MCP, versioning).
const (
	legacyRevision = "2025-11-25" // initialize, sessions
	modernRevision = "2026-07-28" // stateless, server/discover
)

const (
	probeBudget = 3 * time.Second  // for server/discover, of a server that nothing is known of
	knownBudget = 10 * time.Second // of one that answered it before
)

// plan is how one try shakes hands.
type plan struct {
	revision string
	budget   time.Duration // for server/discover before initialize follows; 0: none follows in time
	pinned   bool          // the revision and no other
}

func (p plan) modern() bool { return p.revision >= modernRevision }

// probe is the plan's part that the tap watches over.
func (p plan) probe() *probe {
	q := &probe{budget: p.budget}
	if p.pinned && p.modern() {
		q.pinned = p.revision
	}
	return q
}

// firstPlan is server/discover and, where that is refused or not answered, initialize on the
// same connection; what is pinned or remembered comes first.
func (d *dialer) firstPlan(target Target) plan {
	def := target.Definition
	if def.Protocol != "" && def.Protocol != "auto" {
		return plan{revision: def.Protocol, pinned: true}
	}
	budget := cmp.Or(d.opts.Probe, probeBudget)
	switch known := d.eras.revision(def.ConnectionKey(), time.Now()); {
	case known == "":
	case known < modernRevision:
		return plan{revision: legacyRevision}
	default:
		budget = max(budget, knownBudget)
	}
	if target.Timeout > 0 {
		budget = min(budget, target.Timeout/2)
	}
	return plan{revision: modernRevision, budget: budget}
}

// run tries the era that is likely, and once more when that broke the server or when it
// speaks only the other.
func (a *attempt) run(ctx context.Context) (*conn, error) {
	p := a.d.firstPlan(a.target)
	c, err := a.try(ctx, p)
	if err == nil || ctx.Err() != nil {
		return a.won(c, p, err)
	}
	again, worthIt := a.secondPlan(p, err)
	if !worthIt {
		return nil, err
	}
	first := a.explain(err)
	if again.modern() {
		a.obs.Log("info", "the server does not know initialize: it is asked by server/discover again, and waited for longer")
	} else {
		a.obs.Log("info", "the server ended when it was asked by server/discover: it is started again and asked by initialize alone")
	}
	c, err = a.try(ctx, again)
	if err == nil {
		return a.won(c, again, nil)
	}
	if second := a.explain(err); !again.modern() && second.Cause != first.Cause {
		return nil, second // the probe broke it: what it says without one is the truth
	}
	return nil, first // the first word of a server says more than its second
}

// secondPlan is what else may work after a try failed.
func (a *attempt) secondPlan(p plan, err error) (again plan, worthIt bool) {
	if p.pinned || a.stage != Initialize {
		return plan{}, false
	}
	probed := a.probe.outcome()
	switch {
	case probed.final != nil:
		return plan{}, false
	case p.modern() && a.broke(err) && !probed.initialized:
		return plan{revision: legacyRevision}, true
	case !probed.refused && refusesRevision(err):
		return plan{revision: modernRevision}, true
	}
	return plan{}, false
}

// broke reports whether the server ended the connection without a word about why.
func (a *attempt) broke(err error) bool {
	var status *statusError
	return a.target.Definition.Type != mcpconf.StreamableHTTP && !isRPC(err) && !isNetwork(err) &&
		!errors.As(err, &status) && !errors.Is(err, errFrameTooLarge)
}

// refusesRevision reports whether a server answered that it does not know initialize:
// method not found, an unsupported version, or a bare 400 as servers of 2026-07-28 send.
// Any other error is the server's last word, and starting it again would change nothing.
func refusesRevision(err error) bool {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return rpc.Code == jsonrpc.CodeMethodNotFound || rpc.Code == mcp.CodeUnsupportedProtocolVersion ||
			strings.Contains(strings.ToLower(rpc.Message), "version")
	}
	var status *statusError
	return errors.As(err, &status) && status.Status == http.StatusBadRequest
}

// won remembers what worked.
func (a *attempt) won(c *conn, p plan, err error) (*conn, error) {
	if err != nil || p.pinned {
		return c, err
	}
	key, info := a.target.Definition.ConnectionKey(), c.Info()
	switch {
	case a.probe.outcome().late && info.Protocol < modernRevision:
		a.d.eras.forget(key) // it does speak the newer one, and was only slow to say so
	default:
		a.d.eras.remember(key, era{Revision: info.Protocol, Server: info.ServerName, Version: info.Version, At: time.Now()}, p.modern())
	}
	return c, nil
}

// keepsPin is an error when a server chose another revision than the pinned one.
func (a *attempt) keepsPin(p plan, negotiated string) error {
	if !p.pinned || negotiated == p.revision {
		return nil
	}
	return &revisionError{p.revision, []string{negotiated}}
}
