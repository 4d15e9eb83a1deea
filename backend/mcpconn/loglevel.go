//lint:file-ignore SA1019 logging is deprecated by MCP 2026-07-28, and servers of every earlier revision use it

package mcpconn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// AllLogLevels are the levels of log messages, least urgent first (RFC 5424; MCP,
// server/utilities/logging).
var AllLogLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// SetLogLevel asks for log messages of a level and above, for the connection's life: by
// logging/setLevel, and where the revision has none (2026-07-28) with each call.
func (c *conn) SetLogLevel(ctx context.Context, level string) error {
	server := c.target.Definition.Name
	if !slices.Contains(AllLogLevels, level) {
		return fmt.Errorf("unknown log level: %s. Use one of %s", level, strings.Join(AllLogLevels, ", "))
	}
	info := c.Info()
	if info.Protocol < modernRevision {
		if !slices.Contains(info.Capabilities, "logging") {
			return fmt.Errorf("MCP server %s does not declare log messages, so there is no level to set", server)
		}
		if err := c.sendLogLevel(ctx, level); err != nil {
			return fmt.Errorf("set the log level of MCP server %s: %s", server, c.a.mask.hide(plainText(err)))
		}
	}
	c.mu.Lock()
	c.level = level
	c.mu.Unlock()
	return nil
}

func (c *conn) sendLogLevel(ctx context.Context, level string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })
	defer stop()
	session := c.session.Load()
	_, err := ask(ctx, c, func() (struct{}, error) {
		return struct{}{}, session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: mcp.LoggingLevel(level)})
	})
	return err
}

// logLevel is what was asked for, "" for the server's own choice.
func (c *conn) logLevel() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.level
}

// meta is what a call carries beside its progress token.
func (c *conn) meta() mcp.Meta {
	if level := c.logLevel(); level != "" && c.Info().Protocol >= modernRevision {
		return mcp.Meta{mcp.MetaKeyLogLevel: level}
	}
	return nil
}
