package session

import (
	"context"
	"errors"
	"fmt"

	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/tool"
)

// Resources is what a server offers to read.
type Resources struct {
	Resources    []mcpconn.Resource
	Templates    []mcpconn.ResourceTemplate
	Followed     []string // subscribed to
	Changed      []string // told to have changed since they were last read
	CanSubscribe bool
}

// Resources lists what a connected server offers to read.
func (s *Session) Resources(ctx context.Context, server string) (Resources, error) {
	b, err := s.library(server)
	if err != nil {
		return Resources{}, err
	}
	out := Resources{CanSubscribe: b.CanSubscribe()}
	if out.Resources, err = b.Resources(ctx); err != nil {
		return Resources{}, err
	}
	if out.Templates, err = b.Templates(ctx); err != nil {
		return Resources{}, err
	}
	out.Followed, out.Changed = b.Followed()
	return out, nil
}

// ReadResource returns the parts of a resource.
func (s *Session) ReadResource(ctx context.Context, server, uri string) ([]tool.Content, error) {
	b, err := s.library(server)
	if err != nil {
		return nil, err
	}
	return b.Read(ctx, uri)
}

// Subscribe says whether changes of a resource are told by the revision of its server's row.
func (s *Session) Subscribe(ctx context.Context, server, uri string, on bool) error {
	b, err := s.library(server)
	if err != nil {
		return err
	}
	return b.Subscribe(ctx, uri, on)
}

// Prompts lists the prompts of a connected server.
func (s *Session) Prompts(ctx context.Context, server string) ([]mcpconn.Prompt, error) {
	b, err := s.library(server)
	if err != nil {
		return nil, err
	}
	return b.Prompts(ctx)
}

// Complete asks a server for values of an argument.
func (s *Session) Complete(ctx context.Context, server string, req mcpconn.CompleteRequest) (mcpconn.Completion, error) {
	b, err := s.library(server)
	if err != nil {
		return mcpconn.Completion{}, err
	}
	return b.Complete(ctx, req)
}

// ForgetLibrary makes a server's lists be read anew.
func (s *Session) ForgetLibrary(server string) error {
	b, err := s.library(server)
	if err != nil {
		return err
	}
	b.Forget()
	return nil
}

// library is that of a connected server; the error says why there is none.
func (s *Session) library(server string) (mcphost.Library, error) {
	if err := s.CheckName(server); err != nil {
		return mcphost.Library{}, err
	}
	b, err := s.runtime.Library(server)
	if err != nil {
		return mcphost.Library{}, s.whyNotThere(server, err)
	}
	return b, nil
}

// whyNotThere completes mcphost.ErrNotConnected by what the server's row says.
func (s *Session) whyNotThere(server string, err error) error {
	if !errors.Is(err, mcphost.ErrNotConnected) {
		return err
	}
	row := s.row(server)
	switch row.State {
	case "":
		return fmt.Errorf("%w: it has not been started yet", err)
	case mcphost.Busy:
		return fmt.Errorf("%w (busy): it is still starting, at %s", err, row.Stage)
	}
	return fmt.Errorf("%w (%s): %s", err, row.State, row.Reason)
}
