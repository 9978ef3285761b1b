package boot

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"chatserver.dev/pkg/endpoint"
)

// Proxies are the proxies whose X-Forwarded-For is trusted: those in some networks, or private, which endpoint.Network
// handles.
type Proxies struct {
	networks []netip.Prefix
	private  bool
}

// UnmarshalText reads private, none, or networks separated by commas.
func (p *Proxies) UnmarshalText(text []byte) error {
	*p = Proxies{}
	switch string(text) {
	case "private":
		p.private = true
		return nil
	case "none":
		return nil
	}
	for part := range strings.SplitSeq(string(text), ",") {
		network, err := netip.ParsePrefix(strings.TrimSpace(part))
		if err != nil {
			return fmt.Errorf("use private, none, or a list of networks such as 10.1.0.0/16,fd00:1::/32: %w", err)
		}
		p.networks = append(p.networks, network)
	}
	return nil
}

// String returns what UnmarshalText reads.
func (p Proxies) String() string {
	switch {
	case p.private:
		return "private"
	case len(p.networks) == 0:
		return "none"
	}
	names := make([]string, len(p.networks))
	for i, network := range p.networks {
		names[i] = network.String()
	}
	return strings.Join(names, ",")
}

// behind sets RemoteAddr of requests to the client's address according to trusted proxies, and removes X-Forwarded-For, so
// that other senders of the header have no effect. Each proxy appends the address of its own client to the header.
func (p Proxies) behind(next http.Handler) http.Handler {
	if p.private {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if end, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
			client := p.client(end.Addr().Unmap(), r.Header.Values("X-Forwarded-For"))
			r.RemoteAddr = netip.AddrPortFrom(client, end.Port()).String()
		}
		r.Header.Del("X-Forwarded-For")
		next.ServeHTTP(w, r)
	})
}

// client returns the address of the client of a request that an address has sent. forwarded are the values of X-Forwarded-For.
func (p Proxies) client(sender netip.Addr, forwarded []string) netip.Addr {
	for _, name := range slices.Backward(strings.Split(strings.Join(forwarded, ","), ",")) {
		before, err := endpoint.ParseForwarded(name)
		if err != nil || !p.trust(sender) {
			break
		}
		sender = before
	}
	return sender
}

func (p Proxies) trust(sender netip.Addr) bool {
	return slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(sender) })
}
