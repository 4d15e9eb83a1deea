package mcpconn

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/tool"
)

const (
	// maxRead is how many bytes of a resource or a prompt are taken.
	maxRead = 8 << 20
	// readLimit is how long reading one may take.
	readLimit = time.Minute
	// completeLimit is how long values of an argument are waited for.
	completeLimit = 10 * time.Second
	// maxValues is how many values a completion holds (MCP, server/utilities/completion).
	maxValues = 100
)

// ReadResource returns the parts of a resource: text as a resource, images and recordings
// as what they are, other bytes as a resource with data.
func (c *conn) ReadResource(ctx context.Context, uri string) ([]tool.Content, error) {
	server := c.target.Definition.Name
	c.shelf.resources.mu.Lock()
	for _, r := range c.shelf.resources.list {
		if r.URI == uri && r.Size > maxRead {
			c.shelf.resources.mu.Unlock()
			return nil, tooLarge(uri, r.Size)
		}
	}
	c.shelf.resources.mu.Unlock()
	raw, err := c.fetch(ctx, request{what: "read " + uri, limit: readLimit, instead: `{"contents":[]}`,
		send: func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		}})
	if err != nil {
		return nil, err
	}
	var result struct {
		Contents []json.RawMessage `json:"contents"`
	}
	if json.Unmarshal(raw, &result) != nil || result.Contents == nil {
		return nil, fmt.Errorf("MCP server %s answered resources/read of %s without contents", server, uri)
	}
	parts, size := []tool.Content{}, 0
	for _, each := range result.Contents {
		part, err := decodePart(each, uri)
		if err != nil {
			return nil, fmt.Errorf("MCP server %s answered resources/read of %s with %w", server, uri, err)
		}
		if size += len(part.Text) + len(part.Data); size > maxRead {
			return nil, tooLarge(uri, int64(size))
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func tooLarge(uri string, size int64) error {
	return fmt.Errorf("%s is too large: at least %.1f MB, and Patchbay reads no more than %d MB of a resource", uri, float64(size)/(1<<20), maxRead>>20)
}

// decodePart decodes one of a resource's contents.
func decodePart(raw json.RawMessage, uri string) (tool.Content, error) {
	f := entryFields(raw)
	part := tool.Content{Kind: tool.Resource, URI: f.text("uri"), MIMEType: f.text("mimeType"), Text: f.text("text")}
	if part.URI == "" {
		part.URI = uri
	}
	blob := f.text("blob")
	if blob == "" {
		if f == nil {
			return part, fmt.Errorf("a part that is no object")
		}
		return part, nil
	}
	data, err := base64.StdEncoding.DecodeString(blob)
	if err != nil {
		return part, fmt.Errorf("a blob that is no base64")
	}
	part.Data, part.Text = data, ""
	switch kind, _, _ := strings.Cut(part.MIMEType, "/"); kind {
	case "image":
		part.Kind = tool.Image
	case "audio":
		part.Kind = tool.Audio
	}
	return part, nil
}

// GetPrompt expands a prompt.
func (c *conn) GetPrompt(ctx context.Context, name string, arguments map[string]string) (PromptText, error) {
	server := c.target.Definition.Name
	raw, err := c.fetch(ctx, request{what: "give its prompt " + name, limit: readLimit, instead: `{"messages":[]}`,
		send: func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return s.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments})
		}})
	if err != nil {
		return PromptText{}, err
	}
	var result struct {
		Description any `json:"description"`
		Messages    []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(raw, &result) != nil || result.Messages == nil {
		return PromptText{}, fmt.Errorf("MCP server %s answered prompts/get of %s without messages", server, name)
	}
	if len(raw) > 2*maxRead {
		return PromptText{}, tooLarge("the prompt "+name, int64(len(raw)))
	}
	out := PromptText{Messages: []PromptMessage{}}
	out.Description, _ = result.Description.(string)
	for _, m := range result.Messages {
		for _, block := range contentBlocks(m.Content) {
			out.Messages = append(out.Messages, PromptMessage{Role: m.Role, Content: decodeContent(block)})
		}
	}
	return out, nil
}

// contentBlocks are the blocks of a message: one, or a list as some servers send.
func contentBlocks(raw json.RawMessage) []json.RawMessage {
	var blocks []json.RawMessage
	if json.Unmarshal(raw, &blocks) == nil {
		return blocks
	}
	return []json.RawMessage{raw}
}

// Complete asks for values of an argument. Servers that do not offer that have none.
func (c *conn) Complete(ctx context.Context, req CompleteRequest) (Completion, error) {
	// 2024-11-05 had completion and no capability to declare it by.
	if !c.declares("completions") && c.Info().Protocol > "2024-11-05" {
		return Completion{}, nil
	}
	ref := &mcp.CompleteReference{Type: "ref/prompt", Name: req.Prompt}
	if req.Template != "" {
		ref = &mcp.CompleteReference{Type: "ref/resource", URI: req.Template}
	}
	params := &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: req.Argument, Value: req.Value}}
	if len(req.Known) > 0 {
		params.Context = &mcp.CompleteContext{Arguments: req.Known}
	}
	raw, err := c.fetch(ctx, request{what: "complete " + req.Argument, limit: completeLimit, instead: `{"completion":{"values":[]}}`,
		send: func(ctx context.Context, s *mcp.ClientSession) (any, error) { return s.Complete(ctx, params) }})
	if unknownMethod(err) {
		return Completion{}, nil
	}
	if err != nil {
		return Completion{}, err
	}
	var result struct {
		Completion struct {
			Values  []any   `json:"values"`
			Total   float64 `json:"total"`
			HasMore bool    `json:"hasMore"`
		} `json:"completion"`
	}
	_ = json.Unmarshal(raw, &result) // a help for typing: what cannot be read offers nothing
	out := Completion{Total: int(min(result.Completion.Total, 1<<31-1)), More: result.Completion.HasMore}
	for _, value := range result.Completion.Values {
		if text, ok := value.(string); ok && len(out.Values) < maxValues {
			out.Values = append(out.Values, text)
		}
	}
	return out, nil
}
