package app

import (
	"context"

	"patchbay/backend/mcpconn"
	"patchbay/backend/model"
	"patchbay/backend/session"
	"patchbay/backend/tool"
)

// ServerResources lists what a connected server offers to read.
func (l *Local) ServerResources(ctx context.Context, server string) (ServerResources, error) {
	s, err := l.current()
	if err != nil {
		return ServerResources{}, err
	}
	got, err := s.Resources(ctx, server)
	if err != nil {
		return ServerResources{}, err
	}
	out := ServerResources{
		Resources: []ServerResource{}, Templates: []ServerTemplate{},
		Followed: orEmpty(got.Followed), Changed: orEmpty(got.Changed), CanSubscribe: got.CanSubscribe,
	}
	for _, r := range got.Resources {
		out.Resources = append(out.Resources, ServerResource(r))
	}
	for _, t := range got.Templates {
		out.Templates = append(out.Templates, toTemplate(t))
	}
	return out, nil
}

func toTemplate(t mcpconn.ResourceTemplate) ServerTemplate {
	out := ServerTemplate{URITemplate: t.URITemplate, Name: t.Name, Title: t.Title, Description: t.Description, MIMEType: t.MIMEType}
	names, err := mcpconn.TemplateVariables(t.URITemplate)
	if err != nil {
		out.Invalid = err.Error()
	}
	out.Variables = orEmpty(names)
	return out
}

// ReadResource returns the parts of a resource.
func (l *Local) ReadResource(ctx context.Context, server, uri string) ([]ChatContent, error) {
	s, err := l.current()
	if err != nil {
		return nil, err
	}
	parts, err := s.ReadResource(ctx, server, uri)
	return l.contents(parts), err
}

func (l *Local) contents(parts []tool.Content) []ChatContent {
	var out []ChatContent
	for _, p := range parts {
		out = append(out, l.content(p))
	}
	return out
}

// content is a part for the page. What is neither text nor media is only told of: its bytes
// stay here.
func (l *Local) content(p tool.Content) ChatContent {
	out := toContent(p, l.media.keep)
	out.Size = len(p.Text) + len(p.Data)
	return out
}

// ExpandTemplate makes a URI of a template.
func (l *Local) ExpandTemplate(_ context.Context, template string, values map[string]string) (string, error) {
	return mcpconn.ExpandTemplate(template, values)
}

// SubscribeResource says whether changes of a resource are told.
func (l *Local) SubscribeResource(ctx context.Context, server, uri string, on bool) error {
	s, err := l.current()
	if err != nil {
		return err
	}
	return s.Subscribe(ctx, server, uri, on)
}

// ServerPrompts lists the prompts of a connected server.
func (l *Local) ServerPrompts(ctx context.Context, server string) ([]ServerPrompt, error) {
	s, err := l.current()
	if err != nil {
		return nil, err
	}
	prompts, err := s.Prompts(ctx, server)
	var out []ServerPrompt
	for _, p := range prompts {
		one := ServerPrompt{Name: p.Name, Title: p.Title, Description: p.Description, Arguments: []PromptArgument{}}
		for _, a := range p.Arguments {
			one.Arguments = append(one.Arguments, PromptArgument(a))
		}
		out = append(out, one)
	}
	return out, err
}

// GetPrompt fills in a prompt.
func (l *Local) GetPrompt(ctx context.Context, server, name string, arguments map[string]string) (PromptOutcome, error) {
	s, err := l.current()
	if err != nil {
		return PromptOutcome{}, err
	}
	use, err := s.UsePrompt(ctx, server, name, arguments)
	if err != nil {
		return PromptOutcome{}, err
	}
	out := PromptOutcome{Description: use.Description, Messages: []PromptMessage{}, Text: use.Text, Mentions: []Mention{}}
	for _, m := range use.Messages {
		out.Messages = append(out.Messages, PromptMessage{Role: m.Role, Content: l.content(m.Content)})
	}
	for _, m := range use.Mentions {
		out.Mentions = append(out.Mentions, Mention(m))
	}
	return out, nil
}

// CompleteArgument asks a server for values of an argument.
func (l *Local) CompleteArgument(ctx context.Context, server string, ask CompletionAsk) ([]string, error) {
	s, err := l.current()
	if err != nil {
		return nil, err
	}
	got, err := s.Complete(ctx, server, mcpconn.CompleteRequest(ask))
	return got.Values, err
}

// ForgetLibrary makes the lists of a server be read anew.
func (l *Local) ForgetLibrary(_ context.Context, server string) error {
	s, err := l.current()
	if err != nil {
		return err
	}
	return s.ForgetLibrary(server)
}

// AttachedContent is what a sent message carries.
func (l *Local) AttachedContent(_ context.Context, sessionID string, seq uint64, at int) ([]ChatContent, error) {
	s, err := l.session(sessionID)
	if err != nil {
		return nil, err
	}
	a, err := s.Attached(seq, at)
	return l.contents(a.Parts), err
}

// toAttachments says what a message carries, without its content.
func toAttachments(all []model.Attachment) []Attachment {
	out := []Attachment{}
	for _, a := range all {
		one := Attachment{Server: a.Server, URI: a.URI, Name: a.Name}
		for _, p := range a.Parts {
			if one.MIMEType == "" {
				one.MIMEType = p.MIMEType
			}
			one.Size += len(p.Text) + len(p.Data)
		}
		out = append(out, one)
	}
	return out
}

// mentions are what a message is to carry.
func mentions(all []Mention) []session.Mention {
	var out []session.Mention
	for _, m := range all {
		out = append(out, session.Mention(m))
	}
	return out
}
