package mcpconn

import (
	"context"
	"errors"

	"patchbay/backend/tool"
)

var errNotYet = errors.New("not asked for yet")

func (c *conn) Resources(context.Context) ([]Resource, error)                 { return nil, errNotYet }
func (c *conn) ResourceTemplates(context.Context) ([]ResourceTemplate, error) { return nil, errNotYet }
func (c *conn) ReadResource(context.Context, string) ([]tool.Content, error)  { return nil, errNotYet }
func (c *conn) Subscribe(context.Context, string, bool) error                 { return errNotYet }
func (c *conn) Prompts(context.Context) ([]Prompt, error)                     { return nil, errNotYet }
func (c *conn) GetPrompt(context.Context, string, map[string]string) (PromptText, error) {
	return PromptText{}, errNotYet
}
func (c *conn) Complete(context.Context, CompleteRequest) (Completion, error) {
	return Completion{}, errNotYet
}
func (c *conn) SetLogLevel(context.Context, string) error { return errNotYet }
