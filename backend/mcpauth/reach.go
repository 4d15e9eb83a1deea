package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// reach is how near to this machine a request may go. A server names the addresses that a
// sign-in asks, so it could have this program ask what only this program can reach (MCP,
// security best practices, server-side request forgery). It gets no nearer than it is itself.
type reach int

const (
	internet reach = iota // addresses of the internet
	network               // and private ones
	machine               // and this machine
	nowhere               // link-local, multicast and such: no authorization server is there
)

// nearError refuses an address that is nearer than the server that leads to it.
type nearError struct{ host string }

func (e *nearError) Error() string {
	return fmt.Sprintf("a server must not lead to %s, an address inside your network or of this machine, when it is not there itself", e.host)
}

// carrierNAT is shared by the customers of a provider (RFC 6598); translated holds the IPv4
// addresses that IPv6-only networks reach through a gateway (RFC 6052).
func reachOf(ip netip.Addr) reach {
	carrierNAT, translated := netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("64:ff9b::/96")
	ip = ip.Unmap().WithZone("")
	if translated.Contains(ip) {
		all := ip.As16()
		ip = netip.AddrFrom4([4]byte(all[12:]))
	}
	switch {
	case ip.IsLoopback():
		return machine
	case ip.IsPrivate(), carrierNAT.Contains(ip):
		return network
	case ip.IsGlobalUnicast() && (!ip.Is4() || ip.As4()[0] != 0):
		return internet
	}
	return nowhere
}

// reachOfHost is that of a name that needs no looking up; ok is false for one that does.
func reachOfHost(host string) (r reach, ok bool) {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return machine, true
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return reachOf(ip), true
	}
	return internet, false
}

// lookup finds the addresses of a name.
type lookup func(ctx context.Context, host string) ([]netip.Addr, error)

func lookupName(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// reachOfServer is how near a server is: its farthest address counts. One that cannot be
// looked up, as behind a proxy, is on the internet.
func (find lookup) reachOfServer(ctx context.Context, address string) reach {
	u, err := url.Parse(address)
	if err != nil {
		return internet
	}
	if r, ok := reachOfHost(u.Hostname()); ok {
		return min(r, machine)
	}
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	ips, err := find(ctx, u.Hostname())
	if err != nil || len(ips) == 0 {
		return internet
	}
	r := machine
	for _, ip := range ips {
		r = min(r, reachOf(ip))
	}
	return r
}

// allows refuses an address whose host says that it is nearer.
func (r reach) allows(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%s is no address of an authorization server", brief(address, saidMost))
	}
	if at, ok := reachOfHost(u.Hostname()); ok && at > r {
		return &nearError{u.Host}
	}
	return nil
}

// dialer connects to nothing nearer, whatever a name was looked up as.
func (r reach) dialer() *net.Dialer {
	return &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Control: r.control}
}

func (r reach) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if reachOf(to.Addr()) > r {
		return &nearError{to.Addr().String()}
	}
	return nil
}

// within is a transport that keeps to a reach.
type within struct {
	reach   reach
	direct  http.RoundTripper
	proxied http.RoundTripper // a proxy, which the person chose, may be anywhere
	proxy   func(*http.Request) (*url.URL, error)
}

// newWithin makes one on top of a given transport, of its own for nil.
func newWithin(r reach, transport http.RoundTripper) *within {
	if transport != nil {
		return &within{reach: r, direct: transport}
	}
	proxied := http.DefaultTransport.(*http.Transport).Clone()
	direct := proxied.Clone()
	direct.Proxy, direct.DialContext = nil, r.dialer().DialContext
	return &within{reach: r, direct: direct, proxied: proxied, proxy: proxied.Proxy}
}

// RoundTrip sends one request.
func (w *within) RoundTrip(req *http.Request) (*http.Response, error) {
	next := w.direct
	err := w.reach.allows(req.URL.String())
	if err == nil && w.proxy != nil {
		var by *url.URL
		if by, err = w.proxy(req); by != nil {
			next = w.proxied
		}
	}
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return next.RoundTrip(req)
}

// CloseIdleConnections lets go of what waits for another request.
func (w *within) CloseIdleConnections() {
	for _, each := range []http.RoundTripper{w.direct, w.proxied} {
		if idle, ok := each.(interface{ CloseIdleConnections() }); ok {
			idle.CloseIdleConnections()
		}
	}
}

// near is the nearError in err, nil when there is none.
func near(err error) *nearError {
	var refused *nearError
	errors.As(err, &refused)
	return refused
}
