//lint:file-ignore SA1019 sampling is deprecated by MCP 2026-07-28, and servers of every earlier revision use it

package mcpconn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/tool"
)

// codeRejected is the JSON-RPC error of a person's no (MCP, client/sampling, error handling).
const codeRejected = -1

// personError is why there is no answer for a server. In 2026-07-28 it ends the call that
// needed it; before, it is the answer to the server's own request.
type personError struct {
	text     string
	rejected bool // the person said no
}

func (e *personError) Error() string { return e.text }

// Unwrap is the error's code on the wire.
func (e *personError) Unwrap() error {
	code := int64(jsonrpc.CodeInternalError)
	if e.rejected {
		code = codeRejected
	}
	return &jsonrpc.Error{Code: code, Message: e.text}
}

// offerPerson declares and handles what needs a person, where there is one. go-sdk uses the
// same handlers for requests of the server and for multi-round-trip requests (2026-07-28).
func (c *conn) offerPerson(o *mcp.ClientOptions) {
	if c.target.Person == nil {
		return
	}
	o.Capabilities.Sampling = &mcp.SamplingCapabilities{}
	o.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	o.ElicitationHandler = func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return c.elicit(ctx, req.Params)
	}
	o.CreateMessageHandler = func(ctx context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		return c.sample(ctx, req.Params)
	}
	o.ElicitationCompleteHandler = func(_ context.Context, req *mcp.ElicitationCompleteNotificationRequest) {
		c.completed(req.Params.ElicitationID)
	}
}

// errCallOver ends a question: every call that may have led to it is over.
var errCallOver = errors.New("the call that led to the question is over")

// asking makes the context of a question to the person. It ends with the request, with the
// connection, and when every call that ran when it was asked is over, because until
// 2025-11-25 a request of a server does not say which call it belongs to. Their limits stand
// still until done.
func (c *conn) asking(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })
	c.mu.Lock()
	calls := slices.Collect(maps.Keys(c.clocks))
	c.mu.Unlock()
	for _, k := range calls {
		k.hold()
	}
	if len(calls) > 0 {
		go func() { // ends with ctx at the latest
			for _, k := range calls {
				select {
				case <-k.over:
				case <-ctx.Done():
					return
				}
			}
			cancel(errCallOver)
		}()
	}
	return ctx, func() {
		stop()
		cancel(nil)
		for _, k := range calls {
			k.release()
		}
	}
}

// elicit answers an elicitation/create. A question that ends before the person has answered
// is cancelled, as the specification calls it.
func (c *conn) elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	req, err := elicitation(p)
	if err != nil {
		return nil, err
	}
	if t := c.wires.Load().tap; t != nil {
		req.Schema = t.forms.asSent(req.Schema)
	}
	ctx, done := c.asking(ctx)
	defer done()
	ctx, finished := c.awaitComplete(ctx, req)
	defer finished()
	answer, err := c.target.Person.Elicit(ctx, req)
	switch {
	case errors.Is(context.Cause(ctx), errComplete):
		return &mcp.ElicitResult{Action: "accept"}, nil
	case ctx.Err() != nil:
		return &mcp.ElicitResult{Action: "cancel"}, nil
	case err != nil:
		return nil, &personError{text: err.Error()}
	}
	return elicitResult(req, answer)
}

// elicitResult is the person's answer as it goes to the server.
func elicitResult(req Elicitation, answer ElicitAnswer) (*mcp.ElicitResult, error) {
	res := &mcp.ElicitResult{Action: answer.Action}
	switch answer.Action {
	case "decline", "cancel":
		return res, nil
	case "accept":
	default:
		return nil, &personError{text: "the answer is none of accept, decline and cancel"}
	}
	if req.URL != "" {
		return res, nil
	}
	if err := CheckForm(req.Schema, answer.Content); err != nil {
		return nil, &personError{text: err.Error()}
	}
	if err := json.Unmarshal(answer.Content, &res.Content); err != nil {
		return nil, &personError{text: "the answer is no object: " + err.Error()}
	}
	return res, nil
}

// errComplete ends a question of url mode: the server says that the person has done there
// what was asked.
var errComplete = errors.New("the server says that it is complete")

