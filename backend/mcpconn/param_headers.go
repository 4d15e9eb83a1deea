package mcpconn

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
)

// paramHeader begins the name of a header that an argument goes into (MCP 2026-07-28,
// basic/transports, custom headers from tool parameters).
const paramHeader = "Mcp-Param-"

// mirrored is an argument that goes into a header too, so that what stands between client
// and server can route by it: the property has x-mcp-header in the tool's schema.
type mirrored struct {
	path   []string
	header string // without the prefix
}

// mirroredArguments reads a tool's schema. Only properties that are reached through
// properties alone may be mirrored; the error says what breaks the rules of the
// specification.
func mirroredArguments(schema json.RawMessage) ([]mirrored, error) {
	if !strings.Contains(string(schema), `"x-mcp-header"`) {
		return nil, nil
	}
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, nil // no schema at all: said elsewhere
	}
	found, err := collectMirrored(root, nil, true)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, m := range found {
		name := strings.ToLower(m.header)
		if seen[name] {
			return nil, fmt.Errorf("its schema names the header %q twice", m.header)
		}
		seen[name] = true
	}
	slices.SortFunc(found, func(a, b mirrored) int { return strings.Compare(a.header, b.header) })
	return found, nil
}

// collectMirrored walks one schema. reached says that only properties lead to it.
func collectMirrored(node any, path []string, reached bool) ([]mirrored, error) {
	list, isList := node.([]any)
	for _, each := range list {
		if _, err := collectMirrored(each, path, false); err != nil {
			return nil, err
		}
	}
	schema, ok := node.(map[string]any)
	if isList || !ok {
		return nil, nil
	}
	var found []mirrored
	if mark, marked := schema["x-mcp-header"]; marked {
		header, err := headerOf(mark, schema["type"], path, reached)
		if err != nil {
			return nil, err
		}
		found = append(found, mirrored{path, header})
	}
	for keyword, part := range schema {
		properties, ok := part.(map[string]any)
		switch {
		case keyword == "properties" && ok:
			for name, property := range properties {
				more, err := collectMirrored(property, append(slices.Clone(path), name), reached)
				if err != nil {
					return nil, err
				}
				found = append(found, more...)
			}
		case keyword != "default" && keyword != "examples" && keyword != "enum" && keyword != "const":
			if _, err := collectMirrored(part, path, false); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// headerOf checks one x-mcp-header.
func headerOf(mark, kind any, path []string, reached bool) (string, error) {
	at := strings.Join(path, ".")
	header, _ := mark.(string)
	switch {
	case !reached || len(path) == 0:
		return "", fmt.Errorf("its schema has x-mcp-header where no argument is")
	case header == "" || strings.ContainsFunc(header, func(r rune) bool { return !isToken(r) }):
		return "", fmt.Errorf("the x-mcp-header of its argument %s is no name of a header", at)
	case kind != "string" && kind != "integer" && kind != "boolean":
		return "", fmt.Errorf("its argument %s cannot go into a header: it is no string, integer or boolean", at)
	}
	return header, nil
}

// isToken reports whether a character may stand in the name of a header (RFC 9110, tchar).
func isToken(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// paramHeaders are the headers of a tools/call, nil for any other request.
func (c *conn) paramHeaders(req *jsonrpc.Request) map[string]string {
	if req.Method != "tools/call" {
		return nil
	}
	var params struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}
	if json.Unmarshal(req.Params, &params) != nil {
		return nil
	}
	headers := map[string]string{}
	for _, t := range c.Tools() {
		if t.Name != params.Name {
			continue
		}
		marks, _ := mirroredArguments(t.InputSchema) // one that breaks the rules is skipped
		for _, m := range marks {
			if value, ok := headerValue(argument(params.Arguments, m.path)); ok {
				headers[http.CanonicalHeaderKey(paramHeader+m.header)] = value
			}
		}
		break
	}
	return headers
}

func argument(arguments map[string]any, path []string) any {
	var at any = arguments
	for _, name := range path {
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = object[name]
	}
	return at
}

const (
	codedHead, codedTail = "=?base64?", "?="
	mostExact            = 1<<53 - 1 // integer that a double holds
)

// headerValue encodes an argument for a header; null and what is no string, integer or
// boolean has none.
func headerValue(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		coded := strings.HasPrefix(v, codedHead) && strings.HasSuffix(v, codedTail)
		if coded || v != strings.Trim(v, " \t") || strings.ContainsFunc(v, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			return codedHead + base64.StdEncoding.EncodeToString([]byte(v)) + codedTail, true
		}
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= mostExact {
			return strconv.FormatInt(int64(v), 10), true
		}
	}
	return "", false
}

// nameValue is the name of a tool or prompt, or a URI, as a header: as it is where a header
// can carry it, since servers compare it with the body.
func nameValue(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		name, _ = headerValue(name)
	}
	return name
}

// isMismatch reports whether a server refused a call because of its headers, before it ran:
// the schema that they were made from is not its own any more.
func isMismatch(err error) bool {
	var rpc *jsonrpc.Error
	return errors.As(err, &rpc) && rpc.Code == mcp.CodeHeaderMismatch
}

// checkMirrored skips a tool whose schema breaks the rules, where the transport has headers.
func (c *conn) checkMirrored(tools []Tool) {
	session := c.session.Load()
	if c.target.Definition.Type != mcpconf.StreamableHTTP || session == nil || session.InitializeResult().ProtocolVersion < modernRevision {
		return
	}
	for i := range tools {
		if _, err := mirroredArguments(tools[i].InputSchema); err != nil {
			// The specification has clients reject such a tool (custom headers from tool parameters);
			// its row names it with the reason.
			tools[i].skip(err.Error())
		}
	}
}
