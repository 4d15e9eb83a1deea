package mcpconn

import (
	"context"
	"errors"
)

var errNotYet = errors.New("not asked for yet")

func (c *conn) SetLogLevel(context.Context, string) error { return errNotYet }
