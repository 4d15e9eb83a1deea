package app

import "context"

// LibraryCommands act on what the shown session's servers have beside their tools.
type LibraryCommands interface {
	ServerResources(ctx context.Context, server string) (ServerResources, error)
	ReadResource(ctx context.Context, server, uri string) ([]ChatContent, error)
	// ExpandTemplate makes a URI of a template (RFC 6570).
	ExpandTemplate(ctx context.Context, template string, values map[string]string) (uri string, err error)
	// SubscribeResource says whether changes of a resource are told; ServerRow.LibraryRev
	// grows with each.
	SubscribeResource(ctx context.Context, server, uri string, on bool) error
	ServerPrompts(ctx context.Context, server string) ([]ServerPrompt, error)
	GetPrompt(ctx context.Context, server, name string, arguments map[string]string) (PromptOutcome, error)
	CompleteArgument(ctx context.Context, server string, ask CompletionAsk) ([]string, error)
	// ForgetLibrary makes the lists of a server be read anew.
	ForgetLibrary(ctx context.Context, server string) error
	// AttachedContent is what a sent message carries, by the message's sequence number.
	AttachedContent(ctx context.Context, sessionID string, seq uint64, at int) ([]ChatContent, error)
}

// ServerResources lists what a connected server offers to read.
func (m *MCP) ServerResources(server string) (ServerResources, error) {
	return call(m.core, "ServerResources", func(ctx context.Context) (ServerResources, error) {
		return m.core.backend.ServerResources(ctx, server)
	})
}

// ReadResource returns the parts of a resource.
func (m *MCP) ReadResource(server, uri string) ([]ChatContent, error) {
	return call(m.core, "ReadResource", func(ctx context.Context) ([]ChatContent, error) {
		return list(m.core.backend.ReadResource(ctx, server, uri))
	})
}

// ExpandTemplate makes a URI of a template and values of its variables.
func (m *MCP) ExpandTemplate(template string, values map[string]string) (string, error) {
	return call(m.core, "ExpandTemplate", func(ctx context.Context) (string, error) {
		return m.core.backend.ExpandTemplate(ctx, template, values)
	})
}

// SubscribeResource says whether changes of a resource are told.
func (m *MCP) SubscribeResource(server, uri string, on bool) error {
	return do(m.core, "SubscribeResource", func(ctx context.Context) error {
		return m.core.backend.SubscribeResource(ctx, server, uri, on)
	})
}

// ServerPrompts lists the prompts of a connected server.
func (m *MCP) ServerPrompts(server string) ([]ServerPrompt, error) {
	return call(m.core, "ServerPrompts", func(ctx context.Context) ([]ServerPrompt, error) {
		return list(m.core.backend.ServerPrompts(ctx, server))
	})
}

// GetPrompt fills in a prompt.
func (m *MCP) GetPrompt(server, name string, arguments map[string]string) (PromptOutcome, error) {
	return call(m.core, "GetPrompt", func(ctx context.Context) (PromptOutcome, error) {
		return m.core.backend.GetPrompt(ctx, server, name, arguments)
	})
}

// CompleteArgument asks a server for values of an argument.
func (m *MCP) CompleteArgument(server string, ask CompletionAsk) ([]string, error) {
	return call(m.core, "CompleteArgument", func(ctx context.Context) ([]string, error) {
		return list(m.core.backend.CompleteArgument(ctx, server, ask))
	})
}

// ForgetLibrary makes the lists of a server be read anew.
func (m *MCP) ForgetLibrary(server string) error {
	return m.named("ForgetLibrary", server, m.core.backend.ForgetLibrary)
}

// AttachedContent returns what a sent message carries, by the message's sequence number and
// the attachment's place.
func (c *Chat) AttachedContent(sessionID string, seq uint64, at int) ([]ChatContent, error) {
	return call(c.core, "AttachedContent", func(ctx context.Context) ([]ChatContent, error) {
		return list(c.core.backend.AttachedContent(ctx, sessionID, seq, at))
	})
}
