//lint:file-ignore SA1019 sampling and logging are deprecated by MCP 2026-07-28, and servers of every earlier revision use them

package mcpconn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/tool"
)

// askingDefinitions are asking servers over transports and eras.
func askingDefinitions(t *testing.T) map[string]mcpconf.Definition {
	t.Helper()
	stdio := mcptest.Definition("asking")
	stdio.Protocol = "2025-11-25"
	modern := stdio
	modern.Protocol = "2026-07-28"
	serve := func(o *mcp.StreamableHTTPOptions) mcpconf.Definition {
		server := mcptest.NewAskingServer()
		return mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)), mcptest.Named("asking"))
	}
	stateless := serve(&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	stateless.Protocol = "2026-07-28"
	return map[string]mcpconf.Definition{"stdio": stdio, "stdio modern": modern, "streamable": serve(nil), "stateless modern": stateless}
}

// person answers as the test says. asked has a value for every question that is open.
type person struct {
	elicit func(ctx context.Context, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error)
	sample func(ctx context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error)
}

func (p person) Elicit(ctx context.Context, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
	return p.elicit(ctx, req)
}

func (p person) Sample(ctx context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
	return p.sample(ctx, req)
}

// says is a person who answers every elicitation alike and rejects every sampling.
func says(action, content string) person {
	return person{
		elicit: func(context.Context, mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
			return mcpconn.ElicitAnswer{Action: action, Content: json.RawMessage(content)}, nil
		},
		sample: func(context.Context, mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
			return mcpconn.SampleAnswer{Rejected: true}, nil
		},
	}
}

// silent is a person who never answers: a value arrives on asked when a question opens, and
// on left when it is withdrawn.
func silent() (p person, asked, left chan string) {
	asked, left = make(chan string, 8), make(chan string, 8)
	wait := func(ctx context.Context, what string) {
		asked <- what
		<-ctx.Done()
		left <- context.Cause(ctx).Error()
	}
	return person{
		elicit: func(ctx context.Context, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
			wait(ctx, req.Message)
			return mcpconn.ElicitAnswer{}, context.Cause(ctx)
		},
		sample: func(ctx context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
			wait(ctx, req.Messages[0].Content.Text)
			return mcpconn.SampleAnswer{}, context.Cause(ctx)
		},
	}, asked, left
}

func receive(t testing.TB, what string, from <-chan string) string {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		return ""
	}
}

func askingConn(t *testing.T, def mcpconf.Definition, p mcpconn.Person) (mcpconn.Conn, *ear) {
	t.Helper()
	to := target(def)
	to.Person = p
	return newRig(t).connect(t, to)
}

func TestPersonAnswersServers(t *testing.T) {
	var got mcpconn.Sampling
	p := says("accept", `{"name":"Ada","mail":"ada@example.com","extras":["b"]}`)
	p.sample = func(_ context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
		got = req
		return mcpconn.SampleAnswer{Text: "it", Model: "m", StopReason: "endTurn"}, nil
	}
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			c, _ := askingConn(t, def, p)
			form := call(t, c, "form", `{}`)
			wantHas(t, "form", textOf(form), `"action":"accept"`, `"name":"Ada"`, `"extras":["b"]`)
			wantHas(t, "link", textOf(call(t, c, "link", `{}`)), `"action":"accept"`)
			wantText(t, call(t, c, "locked", `{}`), "unlocked")
			wantHas(t, "sample", textOf(call(t, c, "sample", `{}`)), `"text":"it"`, `"model":"m"`, `"endTurn"`)
			if got.System != "Be short." || got.MaxTokens != 7 || got.Temperature == nil || *got.Temperature != 0.5 ||
				strings.Join(got.Stop, "") != "END" || strings.Join(got.Hints, "") != "small" || len(got.Messages) != 1 || got.Messages[0].Content.Text != "Say it" {
				t.Errorf("sampling request: %+v", got)
			}
		})
	}
}

// The fields of a form stand in the order in which the server wrote them.
func TestFieldsKeepTheirOrder(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			var schema string
			p := says("decline", "")
			p.elicit = func(_ context.Context, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
				schema = string(req.Schema)
				return mcpconn.ElicitAnswer{Action: "decline"}, nil
			}
			c, _ := askingConn(t, def, p)
			call(t, c, "form", `{}`)
			at := -1
			for _, field := range []string{`"name"`, `"mail"`, `"size"`, `"extras"`} {
				next := strings.Index(schema, field+":")
				if next <= at {
					t.Errorf("%s is out of order in %s", field, schema)
				}
				at = next
			}
		})
	}
}

