package mcpconn

import (
	"context"
	"encoding/json"

	"patchbay/backend/tool"
)

// Resource is one entry of resources/list (MCP, server/resources).
type Resource struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        int64 // bytes, 0 when the server does not say
}

// ResourceTemplate is one entry of resources/templates/list.
type ResourceTemplate struct {
	URITemplate string // RFC 6570
	Name        string
	Title       string
	Description string
	MIMEType    string
}

// Prompt is one entry of prompts/list (MCP, server/prompts).
type Prompt struct {
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument
}

// PromptArgument is one argument of a prompt.
type PromptArgument struct {
	Name        string
	Title       string
	Description string
	Required    bool
}

// PromptMessage is one message that a prompt expands to.
type PromptMessage struct {
	Role    string // user or assistant
	Content tool.Content
}

// PromptText is the answer to prompts/get.
type PromptText struct {
	Description string
	Messages    []PromptMessage
}

// CompleteRequest asks for values of one argument (MCP, server/utilities/completion). One
// of Prompt and Template is set.
type CompleteRequest struct {
	Prompt   string            // name of a prompt
	Template string            // URI template of a resource
	Argument string            // what is completed
	Value    string            // what is typed so far
	Known    map[string]string // arguments that have a value already
}

// Completion is what a server offers for an argument.
type Completion struct {
	Values []string
	Total  int // 0 when the server does not say
	More   bool
}

// Library is what a server has beside its tools. Lists are read on first use, page by page,
// and kept until the server says that they changed or their ttl is over. Every method ends
// with ctx or with the connection; the error is a sentence. A server that does not declare
// a capability is not asked: its lists are empty.
type Library interface {
	Resources(ctx context.Context) ([]Resource, error)
	ResourceTemplates(ctx context.Context) ([]ResourceTemplate, error)
	// ReadResource returns the parts of a resource; it is not cached.
	ReadResource(ctx context.Context, uri string) ([]tool.Content, error)
	// Subscribe says whether changes of a resource are to be told (Observer.ResourceUpdated).
	Subscribe(ctx context.Context, uri string, on bool) error
	Prompts(ctx context.Context) ([]Prompt, error)
	GetPrompt(ctx context.Context, name string, arguments map[string]string) (PromptText, error)
	Complete(ctx context.Context, req CompleteRequest) (Completion, error)
	// Forget drops what is kept of the lists, so that they are read anew.
	Forget()
	// SetLogLevel asks for log messages of a level (RFC 5424 words) and above.
	SetLogLevel(ctx context.Context, level string) error
}

// Person answers what a server asks of the person at the keyboard. Its methods wait for the
// person without a limit of their own and end with ctx.
type Person interface {
	Elicit(ctx context.Context, req Elicitation) (ElicitAnswer, error)
	Sample(ctx context.Context, req Sampling) (SampleAnswer, error)
}

// Elicitation is an elicitation/create (MCP, client/elicitation).
type Elicitation struct {
	Message string
	Schema  json.RawMessage // form mode: a flat object schema
	URL     string          // url mode: where the person is to go; "" in form mode
	ID      string          // url mode: the server's id of it
}

// ElicitAnswer is what the person did.
type ElicitAnswer struct {
	Action  string          // accept, decline, cancel
	Content json.RawMessage // form mode and accept: an object that fits the schema
}

// Sampling is a sampling/createMessage (MCP, client/sampling).
type Sampling struct {
	System      string
	Messages    []PromptMessage
	MaxTokens   int
	Temperature *float64
	Stop        []string
	Hints       []string // names of models the server would like, best first
}

// SampleAnswer is what the model said, or that the person refused.
type SampleAnswer struct {
	Rejected   bool
	Text       string
	Model      string
	StopReason string // endTurn, maxTokens, stopSequence
}
