package mcptest

import (
	"encoding/json"
	"strings"
)

// A server in mode "library" has, beside its tools, the resources test://text (text/plain),
// test://notes (Markdown that changes with each read), test://image, test://blob, test://long
// (1 MB of text) and test://secret, which it refuses; a template test://city/{name}; and a
// prompt greet with the arguments who (required) and city, whose answer embeds an image and
// a text. It completes cities, and tells of test://notes when that is subscribed to and
// test://touch is read.
func (s *stdioServer) library(m message) {
	var p struct {
		URI       string            `json:"uri"`
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
		Argument  struct {
			Value string `json:"value"`
		} `json:"argument"`
	}
	_ = json.Unmarshal(m.Params, &p) // absent params are none
	switch m.Method {
	case "resources/list":
		s.answer(m, object{"resources": []any{
			object{"uri": "test://text", "name": "text", "title": "A text", "mimeType": "text/plain", "size": 5},
			object{"uri": "test://notes", "name": "notes", "mimeType": "text/markdown"},
			object{"uri": "test://image", "name": "image", "mimeType": "image/png"},
			object{"uri": "test://blob", "name": "blob", "mimeType": "application/zip"},
			object{"uri": "test://long", "name": "long"},
			object{"uri": "test://secret", "name": "secret"},
		}})
	case "resources/templates/list":
		s.answer(m, object{"resourceTemplates": []any{object{"uriTemplate": "test://city/{name}", "name": "city"}}})
	case "resources/read":
		s.read(m, p.URI)
	case "resources/subscribe", "resources/unsubscribe":
		s.mu.Lock()
		s.follows = m.Method == "resources/subscribe"
		s.mu.Unlock()
		s.answer(m, object{})
	case "prompts/list":
		s.answer(m, object{"prompts": []any{object{"name": "greet", "description": "Greets somebody.", "arguments": []any{
			object{"name": "who", "description": "whom to greet", "required": true}, object{"name": "city"},
		}}}})
	case "prompts/get":
		s.answer(m, object{"description": "a greeting", "messages": []any{
			object{"role": "user", "content": object{"type": "text", "text": "Greet " + p.Arguments["who"] + "."}},
			object{"role": "user", "content": object{"type": "image", "mimeType": "image/png", "data": Pixel}},
			object{"role": "user", "content": object{"type": "resource", "resource": object{"uri": "test://inside", "mimeType": "text/plain", "text": "embedded"}}},
		}})
	case "completion/complete":
		values := []string{}
		for _, city := range []string{"berlin", "bern", "paris"} {
			if strings.HasPrefix(city, p.Argument.Value) {
				values = append(values, city)
			}
		}
		s.answer(m, object{"completion": object{"values": values, "total": len(values)}})
	default:
		s.unknown(m)
	}
}

func (s *stdioServer) read(m message, uri string) {
	part := object{"uri": uri, "mimeType": "text/plain"}
	switch {
	case uri == "test://text":
		part["text"] = "hello"
	case uri == "test://notes":
		s.mu.Lock()
		s.reads++
		part["mimeType"], part["text"] = "text/markdown", "# Notes\n\nread "+strings.Repeat("again ", s.reads-1)+"\n"
		s.mu.Unlock()
	case uri == "test://touch":
		s.mu.Lock()
		follows := s.follows
		s.mu.Unlock()
		if follows {
			s.notify("notifications/resources/updated", object{"uri": "test://notes"})
		}
		part["text"] = "touched"
	case uri == "test://image":
		part["mimeType"], part["blob"] = "image/png", Pixel
	case uri == "test://blob":
		part["mimeType"], part["blob"] = "application/zip", "UEsDBA=="
	case uri == "test://long":
		part["text"] = strings.Repeat("0123456789abcde\n", 1<<16)
	case strings.HasPrefix(uri, "test://city/"):
		part["text"] = "the city of " + strings.TrimPrefix(uri, "test://city/")
	default:
		s.refuse(m, -32002, "resource not found")
		return
	}
	s.answer(m, object{"contents": []any{part}})
}

// libraryResult is the answer to initialize of such a server.
func libraryResult() object {
	result := initResult("2025-11-25")
	result["capabilities"] = object{
		"tools": object{}, "prompts": object{"listChanged": true}, "completions": object{},
		"resources": object{"subscribe": true, "listChanged": true},
	}
	return result
}