func TestPersonSaysNo(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			c, _ := askingConn(t, def, says("decline", ""))
			wantHas(t, "form", textOf(call(t, c, "form", `{}`)), `"action":"decline"`)
			locked := call(t, c, "locked", `{}`)
			if locked.OK || locked.Reason != tool.Rejected {
				t.Errorf("locked: %+v", locked)
			}
			wantHas(t, "locked", textOf(locked), "did not open the link")
			rejected := call(t, c, "sample", `{}`)
			if rejected.OK {
				t.Errorf("sample: %+v", rejected)
			}
			wantHas(t, "sample", textOf(rejected), "the user rejected the sampling request")
		})
	}
}

// What a server may not ask never reaches the person, and does not end the program.
func TestPersonIsNotAskedNonsense(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			asked := false
			p := says("accept", `{}`)
			p.elicit = func(context.Context, mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
				asked = true
				return mcpconn.ElicitAnswer{Action: "accept", Content: json.RawMessage(`{}`)}, nil
			}
			p.sample = func(context.Context, mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
				asked = true
				return mcpconn.SampleAnswer{Rejected: true}, nil
			}
			c, _ := askingConn(t, def, p)
			for _, name := range []string{"evil", "script", "endless", "novel"} {
				if got := call(t, c, name, `{}`); got.OK {
					t.Errorf("%s: %+v", name, got)
				}
			}
			if asked {
				t.Error("the person was asked")
			}
		})
	}
}

func TestWrongAnswerDoesNotLeave(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			c, _ := askingConn(t, def, says("accept", `{"name":"A"}`))
			if got := call(t, c, "form", `{}`); got.OK || !strings.Contains(textOf(got), "minLength") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestNobodyToAsk(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			c, _ := newRig(t).connect(t, target(def))
			for _, name := range []string{"form", "sample"} {
				if got := call(t, c, name, `{}`); got.OK {
					t.Errorf("%s: %+v", name, got)
				}
			}
		})
	}
}

// A person may think as long as they like: the limits of a call are the server's.
func TestLimitsWaitForThePerson(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			const limit = 300 * time.Millisecond
			p := says("accept", "")
			p.elicit = func(ctx context.Context, _ mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
				select {
				case <-time.After(4 * limit):
					return mcpconn.ElicitAnswer{Action: "accept", Content: json.RawMessage(`{"name":"Ada"}`)}, nil
				case <-ctx.Done():
					return mcpconn.ElicitAnswer{}, context.Cause(ctx)
				}
			}
			c, _ := askingConn(t, def, p)
			got := c.Call(t.Context(), "form", nil, mcpconn.CallLimits{Idle: limit, Most: patience}, nil)
			wantHas(t, "idle", textOf(got), `"name":"Ada"`)
			got = c.Call(t.Context(), "form", nil, mcpconn.CallLimits{Idle: patience, Most: 2 * limit}, nil)
			wantHas(t, "most", textOf(got), `"name":"Ada"`)
		})
	}
}

// After the answer the limits run again.
func TestLimitsRunAfterTheAnswer(t *testing.T) {
	c, _ := askingConn(t, askingDefinitions(t)["stdio"], says("accept", `{}`))
	got := c.Call(t.Context(), "form_then_hang", nil, mcpconn.CallLimits{Idle: 200 * time.Millisecond, Most: patience}, nil)
	if got.Reason != tool.TimedOut {
		t.Errorf("%+v", got)
	}
}

func TestQuestionEndsWithItsCall(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		for _, tool := range []string{"form", "link", "sample", "locked"} {
			t.Run(name+" "+tool, func(t *testing.T) {
				p, asked, left := silent()
				c, _ := askingConn(t, def, p)
				ctx, stop := context.WithCancelCause(t.Context())
				answered := make(chan string, 1)
				go func() {
					r := c.Call(ctx, tool, nil, limits(), nil)
					answered <- string(r.Reason)
				}()
				receive(t, "the question", asked)
				stop(errors.New("stopped"))
				if got := receive(t, "the end of the call", answered); got != "cancelled" {
					t.Errorf("reason %q", got)
				}
				receive(t, "the end of the question", left)
			})
		}
	}
}

