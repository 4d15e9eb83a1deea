package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"patchbay/backend/model"
)

const (
	maxErrorBody = 64 << 10
	maxErrorText = 500
)

// refused classifies an answer with a status that is no success.
func refused(resp *http.Response, modelName, url string) *failure {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what arrived is enough
	said := spoken(body, resp.Header.Get("Content-Type"))
	f := &failure{raw: string(body), after: retryAfter(resp.Header, time.Now())}
	f.Status = resp.StatusCode
	f.Code, f.Message, f.again = classify(resp.StatusCode, said, modelName, url)
	return f
}

// classify turns a status and the endpoint's words into a code, a sentence that says what
// to do, and whether the same request may be tried again.
func classify(status int, said, modelName, url string) (model.Code, string, bool) {
	low := strings.ToLower(said)
	switch {
	case tooLong(low) || status == http.StatusRequestEntityTooLarge:
		return model.TooLong, "The conversation no longer fits the model's window. Compact it or start a new one" + quote(said), false
	case status == http.StatusUnauthorized:
		return model.BadKey, "The endpoint refused the key. Check the key of this model profile" + quote(said), false
	case status == http.StatusForbidden:
		return model.BadKey, "The endpoint does not allow this key to use the model. Check the key's rights" + quote(said), false
	case noModel(status, low):
		return model.BadModel, fmt.Sprintf("The endpoint does not know the model %q. Choose another one in the profile%s", modelName, quote(said)), false
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return model.BadURL, fmt.Sprintf("Nothing speaks Chat Completions at %s. Check the base URL: it usually ends in /v1%s", url, quote(said)), false
	case status == http.StatusTooManyRequests && (strings.Contains(low, "insufficient_quota") || strings.Contains(low, "exceeded your current quota")):
		return model.RateLimited, "The account has no quota left. Check its plan and billing" + quote(said), false
	case status == http.StatusTooManyRequests:
		return model.RateLimited, "The endpoint limits the rate of requests" + quote(said), true
	case status >= 500 || status == http.StatusRequestTimeout:
		return model.Overloaded, "The endpoint is overloaded or broken right now" + quote(said), true
	}
	return model.BadRequest, "The endpoint refused the request" + quote(said), false
}

func tooLong(low string) bool {
	for _, sign := range []string{"context_length", "context length", "context window", "maximum context",
		"prompt is too long", "too many tokens", "exceeds the maximum number of tokens", "input is too long", "exceed_context_size"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

func noModel(status int, low string) bool {
	if !strings.Contains(low, "model") {
		return false
	}
	return status == http.StatusNotFound || status == http.StatusBadRequest &&
		(strings.Contains(low, "does not exist") || strings.Contains(low, "not found") || strings.Contains(low, "not a valid model"))
}

// quote adds the endpoint's own words to a sentence.
func quote(said string) string {
	if said == "" {
		return "."
	}
	return ": " + said
}

// spoken is what an error body says, with its code, cut to a readable length.
func spoken(body []byte, contentType string) string {
	if strings.Contains(contentType, "html") || strings.HasPrefix(strings.TrimSpace(string(body)), "<") {
		return ""
	}
	said, _ := readError(body)
	return clip(said)
}

func clip(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= maxErrorText {
		return s
	}
	cut := maxErrorText
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// readError finds the words and the numeric code in an error of any shape: {"error":
// {"message", "code"}}, {"error": "…"}, {"message"}, {"detail"}, an array of these, a
// string, or plain text.
func readError(raw []byte) (said string, status int) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		return readError(list[0])
	}
	var e map[string]json.RawMessage
	if json.Unmarshal(raw, &e) != nil {
		if s := text(raw); s != "" {
			return s, 0
		}
		return string(raw), 0
	}
	if present(e["error"]) {
		return readError(e["error"])
	}
	var parts []string
	for _, key := range []string{"message", "detail", "type", "code"} {
		s := text(e[key])
		if s == "" && (key == "message" || key == "detail") && present(e[key]) {
			s = string(e[key])
		}
		if s != "" && !strings.Contains(strings.Join(parts, " "), s) {
			parts = append(parts, s)
		}
	}
	for _, key := range []string{"code", "status"} {
		var n float64
		if json.Unmarshal(e[key], &n) == nil && n >= 400 && n < 600 {
			status = int(n)
		}
	}
	if len(parts) == 0 {
		return string(raw), status
	}
	if len(parts) == 1 {
		return parts[0], status
	}
	return fmt.Sprintf("%s (%s)", parts[0], strings.Join(parts[1:], ", ")), status
}

// inStream classifies an error object inside a stream that began with 200.
func inStream(raw []byte) *failure {
	said, status := readError(raw)
	said = clip(said)
	low := strings.ToLower(said)
	f := &failure{raw: string(raw)}
	switch {
	case tooLong(low):
		f.Code, f.Message = model.TooLong, "The conversation no longer fits the model's window. Compact it or start a new one: "+said
	case status == http.StatusTooManyRequests || strings.Contains(low, "rate limit") || strings.Contains(low, "rate_limit"):
		f.Code, f.Message, f.again = model.RateLimited, "The endpoint limits the rate of requests: "+said, true
	case status >= 400 && status < 500:
		f.Code, f.Message = model.BadRequest, "The endpoint refused the request: "+said
	default:
		f.Code, f.Message, f.again = model.Overloaded, "The endpoint reported an error: "+said, true
	}
	return f
}

// unreachable classifies a request that got no answer at all.
func unreachable(url string, err error) *failure {
	message := fmt.Sprintf("%s cannot be reached: %v. Check the base URL and the network.", url, cause(err))
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		message = fmt.Sprintf("The host of %s was not found (%s). Check the base URL and the network.", url, dns.Name)
	case strings.Contains(err.Error(), "connection refused"):
		message = fmt.Sprintf("Nothing listens at %s. Start the model server, or check the base URL.", url)
	case strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), "tls:"):
		return &failure{Error: model.Error{Code: model.Unreachable,
			Message: fmt.Sprintf("The TLS connection to %s was not accepted: %v. Check the base URL and the certificates.", url, cause(err))}}
	case errors.As(err, &op), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
	default:
		return &failure{Error: model.Error{Code: model.BadURL, Message: message}}
	}
	return &failure{Error: model.Error{Code: model.Unreachable, Message: message}, again: true}
}

// cause drops net/http's prefix, which repeats the address.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
