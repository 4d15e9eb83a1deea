package mcpconn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// probe is the question whether a server speaks 2026-07-28: server/discover, which go-sdk
// sends before initialize. go-sdk waits for the answer as long as its context lives and
// takes every error for a no; the probe bounds the wait and knows which errors are final.
// The zero value lets everything pass.
type probe struct {
	budget time.Duration // for the answer; 0: as long as the attempt lasts
	pinned string        // revision that no initialize may replace, "" when one may

	mu         sync.Mutex
	discover   string            // id of the running question
	initialize string            // id of the initialize that followed
	instead    *jsonrpc.Response // what go-sdk was told when the budget was over
	timer      *time.Timer
	without    error // final, should go-sdk want to send initialize all the same
	became     outcome
}

// outcome is what became of the question.
type outcome struct {
	final       error // why no initialize may follow
	late        bool  // the answer came after the budget, and it was a yes
	refused     bool  // the answer was a no
	initialized bool  // initialize was answered, well or not
}

// errNoDiscover is what go-sdk is told when the budget is over.
var errNoDiscover = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "server/discover was not answered in time"}

// revisionError says that a server does not speak the revision that its definition asks for.
type revisionError struct {
	pinned string
	speaks []string // what it speaks, nil when it did not say
}

func (e *revisionError) Error() string {
	text := fmt.Sprintf("the server does not speak %s, which its definition asks for", e.pinned)
	if len(e.speaks) > 0 {
		text = fmt.Sprintf("the server speaks %s, and its definition asks for %s", strings.Join(e.speaks, " and "), e.pinned)
	}
	return text + `. Set its protocol to "auto"`
}

// asks notes a request of the handshake before it goes out; an error keeps it back.
func (p *probe) asks(req *jsonrpc.Request, giveUp func(id jsonrpc.ID, instead *jsonrpc.Response)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch req.Method {
	case "server/discover":
		p.discover, p.instead, p.became.final = idKey(req.ID), nil, nil
		if p.budget > 0 {
			id := req.ID
			p.timer = time.AfterFunc(p.budget, func() {
				if instead := p.expire(id); instead != nil {
					giveUp(id, instead)
				}
			})
		}
	case "initialize":
		p.initialize, p.became.final = idKey(req.ID), cmp.Or(p.became.final, p.without)
		return p.became.final
	}
	return nil
}

// expire ends the wait; nil when the answer was there before.
func (p *probe) expire(id jsonrpc.ID) *jsonrpc.Response {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.discover != idKey(id) || p.instead != nil {
		return nil
	}
	p.instead = &jsonrpc.Response{ID: id, Error: errNoDiscover}
	return p.instead
}

// own reports whether a message is what the probe itself told go-sdk.
func (p *probe) own(msg jsonrpc.Message) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	resp, ok := msg.(*jsonrpc.Response)
	return ok && p.instead != nil && resp == p.instead
}

// hears takes every answer of the server; true drops it, because go-sdk has one already.
func (p *probe) hears(resp *jsonrpc.Response) (drop bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch id := idKey(resp.ID); {
	case p.initialize != "" && id == p.initialize:
		p.became.initialized = true
	case p.discover == "" || id != p.discover:
	case p.instead != nil:
		p.became.late = p.became.late || resp.Error == nil
		return true
	default:
		p.discover = ""
		if p.timer != nil {
			p.timer.Stop()
		}
		p.judgeLocked(resp)
	}
	return false
}

func (p *probe) judgeLocked(resp *jsonrpc.Response) {
	p.became.refused = resp.Error != nil
	switch {
	case resp.Error == nil && p.pinned != "": // go-sdk goes on to initialize when the revision is not among them
		var result struct {
			Speaks []string `json:"supportedVersions"`
		}
		_ = json.Unmarshal(resp.Result, &result) // what cannot be read names none
		p.without = &revisionError{p.pinned, result.Speaks}
	case p.pinned != "" && refusesRevision(resp.Error):
		p.became.final = &revisionError{pinned: p.pinned}
	case p.pinned != "", resp.Error != nil && saysAll(resp.Error):
		p.became.final = resp.Error
	}
}

// saysAll reports whether an answer to server/discover says what initialize would be
// answered too: nobody there, nobody let in, or the wrong address.
func saysAll(err error) bool {
	var redirect *redirectError
	var status *statusError
	switch {
	case errors.As(err, &status):
		return status.Status == http.StatusUnauthorized || status.Status == http.StatusTooManyRequests
	case errors.As(err, &redirect), errors.Is(err, errFrameTooLarge):
		return true
	}
	return isNetwork(err)
}

// outcome is what became of the question so far.
func (p *probe) outcome() outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.became
}

// stop ends the clock.
func (p *probe) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
}
