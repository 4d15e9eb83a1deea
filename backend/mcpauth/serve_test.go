package mcpauth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// serve answers on loopback until the test ends.
func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}
