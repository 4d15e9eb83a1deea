//lint:file-ignore SA1019 roots and logging are deprecated by MCP 2026-07-28, and servers of every earlier revision use them

package mcpconn

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/tool"
)

// rawContent is one content block of a result (MCP, server/tools, tool result).
type rawContent struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Data        string          `json:"data"`
	MIMEType    string          `json:"mimeType"`
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Resource    *rawContentBody `json:"resource"`
}

type rawContentBody struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
	Blob     string `json:"blob"`
}

// decodeResult decodes a tools/call result block by block: an unknown kind of content is
// kept as its JSON and loses nothing else.
func decodeResult(raw json.RawMessage) tool.Result {
	var res struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return tool.Failed(tool.ProtocolFailed, "The server answered with something that is no tool result: "+err.Error())
	}
	var blocks []json.RawMessage
	if len(res.Content) > 0 {
		if err := json.Unmarshal(res.Content, &blocks); err != nil {
			blocks = []json.RawMessage{res.Content}
		}
	}
	out := tool.Result{OK: !res.IsError, Content: []tool.Content{}}
	for _, block := range blocks {
		out.Content = append(out.Content, decodeContent(block))
	}
	if s := strings.TrimSpace(string(res.Structured)); s != "" && s != "null" {
		out.Content = append(out.Content, tool.Content{Kind: tool.Structured, JSON: res.Structured})
	}
	return out
}

func decodeContent(block json.RawMessage) tool.Content {
	var c rawContent
	if json.Unmarshal(block, &c) != nil {
		return tool.Content{Kind: tool.Text, Text: string(block)}
	}
	switch c.Type {
	case "text":
		return tool.Content{Kind: tool.Text, Text: c.Text, MIMEType: c.MIMEType}
	case "image", "audio":
		data, err := base64.StdEncoding.DecodeString(c.Data)
		if err != nil {
			return tool.Content{Kind: tool.Text, Text: fmt.Sprintf("[%s %s that is no base64]", c.Type, c.MIMEType)}
		}
		return tool.Content{Kind: tool.ContentKind(c.Type), MIMEType: c.MIMEType, Data: data}
	case "resource":
		if c.Resource != nil {
			return decodeResource(*c.Resource)
		}
	case "resource_link":
		return tool.Content{Kind: tool.ResourceLink, URI: c.URI, Name: c.Name, Text: c.Description, MIMEType: c.MIMEType}
	}
	return tool.Content{Kind: tool.Text, Text: string(block)}
}

func decodeResource(r rawContentBody) tool.Content {
	out := tool.Content{Kind: tool.Resource, URI: r.URI, MIMEType: r.MIMEType, Text: r.Text}
	if r.Blob != "" {
		if data, err := base64.StdEncoding.DecodeString(r.Blob); err == nil {
			out.Data = data
		}
	}
	return out
}

// logText is the text of a notifications/message.
func logText(p *mcp.LoggingMessageParams) string {
	text, ok := p.Data.(string)
	if !ok {
		data, err := json.Marshal(p.Data)
		if err != nil {
			return fmt.Sprint(p.Data)
		}
		text = string(data)
	}
	if p.Logger != "" {
		return p.Logger + ": " + text
	}
	return text
}

// capabilityNames lists what a server declares.
func capabilityNames(caps *mcp.ServerCapabilities) []string {
	if caps == nil {
		return nil
	}
	var names []string
	add := func(name string, declared bool) {
		if declared {
			names = append(names, name)
		}
	}
	add("tools", caps.Tools != nil)
	add("tools.listChanged", caps.Tools != nil && caps.Tools.ListChanged)
	add("resources", caps.Resources != nil)
	add("resources.listChanged", caps.Resources != nil && caps.Resources.ListChanged)
	add("resources.subscribe", caps.Resources != nil && caps.Resources.Subscribe)
	add("prompts", caps.Prompts != nil)
	add("prompts.listChanged", caps.Prompts != nil && caps.Prompts.ListChanged)
	add("logging", caps.Logging != nil)
	add("completions", caps.Completions != nil)
	return names
}
