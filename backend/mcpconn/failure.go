package mcpconn

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"patchbay/backend/mcpconf"
	"patchbay/backend/proc"
)

func isRPC(err error) bool {
	var rpc *jsonrpc.Error
	return errors.As(err, &rpc)
}

// isDial reports whether nobody took the connection at all.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" || errors.Is(err, syscall.ECONNREFUSED)
}

// isNetwork reports whether an attempt did not reach a server that could have answered.
func isNetwork(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) || isDial(err) || isTLS(err)
}

// isTLS reports whether no secure connection was made, or a needless one was tried.
func isTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &authority) || errors.As(err, &name) || isPlainHTTP(err)
}

func isPlainHTTP(err error) bool {
	return strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// explain turns what ended an attempt into a Failure: cause, sentence, evidence.
func (a *attempt) explain(err error) *Failure {
	var known *Failure
	if errors.As(err, &known) {
		return known
	}
	a.mu.Lock()
	stage, process := a.stage, a.process
	a.mu.Unlock()
	f := a.byStart(err)
	if f == nil {
		f = a.byTransport(err)
	}
	if f == nil {
		f = a.byMessage(err)
	}
	f.Evidence.Stage = cmp.Or(f.Evidence.Stage, stage)
	if a.target.Definition.Type != mcpconf.Stdio && f.Evidence.URL == "" {
		f.Evidence.URL = a.shownURL()
	}
	if process != nil {
		f.Evidence.Stderr = a.mask.hideAll(process.StderrTail())
	}
	f.Message = a.mask.hide(f.Message)
	return f
}

func (a *attempt) shownURL() string {
	if u, err := parseURL(a.target.Definition.URL); err == nil {
		return plainURL(u)
	}
	return ""
}

// byStart explains why a process could not be started.
func (a *attempt) byStart(err error) *Failure {
	def := a.target.Definition
	var missing *proc.NotFoundError
	var refused *proc.NotExecutableError
	var dir *proc.BadDirError
	var address *urlError
	var givenUp *givenUpError
	switch {
	case errors.As(err, &missing):
		return &Failure{Cause: NotFound, Evidence: Evidence{Stage: Resolve}, Message: notFoundText(missing)}
	case errors.As(err, &refused):
		return &Failure{Cause: NotExecutable, Message: fmt.Sprintf("%s cannot be run: %s", refused.Path, refused.Reason)}
	case errors.As(err, &dir):
		return &Failure{Cause: BadCWD, Message: fmt.Sprintf("the working folder %s cannot be used: %s", dir.Dir, dir.Reason)}
	case errors.As(err, &address):
		return &Failure{Cause: WrongURL, Message: address.Error()}
	case def.Type == mcpconf.Stdio && a.process == nil && !errors.Is(err, errTimeLimit) && !errors.As(err, &givenUp):
		return &Failure{Cause: NotExecutable, Message: fmt.Sprintf("%s could not be started: %v", def.Command, err)}
	}
	return nil
}

// notFoundText says where a command was looked for: nowhere, when it names a file.
func notFoundText(missing *proc.NotFoundError) string {
	switch {
	case strings.ContainsAny(missing.Command, `/\`):
		return fmt.Sprintf("command %q was not found: there is no such file. Correct the path, or install it", missing.Command)
	case missing.SearchedPath == "":
		return fmt.Sprintf("command %q was not found: PATH is empty. Write its full path as the command", missing.Command)
	}
	return fmt.Sprintf("command %q was not found. Searched: %s. Install it, or write its full path as the command", missing.Command, missing.SearchedPath)
}

// byTransport explains what went wrong on the wire.
func (a *attempt) byTransport(err error) *Failure {
	var status *statusError
	var redirect *redirectError
	var unsigned *signError
	switch {
	case errors.As(err, &unsigned):
		return &Failure{Cause: HTTPError, Message: unsigned.Error()}
	case errors.Is(err, errFrameTooLarge):
		return &Failure{Cause: FrameTooLarge, Message: err.Error()}
	case errors.As(err, &redirect):
		return &Failure{Cause: WrongURL, Message: redirect.Error()}
	case errors.As(err, &status):
		return a.byStatus(status)
	case errors.Is(err, errNoEndpoint):
		return a.otherTransport(&Failure{Cause: NotMCP, Message: a.shownURL() + " is no SSE server of MCP: " + err.Error()})
	}
	if a.target.Definition.Type == mcpconf.Stdio {
		return a.byProcess(err)
	}
	f := a.byNetwork(err)
	if f != nil {
		f.Evidence.Stage = Connect // nothing was said yet, whatever was to be
	}
	return f
}

func (a *attempt) byNetwork(err error) *Failure {
	host := a.shownURL()
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return &Failure{Cause: DNS, Message: fmt.Sprintf("the host %s of %s was not found", dns.Name, host)}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Failure{Cause: Refused, Message: fmt.Sprintf("nothing listens at %s (connection refused). Is the server running?", host)}
	case isPlainHTTP(err):
		return &Failure{Cause: TLS, Message: fmt.Sprintf("%s answers in plain http. Write http:// in the url", host)}
	case isTLS(err):
		return &Failure{Cause: TLS, Message: fmt.Sprintf("no secure connection to %s: %s", host, deepest(err))}
	case isDial(err):
		return &Failure{Cause: Refused, Message: fmt.Sprintf("no connection to %s: %s", host, deepest(err))}
	}
	return nil
}

// plainText is an error's text without the URL that net/http puts before it, which may
// hold credentials or query values.
func plainText(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// deepest is the innermost error's text: the outer ones repeat the URL.
func deepest(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// byMessage explains what a server said, or that it said nothing.
func (a *attempt) byMessage(err error) *Failure {
	var rpc *jsonrpc.Error
	var list *listError
	var givenUp *givenUpError
	var revision *revisionError
	switch {
	case errors.As(err, &revision):
		return &Failure{Cause: Protocol, Message: revision.Error()}
	case errors.As(err, &givenUp):
		return &Failure{Cause: Timeout, Message: givenUp.Error()}
	case errors.Is(err, errTimeLimit), errors.Is(err, context.DeadlineExceeded):
		return &Failure{Cause: Timeout, Message: a.timeoutText()}
	case errors.As(err, &list):
		return &Failure{Cause: ListInvalid, Message: list.Error()}
	case errors.As(err, &rpc):
		return &Failure{Cause: Protocol, Message: fmt.Sprintf("the server refused %s: %s (JSON-RPC error %d)", a.step(), rpc.Message, rpc.Code)}
	case strings.Contains(err.Error(), "unsupported protocol version"):
		return &Failure{Cause: Protocol, Message: "the server speaks a revision that is not supported: " + tail(err.Error(), "unsupported protocol version")}
	}
	return &Failure{Cause: Protocol, Message: fmt.Sprintf("%s went wrong: %s", a.step(), plainText(err))}
}

func tail(text, from string) string {
	if i := strings.Index(text, from); i >= 0 {
		return text[i:]
	}
	return text
}

// step is what the handshake was doing, in the protocol's words.
func (a *attempt) step() string {
	if a.stage == List {
		return "tools/list"
	}
	if a.probe != nil && a.probe.pinned != "" {
		return "server/discover"
	}
	return "initialize"
}

func (a *attempt) timeoutText() string {
	a.limit.mu.Lock()
	waited := a.limit.at.Sub(a.limit.most.Add(-max(a.target.Timeout, a.target.MaxTimeout)))
	a.limit.mu.Unlock()
	what := map[Stage]string{
		Resolve: "the command was not resolved", Spawn: "the process did not start",
		Connect: "no connection was made", Initialize: "initialize was not answered", List: "tools/list was not answered",
	}[a.stage]
	return fmt.Sprintf("timed out after %s: %s", waited.Round(100*time.Millisecond), what)
}

// byStatus explains an HTTP answer.
func (a *attempt) byStatus(s *statusError) *Failure {
	f := &Failure{Evidence: Evidence{HTTPStatus: s.Status, URL: s.URL}}
	html := strings.Contains(s.ContentType, "html")
	switch {
	case s.Status == http.StatusUnauthorized && a.signs():
		f.Cause, f.Message = SignIn, fmt.Sprintf("%s asks for sign-in (HTTP 401). Sign in, or add an Authorization header to its definition", s.URL)
	case s.Status == http.StatusUnauthorized && HasAuthorization(a.target.Definition):
		f.Cause, f.Message = SignIn, fmt.Sprintf("%s asks for sign-in (HTTP 401): it does not take the Authorization header of its definition. Correct that header", s.URL)
	case s.Status == http.StatusUnauthorized:
		f.Cause, f.Message = SignIn, fmt.Sprintf("%s asks for sign-in (HTTP 401). Add an Authorization header to its definition", s.URL)
	case s.wantsScope() && a.signs():
		f.Cause, f.Message = SignIn, s.Error()
	case s.Status == http.StatusForbidden:
		f.Cause, f.Message = Forbidden, fmt.Sprintf("%s refuses access (HTTP 403). Check the key or token in its headers", s.URL)
	case s.Status/100 == 2 && html:
		f.Cause, f.Message = WrongURL, fmt.Sprintf("%s answered with a web page instead of MCP. Check the path of the url", s.URL)
	case s.Status/100 == 2:
		f.Cause, f.Message = NotMCP, fmt.Sprintf("%s answered with %s that is no MCP message", s.URL, orNothing(s.ContentType))
	case s.Status == http.StatusNotFound:
		f.Cause, f.Message = WrongURL, fmt.Sprintf("%s was not found (HTTP 404). Check the path of the url", s.URL)
		return a.otherTransport(f)
	case s.Status/100 == 4:
		f.Cause, f.Message = HTTPError, s.Error()
		return a.otherTransport(f)
	default:
		f.Cause, f.Message = HTTPError, s.Error()
	}
	return f
}

// byProcess explains the end of a stdio server, nil when it has not ended.
func (a *attempt) byProcess(err error) *Failure {
	a.mu.Lock()
	process, noise, spoke, exited := a.process, a.noise, a.spoke, a.exited
	a.mu.Unlock()
	if process == nil {
		return nil
	}
	timedOut := errors.Is(err, errTimeLimit)
	if noise != "" && !spoke && timedOut {
		return badStdout(noise)
	}
	if timedOut || !exited {
		return nil
	}
	code, signal, ok := process.ExitCode()
	if noise != "" && !spoke && ok && code == 0 {
		return badStdout(noise)
	}
	f := &Failure{Cause: Exited, Message: exitText(code, signal, process.StderrTail(), noise)}
	if ok && signal == "" {
		f.Evidence.ExitCode = &code
	}
	return f
}

func badStdout(line string) *Failure {
	return &Failure{Cause: BadStdout, Message: fmt.Sprintf("the server printed %q on stdout and no MCP message. Stdout is reserved for the protocol: its command must log to stderr", line)}
}

// exitGrace is how long the end of a process is waited for after its streams have ended.
const exitGrace = 500 * time.Millisecond

func exitedSoon(p *proc.Process) bool {
	select {
	case <-p.Done():
		return true
	case <-time.After(exitGrace):
		return false
	}
}

// exitText is one sentence about an ended process.
func exitText(code int, signal string, stderr []string, noise string) string {
	how := fmt.Sprintf("exited (exit status %d)", code)
	if signal != "" {
		how = "was ended by signal " + signal
	}
	if line := tellingLine(stderr); line != "" {
		return how + ": " + line
	}
	if noise != "" {
		return fmt.Sprintf("%s after printing %q on stdout", how, noise)
	}
	return how + " and printed nothing on stderr"
}

// tellingLine is the line of stderr that most likely says why: one that names an error,
// else the last one.
func tellingLine(lines []string) string {
	last, telling := "", ""
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		lower := strings.ToLower(line)
		head, _, named := strings.Cut(lower, ":")
		if named && (strings.HasSuffix(head, "error") || strings.HasSuffix(head, "exception") || strings.HasPrefix(head, "panic") || strings.HasPrefix(head, "fatal")) {
			telling = line
		}
	}
	if telling != "" {
		return clipLine(telling)
	}
	return clipLine(last)
}

// lossOf explains why a live connection ended.
func (c *conn) lossOf(err error) *Failure {
	f := &Failure{Cause: Lost, Message: "the server closed the connection"}
	var status *statusError
	switch {
	case c.process != nil && exitedSoon(c.process):
		code, signal, ok := c.process.ExitCode()
		f.Message = exitText(code, signal, c.process.StderrTail(), "")
		if ok && signal == "" {
			f.Evidence.ExitCode = &code
		}
	case errors.Is(err, errFrameTooLarge):
		f.Message = err.Error()
	case errors.As(err, &status):
		f.Message, f.Evidence.HTTPStatus = status.Error(), status.Status
	case errors.Is(err, errTimeLimit):
		f.Message = "the server gave no sign of life"
	case err != nil && c.process == nil && isDial(err):
		f.Message = fmt.Sprintf("nothing listens at %s any more", c.a.shownURL())
	}
	if c.process != nil {
		f.Evidence.Stderr = c.a.mask.hideAll(c.process.StderrTail())
	} else {
		f.Evidence.URL = c.a.shownURL()
	}
	f.Message = c.a.mask.hide(f.Message)
	return f
}
