package endpoint

import (
	"net/http"
	"net/netip"
	"strings"
)

// Network returns the network that a request comes from, an IPv4 address or 64 bits of IPv6: of the connection's other end, or where that is within a private
// network, and so probably a proxy, of the address that it put at the end of X-Forwarded-For. Package boot passes no such header on where
// TRUSTED_PROXIES says who the proxies are.
func Network(r *http.Request) netip.Prefix {
	end, err := netip.ParseAddrPort(r.RemoteAddr)
	addr := end.Addr().Unmap()
	if named := r.Header.Values("X-Forwarded-For"); err == nil && len(named) > 0 && (addr.IsPrivate() || addr.IsLoopback()) {
		last := named[len(named)-1]
		last = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
		if reader, err := netip.ParseAddr(last); err == nil {
			addr = reader.Unmap()
		}
	}
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // no network address: all such readers are one
	}
	return network
}
