// Package modeltest is a model endpoint for tests: a loopback /v1/chat/completions that
// answers each request with the next scripted answer, records what it was sent, and is
// always strict. A request that a real provider would refuse is refused here too, and
// fails the test.
package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Request is one request as it arrived.
type Request struct {
	At      time.Time
	Header  http.Header
	Body    []byte
	Chat    Chat   // Body, parsed
	Refused string // why strict mode refused it, "" when it was answered
}

// Server is a scripted endpoint on loopback.
type Server struct {
	limits Limits
	http   *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	answers  []Answer
	requests []Request
	asked    chan struct{} // closed at the next request
	refusing bool          // refusals are expected
}

// New starts a Server that gives answers in order and stops it with the test. A request
// that strict mode refuses, or one more request than there are answers, fails the test
// unless ExpectRefusals was called.
func New(tb testing.TB, limits Limits, answers ...Answer) *Server {
	tb.Helper()
	s := Start(limits, answers...)
	tb.Cleanup(func() {
		s.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		for i, r := range s.requests {
			if r.Refused != "" && !s.refusing {
				tb.Errorf("model request %d was refused: %s\n%.4000s", i+1, r.Refused, r.Body)
			}
		}
	})
	return s
}

// Start is New without a test: the caller reads Refusals and calls Close.
func Start(limits Limits, answers ...Answer) *Server {
	s := &Server{limits: limits, answers: answers, closed: make(chan struct{}), asked: make(chan struct{})}
	s.http = httptest.NewServer(s)
	return s
}

// Close ends every answer that is still held and stops the server.
func (s *Server) Close() {
	close(s.closed)
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is the base URL, with /v1 and without a slash at the end.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Add scripts further answers.
func (s *Server) Add(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// ExpectRefusals lets refused requests pass: the test looks at them itself.
func (s *Server) ExpectRefusals() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusing = true
}

// Requests lists what arrived so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Refusals lists why requests were refused.
func (s *Server) Refusals() []string {
	var why []string
	for _, r := range s.Requests() {
		if r.Refused != "" {
			why = append(why, r.Refused)
		}
	}
	return why
}

// WaitRequests blocks until n requests have arrived or the time is over, and reports
// whether they did.
func (s *Server) WaitRequests(n int, limit time.Duration) bool {
	deadline := time.After(limit)
	for {
		s.mu.Lock()
		have, asked := len(s.requests), s.asked
		s.mu.Unlock()
		if have >= n {
			return true
		}
		select {
		case <-asked:
		case <-deadline:
			return false
		}
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	req := Request{At: time.Now(), Header: r.Header.Clone(), Body: body}
	chat, refusal := Check(body, s.limits)
	req.Chat = chat
	answer := s.next(&req, refusal)
	s.write(w, r, answer)
}

// next records the request and takes its answer from the script.
func (s *Server) next(req *Request, refusal *Refusal) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		s.requests = append(s.requests, *req)
		close(s.asked)
		s.asked = make(chan struct{})
	}()
	if refusal != nil {
		req.Refused = refusal.Message
		return refusal.answer()
	}
	if len(s.answers) == 0 {
		req.Refused = fmt.Sprintf("no answer is scripted for request %d", len(s.requests)+1)
		return (&Refusal{Status: http.StatusBadRequest, Message: req.Refused}).answer()
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	if answer.Func != nil {
		return answer.Func(*req)
	}
	return answer
}

func (s *Server) write(w http.ResponseWriter, r *http.Request, a Answer) {
	if !s.pause(r, a.Delay) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(max(a.Status, http.StatusOK))
	flush(w)
	for _, p := range a.Parts {
		if !s.pause(r, p.After) {
			return
		}
		if _, err := io.WriteString(w, p.Bytes); err != nil {
			return
		}
		flush(w)
	}
	switch {
	case a.Hold:
		s.pause(r, time.Hour)
	case a.Cut:
		cut(w)
	}
}

// pause waits for d and reports whether the client and the server are still there.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	case <-s.closed:
		return false
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// cut closes the connection without the end of the body.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}