// awaitComplete ends the context with notifications/elicitation/complete (2025-11-25).
func (c *conn) awaitComplete(ctx context.Context, req Elicitation) (_ context.Context, done func()) {
	if req.ID == "" {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	key := new(int)
	c.mu.Lock()
	if c.visits[req.ID] == nil {
		c.visits[req.ID] = map[*int]context.CancelCauseFunc{}
	}
	c.visits[req.ID][key] = cancel
	c.mu.Unlock()
	return ctx, func() {
		cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		if delete(c.visits[req.ID], key); len(c.visits[req.ID]) == 0 {
			delete(c.visits, req.ID)
		}
	}
}

func (c *conn) completed(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.visits[id] {
		cancel(errComplete)
	}
}

// sample answers a sampling/createMessage.
func (c *conn) sample(ctx context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	req, err := samplingOf(p)
	if err != nil {
		return nil, err
	}
	ctx, done := c.asking(ctx)
	defer done()
	answer, err := c.target.Person.Sample(ctx, req)
	switch {
	case ctx.Err() != nil:
		return nil, &personError{text: "the request was withdrawn before it was answered", rejected: true}
	case err != nil:
		return nil, &personError{text: "no model answered: " + err.Error()}
	case answer.Rejected:
		return nil, &personError{text: "the user rejected the sampling request", rejected: true}
	}
	return &mcp.CreateMessageResult{
		Role: "assistant", Model: answer.Model, StopReason: answer.StopReason, Content: &mcp.TextContent{Text: answer.Text},
	}, nil
}

// maxSampled bounds what a server may send to the model: a person is to read it.
const maxSampled = 4 << 20

func samplingOf(p *mcp.CreateMessageParams) (Sampling, error) {
	req := Sampling{System: p.SystemPrompt, MaxTokens: int(p.MaxTokens), Stop: p.StopSequences}
	if p.Temperature != 0 { // go-sdk does not tell 0 from none
		req.Temperature = &p.Temperature
	}
	if p.ModelPreferences != nil {
		for _, hint := range p.ModelPreferences.Hints {
			if hint != nil && hint.Name != "" {
				req.Hints = append(req.Hints, hint.Name)
			}
		}
	}
	size := len(p.SystemPrompt)
	for _, m := range p.Messages {
		if m == nil || m.Content == nil {
			continue
		}
		raw, err := json.Marshal(m.Content)
		if err != nil {
			return Sampling{}, fmt.Errorf("read a message of the sampling request: %w", err)
		}
		size += len(raw)
		req.Messages = append(req.Messages, PromptMessage{Role: string(m.Role), Content: decodeContent(raw)})
	}
	if size > maxSampled {
		return Sampling{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the sampling request is too long to be read"}
	}
	if len(req.Messages) == 0 {
		return Sampling{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the sampling request has no messages"}
	}
	return req, nil
}

// maxVisits is how often in a row a call may answer that links are to be opened first.
const maxVisits = 5

// linksRequired are the links that a refusal asks to be opened first (MCP 2025-11-25,
// client/elicitation, URLElicitationRequiredError), nil for any other error.
func linksRequired(err error) []Elicitation {
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) || rpc.Code != mcp.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Elicitations []*mcp.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(rpc.Data, &data) != nil {
		return nil
	}
	var links []Elicitation
	for _, p := range data.Elicitations {
		if p == nil || p.URL == "" {
			return nil
		}
		link, err := elicitation(p)
		if err != nil {
			return nil
		}
		links = append(links, link)
	}
	return links
}

// visit asks the person to open links, one after the other; an error when one is not.
func (c *conn) visit(ctx context.Context, links []Elicitation) error {
	for _, link := range links {
		res, err := c.elicit(ctx, &mcp.ElicitParams{Mode: "url", Message: link.Message, URL: link.URL, ElicitationID: link.ID})
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case res.Action != "accept":
			return &personError{text: "the user did not open the link that the server needs", rejected: true}
		}
	}
	return nil
}

// exchange sends the call and returns the raw result. Where the server answers that the
// person has to open a link first, it is sent again after that.
func (c *conn) exchange(ctx context.Context, session *mcp.ClientSession, name string, arguments json.RawMessage, token string) (json.RawMessage, error) {
	for visits := 0; ; visits++ {
		raw, err := c.exchangeOnce(ctx, session, name, arguments, token)
		if isMismatch(err) && visits == 0 && c.list(ctx) == nil {
			raw, err = c.exchangeOnce(ctx, session, name, arguments, token)
		}
		links := linksRequired(err)
		if len(links) == 0 || c.target.Person == nil || visits >= maxVisits {
			return raw, err
		}
		if err := c.visit(ctx, links); err != nil {
			return nil, err
		}
	}
}

// unanswered is the result of a call that ended because the person gave no answer.
func unanswered(e *personError, server, name string) tool.Result {
	reason := tool.ProtocolFailed
	if e.rejected {
		reason = tool.Rejected
	}
	return tool.Failed(reason, fmt.Sprintf("%s of MCP server %s was not run to its end: %s.", name, server, e.text))
}
