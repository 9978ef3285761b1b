// Package remote connects to servers that people name: to public addresses alone, whatever a name means.
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
	// dialTime and handshakeTime bound the parts of a request that can fail for their own reason.
	dialTime      = 5 * time.Second
	handshakeTime = 5 * time.Second
	// maxHead is the size of another server's largest head, in bytes.
	maxHead = 32 << 10
)

// Permit returns an error if no connection may be made to an address. It has the form of net.Dialer.Control, which is
// called with what a name has come to mean.
type Permit func(network, address string, c syscall.RawConn) error

// Public permits the ports 80 and 443 of public addresses: of none that IANA's registries have for special purposes,
// and of no IPv6 address that an IPv4 address is packed into. It also permits all ports of the given networks.
func Public(networks ...netip.Prefix) Permit {
	// Azure's host answers its machines at an address that is public by its looks.
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

// ErrForbidden says that no connection may be made to an address.
var ErrForbidden = errors.New("forbidden address")

// Transport returns a transport that keeps no connections and uses nothing from the process's environment, such as a proxy. It
// looks names up with resolver; nil: with the system's. Where permit refuses an address, requests fail with [ErrForbidden].
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
