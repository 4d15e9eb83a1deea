package mcpconn

import (
	"context"
	"net/http"
)

// Auth signs the requests to one HTTP server (MCP, basic/authorization). Its methods may be
// called concurrently. It never opens a browser by itself.
type Auth interface {
	// Authorization is the value of the header for the next request, "" for none.
	Authorization(ctx context.Context) (string, error)
	// Challenged hears an answer 401 or 403 and reports whether the request, signed anew, is
	// worth sending once more. Where a person must sign in, the error is a *SignInError.
	Challenged(ctx context.Context, resp *http.Response) (again bool, err error)
}

// SignInError says that a person must sign in first.
type SignInError struct{ Message string }

// Error returns the sentence.
func (e *SignInError) Error() string { return e.Message }