func TestQuestionEndsWithItsConnection(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			p, asked, left := silent()
			c, _ := askingConn(t, def, p)
			answered := make(chan string, 1)
			go func() { answered <- textOf(c.Call(background(), "form", nil, limits(), nil)) }()
			receive(t, "the question", asked)
			c.Close("paused")
			wantHas(t, "call", receive(t, "the end of the call", answered), "paused")
			receive(t, "the end of the question", left)
		})
	}
}

// A server that is done with a link says so, and the question is answered.
func TestElicitationComplete(t *testing.T) {
	p, asked, left := silent()
	c, _ := askingConn(t, askingDefinitions(t)["stdio"], p)
	answered := make(chan string, 1)
	go func() { answered <- textOf(call(t, c, "complete", `{}`)) }()
	if got := receive(t, "the question", asked); got != "Go there" {
		t.Errorf("asked %q", got)
	}
	wantHas(t, "why it ended", receive(t, "the end of the question", left), "complete")
	wantHas(t, "answer", receive(t, "the answer", answered), "accept")
}

// A server may take a question back, with notifications/cancelled.
func TestQuestionTakenBack(t *testing.T) {
	p, asked, left := silent()
	c, _ := askingConn(t, askingDefinitions(t)["stdio"], p)
	answered := make(chan string, 1)
	go func() { answered <- textOf(call(t, c, "takeback", `{}`)) }()
	receive(t, "the question", asked)
	receive(t, "the end of the question", left)
	wantHas(t, "the call goes on", receive(t, "the answer", answered), "without you")
}

func TestLogLevel(t *testing.T) {
	for name, def := range askingDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			c, heard := askingConn(t, def, nil)
			if err := c.SetLogLevel(t.Context(), "loud"); err == nil {
				t.Error("loud was accepted")
			}
			for _, level := range []string{"warning", "debug"} {
				if err := c.SetLogLevel(t.Context(), level); err != nil {
					t.Fatal(err)
				}
				wantText(t, call(t, c, "talk", `{}`), "talked")
			}
			heard.until(t, "three messages", func(e *ear) bool { return len(e.logs) >= 3 })
			heard.mu.Lock()
			defer heard.mu.Unlock()
			if got := fmt.Sprint(heard.logs); got != "[error said at error debug said at debug error said at error]" {
				t.Errorf("heard %s", got)
			}
		})
	}
	mute := mcp.NewServer(&mcp.Implementation{Name: "mute"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	url := serveHTTP(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mute }, nil))
	c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, url)))
	if err := c.SetLogLevel(t.Context(), "info"); err == nil || !strings.Contains(err.Error(), "does not declare") {
		t.Errorf("a server without log messages: %v", err)
	}
}

func TestCheckForm(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{
		"mail":{"type":"string","format":"email"},"site":{"type":"string","format":"uri"},
		"day":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"},
		"n":{"type":"integer","minimum":1,"maximum":9},"x":{"type":"number"},"yes":{"type":"boolean"},
		"pick":{"type":"string","enum":["a","b"]},"picks":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1},
		"old":{"type":"string","enum":["a"],"enumNames":["Alpha"]}
	},"required":["n"]}`)
	tests := []struct{ content, wantErr string }{
		{`{"n":1}`, ""},
		{`{"n":1,"mail":"a@b.c","site":"https://x.y/z","day":"2026-01-31","at":"2026-01-31T12:00:00Z","x":1.5,"yes":false,"pick":"a","picks":["b"],"old":"a"}`, ""},
		{`{}`, "n is required"},
		{`{"n":10}`, "n: "},
		{`{"n":1.5}`, "n: "},
		{`{"n":"1"}`, "n: "},
		{`{"n":1,"mail":"nobody"}`, "mail must be an email address"},
		{`{"n":1,"mail":"Ada <a@b.c>"}`, "mail must be"},
		{`{"n":1,"site":"x.y"}`, "site must be a full address"},
		{`{"n":1,"day":"31.1.2026"}`, "day must be a date"},
		{`{"n":1,"at":"2026-01-31"}`, "at must be a date with time"},
		{`{"n":1,"pick":"c"}`, "pick: "},
		{`{"n":1,"picks":[]}`, "picks: "},
		{`{"n":1,"picks":["c"]}`, "picks: "},
		{`{"n":1,"other":1}`, "other is no field"},
		{`[]`, "must be an object"},
		{`null`, "must be an object"},
		{``, "must be an object"},
	}
	for _, tt := range tests {
		err := mcpconn.CheckForm(schema, json.RawMessage(tt.content))
		if (tt.wantErr == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
			t.Errorf("%s: %v, want %q", tt.content, err, tt.wantErr)
		}
	}
}
