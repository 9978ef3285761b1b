package endpoint

import (
	"net/http"
	"net/netip"
	"strings"
)

// Network returns the network of a request's client: an IPv4 address or 64 bits of an IPv6 address. It is that of the
// connection's remote address or, if that is in a private network and so probably a proxy, of the last address in
// X-Forwarded-For. Package boot removes that header if TRUSTED_PROXIES lists the proxies.
func Network(r *http.Request) netip.Prefix {
	end, err := netip.ParseAddrPort(r.RemoteAddr)
	addr := end.Addr().Unmap()
	if named := r.Header.Values("X-Forwarded-For"); err == nil && len(named) > 0 && (addr.IsPrivate() || addr.IsLoopback()) {
		last := named[len(named)-1]
		if reader, err := ParseForwarded(last[strings.LastIndexByte(last, ',')+1:]); err == nil {
			addr = reader
		}
	}
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // without an IP address: all such clients share a network
	}
	return network
}

// ParseForwarded parses an element of X-Forwarded-For: an IP address, which some proxies write with the port, or in brackets.
func ParseForwarded(element string) (netip.Addr, error) {
	element = strings.TrimSpace(element)
	if end, err := netip.ParseAddrPort(element); err == nil {
		return end.Addr().Unmap().WithZone(""), nil
	}
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(element, "["), "]"))
	return addr.Unmap().WithZone(""), err
}
