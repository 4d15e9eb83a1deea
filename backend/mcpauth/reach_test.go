package mcpauth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestReachOfAddresses(t *testing.T) {
	tests := []struct {
		address string
		want    reach
	}{
		{"8.8.8.8", internet}, {"2606:4700::1", internet}, {"64:ff9b::808:808", internet},
		{"10.1.2.3", network}, {"172.16.0.1", network}, {"192.168.0.1", network}, {"100.64.0.1", network}, {"fd00::1", network}, {"::ffff:10.0.0.1", network}, {"64:ff9b::a00:1", network},
		{"127.0.0.1", machine}, {"127.8.8.8", machine}, {"::1", machine}, {"::ffff:127.0.0.1", machine},
		{"169.254.169.254", nowhere}, {"fe80::1%eth0", nowhere}, {"224.0.0.1", nowhere}, {"0.0.0.0", nowhere}, {"0.1.2.3", nowhere}, {"255.255.255.255", nowhere}, {"::", nowhere},
	}
	for _, tt := range tests {
		if got := reachOf(netip.MustParseAddr(tt.address)); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.address, got, tt.want)
		}
	}
}

// A name counts as its farthest address, or a server of the internet would get near with a
// second one.
func TestReachOfServers(t *testing.T) {
	names := map[string][]netip.Addr{
		"intern.test": {netip.MustParseAddr("10.0.0.7"), netip.MustParseAddr("127.0.0.1")},
		"here.test":   {netip.MustParseAddr("127.0.0.1")},
		"mixed.test":  {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("8.8.8.8")},
	}
	find := lookup(func(_ context.Context, host string) ([]netip.Addr, error) {
		if ips := names[host]; ips != nil {
			return ips, nil
		}
		return nil, errors.New("no such host")
	})
	tests := []struct {
		address string
		want    reach
	}{
		{"https://intern.test/mcp", network}, {"https://here.test", machine}, {"https://mixed.test", internet},
		{"https://unknown.test", internet}, {"http://LOCALHOST:1/mcp", machine}, {"http://127.0.0.1:1", machine}, {"https://[fe80::1]", machine},
	}
	for _, tt := range tests {
		if got := find.reachOfServer(t.Context(), tt.address); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.address, got, tt.want)
		}
	}
}

// What a name was looked up as is checked when the connection is made, so that a second
// answer of the same name leads no nearer.
func TestConnectionsKeepToTheirReach(t *testing.T) {
	for r := internet; r < nowhere; r++ {
		for address, at := range map[string]reach{"8.8.8.8:443": internet, "10.0.0.1:443": network, "127.0.0.1:80": machine, "[::ffff:169.254.169.254]:80": nowhere} {
			err := r.dialer().Control("tcp", address, nil)
			if (err == nil) != (at <= r) || err != nil && near(err) == nil {
				t.Errorf("reach %d to %s: %v", r, address, err)
			}
		}
	}
}

func TestTransportsKeepToTheirReach(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for r := internet; r < nowhere; r++ {
		w := newWithin(r, nil)
		t.Cleanup(w.CloseIdleConnections)
		req := httptest.NewRequest(http.MethodGet, server.URL, nil)
		resp, err := w.direct.RoundTrip(req) // as if the name said nothing
		if err == nil {
			resp.Body.Close()
		}
		if (err == nil) != (r == machine) || err != nil && near(err) == nil {
			t.Errorf("reach %d: %v", r, err)
		}
	}
}
