package mcpconn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/tool"
)

// The guards of a list: a server may repeat its cursor for ever.
const (
	maxPages     = 500
	maxTools     = 5000
	maxListBytes = 64 << 20

	relistQuiet = 250 * time.Millisecond // after a list_changed, since servers send several
	relistLimit = 30 * time.Second
)

// listError says why a tools/list is none.
type listError struct{ text string }

func (e *listError) Error() string { return e.text }

// list reads the whole tool list, page by page, and keeps it.
func (c *conn) list(ctx context.Context) error {
	var all []Tool
	seen := map[string]bool{}
	size := 0
	fresh := freshness{}
	for cursor, page := "", 0; ; page++ {
		raw, err := c.page(ctx, cursor)
		if err != nil {
			return err
		}
		fresh.add(raw)
		tools, next, err := decodePage(raw)
		if err != nil {
			return err
		}
		all = append(all, tools...)
		size += len(raw)
		switch {
		case next == "":
			c.checkMirrored(all)
			c.tools.Store(&all)
			c.keepFresh(fresh)
			return nil
		case seen[next]:
			return &listError{fmt.Sprintf("tools/list repeats its cursor after %d pages", page+1)}
		case page+1 >= maxPages || len(all) > maxTools || size > maxListBytes:
			return &listError{fmt.Sprintf("tools/list does not end: %d tools on %d pages so far", len(all), page+1)}
		}
		seen[next] = true
		cursor = next
	}
}

func (c *conn) page(ctx context.Context, cursor string) (json.RawMessage, error) {
	session := c.session.Load()
	res, err := ask(ctx, c, func() (*mcp.ListToolsResult, error) {
		return session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	})
	if err != nil {
		return nil, err
	}
	if t := c.wires.Load().tap; t != nil {
		if raw, ok := t.takeList(cursor); ok {
			return raw, nil
		}
	}
	return json.Marshal(res)
}

// decodePage decodes a page tool by tool. The end of the list is no cursor, null or "".
func decodePage(raw json.RawMessage) (tools []Tool, next string, err error) {
	var page struct {
		Tools  json.RawMessage `json:"tools"`
		Cursor any             `json:"nextCursor"`
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return nil, "", &listError{"tools/list answered with something that is no list: " + err.Error()}
	}
	var items []json.RawMessage
	if len(page.Tools) == 0 || json.Unmarshal(page.Tools, &items) != nil || items == nil {
		return nil, "", &listError{"tools/list answered without a list of tools"}
	}
	for _, item := range items {
		if !bytes.Equal(bytes.TrimSpace(item), []byte("null")) {
			tools = append(tools, decodeTool(item))
		}
	}
	next, _ = page.Cursor.(string)
	return tools, next, nil
}

// decodeTool decodes one tool field by field; what is wrong with it makes it skipped.
func decodeTool(raw json.RawMessage) Tool {
	var fields struct {
		Name         json.RawMessage `json:"name"`
		Title        json.RawMessage `json:"title"`
		Description  json.RawMessage `json:"description"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema"`
		Annotations  json.RawMessage `json:"annotations"`
		Meta         json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return Tool{Name: "(unreadable)", Skipped: "the tool is no JSON object"}
	}
	t := Tool{InputSchema: present(fields.InputSchema), OutputSchema: present(fields.OutputSchema)}
	text(&t, "name", fields.Name, &t.Name)
	text(&t, "title", fields.Title, &t.Title)
	text(&t, "description", fields.Description, &t.Description)
	if a := present(fields.Annotations); a != nil {
		if err := json.Unmarshal(a, &t.Annotations); err != nil {
			t.skip("its annotations are malformed: " + err.Error())
			t.Annotations = tool.Annotations{}
		}
	}
	t.AppOnly = appOnly(fields.Meta)
	return t
}

func (t *Tool) skip(why string) {
	if t.Skipped == "" {
		t.Skipped = why
	}
}

func present(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return nil
	}
	return raw
}

func text(t *Tool, field string, raw json.RawMessage, into *string) {
	if present(raw) == nil {
		return
	}
	if json.Unmarshal(raw, into) != nil {
		t.skip(fmt.Sprintf("its %s is no text", field))
	}
}

// appOnly reports whether _meta.ui.visibility keeps a tool from the model (MCP Apps).
func appOnly(raw json.RawMessage) bool {
	var meta struct {
		UI struct {
			Visibility []string `json:"visibility"`
		} `json:"ui"`
	}
	if json.Unmarshal(raw, &meta) != nil || len(meta.UI.Visibility) == 0 {
		return false
	}
	for _, to := range meta.UI.Visibility {
		if to == "model" {
			return false
		}
	}
	return true
}

// awaitNews waits for news and then until servers have sent what they send together; what
// came meanwhile is covered. It reports false at the end of the connection.
func (c *conn) awaitNews(news <-chan struct{}) bool {
	select {
	case <-news:
	case <-c.life.Done():
		return false
	}
	if !pause(c.life, relistQuiet) {
		return false
	}
	select {
	case <-news:
	default:
	}
	return true
}

// relistLoop reads the list again after list_changed, once for several, and when its time is
// over.
func (c *conn) relistLoop() {
	for c.awaitNews(c.relist) {
		before := c.Tools()
		ctx, cancel := context.WithTimeout(c.life, relistLimit)
		err := c.list(ctx)
		cancel()
		switch {
		case err == nil && reflect.DeepEqual(before, c.Tools()):
		case err == nil:
			c.obs.ToolsChanged()
		case c.life.Err() == nil:
			c.obs.Log("warning", "the tool list changed but could not be read again: "+c.a.mask.hide(plainText(err)))
		}
	}
}

// checkLimit is how long a sign of life may take.
const checkLimit = 5 * time.Second

// Check asks for a sign of life: ping where the revision has it, else a list.
func (c *conn) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, checkLimit, errTimeLimit)
	defer cancel()
	begin := time.Now()
	session := c.session.Load()
	err := c.ping(ctx, session)
	if errors.Is(err, errExpired) || errors.Is(err, mcp.ErrSessionMissing) {
		err = c.renew(ctx, session)
	}
	if err == nil || isRPC(err) { // an error is an answer
		c.sawNow()
		c.obs.Health(true, time.Since(begin))
		return nil
	}
	c.obs.Health(false, time.Since(begin))
	if c.life.Err() == nil {
		c.lose(c.lossOf(err))
	}
	return err
}

func (c *conn) ping(ctx context.Context, session *mcp.ClientSession) error {
	if c.Info().Protocol >= modernRevision {
		raw, err := c.page(ctx, "")
		if err == nil {
			c.compareFirst(raw)
		}
		return err
	}
	_, err := ask(ctx, c, func() (struct{}, error) { return struct{}{}, session.Ping(ctx, nil) })
	return err
}
