package agent_test

import "net/http"

// httpClient is a client whose connections end with the test.
func httpClient() (*http.Client, func()) {
	transport := &http.Transport{}
	return &http.Client{Transport: transport}, transport.CloseIdleConnections
}
