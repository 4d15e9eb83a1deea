package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"patchbay/backend/mcpconn"
	"patchbay/backend/model"
	"patchbay/backend/tool"
)

const (
	// maxMentions is how many resources one message may carry.
	maxMentions = 20
	// maxAttachedText and maxAttachedImages are how many bytes of them, all together.
	maxAttachedText   = 512 << 10
	maxAttachedImages = 16 << 20
	// attachLimit is how long reading them may take: the window answers within 30 s.
	attachLimit = 25 * time.Second
)

// Mention is a resource that a message is to carry.
type Mention struct {
	Server string
	URI    string
	Name   string // for people
	// Held is the id of content that came along with a prompt; "" reads the resource.
	Held string
}

// Attach reads what a message is to carry, all at once. The error names what cannot be read
// or sent; nothing has been sent then.
func (s *Session) Attach(ctx context.Context, mentions []Mention) ([]model.Attachment, error) {
	if len(mentions) > maxMentions {
		return nil, fmt.Errorf("a message carries at most %d resources, and this one has %d. Remove some, then send again", maxMentions, len(mentions))
	}
	ctx, cancel := context.WithTimeout(ctx, attachLimit)
	defer cancel()
	out, errs := make([]model.Attachment, len(mentions)), make([]error, len(mentions))
	var wg sync.WaitGroup
	for i, m := range mentions {
		wg.Go(func() { out[i], errs[i] = s.attach(ctx, m) })
	}
	wg.Wait()
	for i, err := range errs {
		switch {
		case err == nil:
		case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
			return nil, fmt.Errorf("%s of MCP server %s was not read within %s. Nothing was sent: try again, or remove it", label(mentions[i]), mentions[i].Server, attachLimit)
		default:
			return nil, fmt.Errorf("%s cannot be sent along: %w. Nothing was sent: remove it, or try again", label(mentions[i]), err)
		}
	}
	return out, checkSizes(out)
}

func label(m Mention) string {
	if m.Name != "" {
		return m.Name
	}
	return m.URI
}

func (s *Session) attach(ctx context.Context, m Mention) (model.Attachment, error) {
	a := model.Attachment{Server: m.Server, URI: m.URI, Name: m.Name}
	if m.Held != "" {
		part, ok := s.held.take(m.Held)
		if ok {
			a.Parts = []tool.Content{part}
			return a, sendable(part)
		}
		if m.URI == "" {
			return a, errors.New("it came with a prompt, which is too long ago. Use the prompt again")
		}
	}
	parts, err := s.ReadResource(ctx, m.Server, m.URI)
	if err != nil {
		return a, err
	}
	if len(parts) == 0 {
		return a, errors.New("it is empty: its server sent no content")
	}
	for _, part := range parts {
		if err := sendable(part); err != nil {
			return a, err
		}
	}
	a.Parts = parts
	return a, nil
}

// sendable refuses what no model reads.
func sendable(p tool.Content) error {
	switch {
	case p.Kind == tool.Image:
		return nil
	case p.Kind == tool.Audio || len(p.Data) > 0:
		kind := p.MIMEType
		if kind == "" {
			kind = "of an unknown type"
		}
		return fmt.Errorf("it is binary (%s), which a model cannot read", kind)
	case !utf8.ValidString(p.Text):
		return errors.New("its text is no valid UTF-8")
	}
	return nil
}

func checkSizes(all []model.Attachment) error {
	text, images := 0, 0
	for _, a := range all {
		for _, p := range a.Parts {
			text += len(p.Text)
			images += len(p.Data)
		}
	}
	switch {
	case text > maxAttachedText:
		return fmt.Errorf("the attached resources are %d KB of text, and a message carries at most %d KB. Nothing was sent: remove some", text>>10, maxAttachedText>>10)
	case images > maxAttachedImages:
		return fmt.Errorf("the attached images are %d MB, and a message carries at most %d MB. Nothing was sent: remove some", images>>20, maxAttachedImages>>20)
	}
	return nil
}

// Attached is an attachment of a message that was sent, by the sequence number of the
// message's event and its place.
func (s *Session) Attached(seq uint64, at int) (model.Attachment, error) {
	all, err := s.attachedTo(seq)
	if err != nil {
		return model.Attachment{}, err
	}
	if at < 0 || at >= len(all) {
		return model.Attachment{}, errors.New("the message carries no such resource")
	}
	return all[at], nil
}

// attachedTo is what the user's message with that sequence number carries.
func (s *Session) attachedTo(seq uint64) ([]model.Attachment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.folded.Events() {
		if e.Seq == seq && len(e.Attached) > 0 {
			return e.Attached, nil
		}
	}
	return nil, nil
}

// PromptUse is a prompt as a message takes it up.
type PromptUse struct {
	Description string
	Messages    []mcpconn.PromptMessage // as the server sent them
	Text        string                  // of all messages
	Mentions    []Mention               // what came beside text, held for Attach
}

// UsePrompt expands a prompt of a connected server.
func (s *Session) UsePrompt(ctx context.Context, server, name string, arguments map[string]string) (PromptUse, error) {
	b, err := s.library(server)
	if err != nil {
		return PromptUse{}, err
	}
	got, err := b.Prompt(ctx, name, arguments)
	if err != nil {
		return PromptUse{}, err
	}
	use := PromptUse{Description: got.Description, Messages: got.Messages}
	use.Text = promptText(got.Messages)
	for _, m := range got.Messages {
		c := m.Content
		mention := Mention{Server: server, URI: c.URI, Name: c.Name}
		switch c.Kind {
		case tool.Resource, tool.Image, tool.Audio:
			if mention.Name == "" && c.URI == "" {
				mention.Name = fmt.Sprintf("%s of %s", c.Kind, name)
			}
			mention.Held = s.held.put(c)
		case tool.ResourceLink:
		default:
			continue
		}
		use.Mentions = append(use.Mentions, mention)
	}
	return use, nil
}

// promptText is what the messages of a prompt say. Who says it is told where not all of it
// is the user's.
func promptText(messages []mcpconn.PromptMessage) string {
	mixed := false
	for _, m := range messages {
		mixed = mixed || m.Role != string(model.User) && m.Content.Kind == tool.Text
	}
	var parts []string
	for _, m := range messages {
		if m.Content.Kind != tool.Text {
			continue
		}
		text := m.Content.Text
		if mixed {
			who := m.Role
			if who != "" {
				who = strings.ToUpper(who[:1]) + who[1:]
			}
			text = who + ": " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n")
}

// maxHeld is how many bytes of prompts' contents a session holds; the oldest go first.
const maxHeld = 64 << 20

// holding keeps what came along with prompts until a message takes it.
type holding struct {
	mu    sync.Mutex
	parts map[string]tool.Content
	order []string
	bytes int
}

func (h *holding) put(part tool.Content) (id string) {
	id = uuid.NewString()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.parts == nil {
		h.parts = map[string]tool.Content{}
	}
	h.parts[id] = part
	h.order = append(h.order, id)
	h.bytes += len(part.Data) + len(part.Text)
	for h.bytes > maxHeld && len(h.order) > 1 {
		oldest := h.parts[h.order[0]]
		h.bytes -= len(oldest.Data) + len(oldest.Text)
		delete(h.parts, h.order[0])
		h.order = h.order[1:]
	}
	return id
}

// take returns a part; it stays, since sending may be refused and tried again.
func (h *holding) take(id string) (tool.Content, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	part, ok := h.parts[id]
	return part, ok
}
