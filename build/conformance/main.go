// Command conformance is the client that the MCP conformance suite drives: what the window
// does with one server, without a person. It connects by Patchbay's own connection layer,
// calls every tool with arguments made from its schema, and accepts what it is asked.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

// limit bounds every step; the suite gives a scenario 30 s.
const limit = 20 * time.Second

func main() {
	if err := run(context.Background(), os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run connects to a server and calls each of its tools.
func run(ctx context.Context, url string) error {
	dialer := mcpconn.NewDialer(mcpconn.Options{Version: "conformance"})
	c, err := dialer.Dial(ctx, mcpconn.Target{
		Definition: mcpconf.Definition{Name: "conformance", Type: mcpconf.StreamableHTTP, URL: url},
		Timeout:    limit, MaxTimeout: limit, Person: agreeable{},
	}, deaf{})
	if err != nil {
		return err
	}
	defer c.Close("the scenario is over")
	for _, t := range c.Tools() {
		result := c.Call(ctx, t.Name, arguments(t.InputSchema), mcpconn.CallLimits{Idle: limit, Most: limit}, func(tool.Progress) {})
		if !result.OK {
			return fmt.Errorf("%s: %s", t.Name, tool.ModelText(result, 2000, nil))
		}
	}
	return nil
}

// agreeable is a person who accepts what a form proposes.
type agreeable struct{}

// Elicit accepts with the defaults of the fields.
func (agreeable) Elicit(_ context.Context, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
	var form struct {
		Properties map[string]struct {
			Default json.RawMessage `json:"default"`
		} `json:"properties"`
	}
	if req.URL == "" {
		if err := json.Unmarshal(req.Schema, &form); err != nil {
			return mcpconn.ElicitAnswer{}, err
		}
	}
	filled := map[string]json.RawMessage{}
	for name, field := range form.Properties {
		if field.Default != nil {
			filled[name] = field.Default
		}
	}
	content, err := json.Marshal(filled)
	return mcpconn.ElicitAnswer{Action: "accept", Content: content}, err
}

// Sample answers with a text.
func (agreeable) Sample(context.Context, mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
	return mcpconn.SampleAnswer{Model: "conformance", Text: "ok"}, nil
}

// arguments are values for the required properties of a tool.
func arguments(schema json.RawMessage) json.RawMessage {
	var s struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s) // what cannot be read has no properties
	values := map[string]any{}
	for name, property := range s.Properties {
		switch property.Type {
		case "number", "integer":
			values[name] = map[string]int{"a": 5, "b": 3}[name]
		case "boolean":
			values[name] = true
		case "string":
			values[name] = "text"
		}
	}
	data, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings, numbers and booleans only
	}
	return data
}

// deaf hears nothing of a connection.
type deaf struct{}

func (deaf) Stage(mcpconn.Stage)        {}
func (deaf) Spawned(int)                {}
func (deaf) Stderr(string)              {}
func (deaf) Log(string, string)         {}
func (deaf) ToolsChanged()              {}
func (deaf) Health(bool, time.Duration) {}
func (deaf) ResourcesChanged()          {}
func (deaf) PromptsChanged()            {}
func (deaf) ResourceUpdated(string)     {}
