// Package remote connects to servers that users name, but only to public addresses, whatever a host name resolves to.
package remote

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

const (
	// dialTime and handshakeTime are the timeouts for connecting and for the TLS handshake.
	dialTime      = 5 * time.Second
	handshakeTime = 5 * time.Second
	// maxHead is the maximum size of a response's header, in bytes.
	maxHead = 32 << 10
)

// Permit returns an error if no connection may be made to an address. It has the form of net.Dialer.Control, which is
// called with the resolved address.
type Permit func(network, address string, c syscall.RawConn) error

// Public permits the ports 80 and 443 of public addresses. Addresses for special purposes in IANA's registries aren't
// public, nor are IPv6 addresses that embed an IPv4 address. It also permits all ports of the given networks.
func Public(networks ...netip.Prefix) Permit {
	// Azure's host serves its virtual machines at this address, although it isn't reserved.
	azure := netip.MustParsePrefix("168.63.129.16/32")
	public := ssrf.New(ssrf.WithDeniedV4Prefixes(azure)).Safe
	return func(network, address string, c syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		known := err == nil && (network == "tcp4" || network == "tcp6") &&
			slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(at.Addr()) })
		if known {
			return nil
		}
		return public(network, address, c)
	}
}

// ErrForbidden means that connections to an address aren't permitted.
var ErrForbidden = errors.New("forbidden address")

// Transport returns a transport that keeps no connections and uses nothing from the process's environment, such as a
// proxy. It resolves names with resolver; nil: the system's. If permit refuses an address, requests fail with
// [ErrForbidden].
func Transport(permit Permit, resolver *net.Resolver) *http.Transport {
	control := func(network, address string, c syscall.RawConn) error {
		if err := permit(network, address, c); err != nil {
			return errors.Join(ErrForbidden, err)
		}
		return nil
	}
	dialer := &net.Dialer{Timeout: dialTime, Control: control, Resolver: resolver}
	return &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: handshakeTime,
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHead,
	}
}
