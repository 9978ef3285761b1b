package images_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"chatserver.dev/services/api/images"
	"chatserver.dev/services/remote"
)

// Addresses of this machine and of its network are refused, in any notation.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	port, reached := watched(t)
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(http.ResponseWriter, *http.Request) {}, func(_ *world, d *images.Deps) {
		d.Resolver = newNames(t, "127.0.0.1", "127.0.0.1") // a number can be a name
		d.Permit = func(network, address string, c syscall.RawConn) error {
			if at, err := netip.ParseAddrPort(address); err == nil && int(at.Port()) == number {
				address = net.JoinHostPort(at.Addr().String(), "80") // so that the address is refused
			}
			return remote.Public()(network, address, c)
		}
	})
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST", "localhost.", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.1", "0", "0.0.0.0",
		"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
		"①②⑦.⓪.⓪.①", "127。0。0。1", "127.0.0.1%00.example.com",
	} {
		got := w.get(w.signed("http://" + host + ":" + port + "/a.png"))
		w.isRefused(host, got)
	}
	for _, address := range []string{
		"http://u:p@127.0.0.1:" + port + "/a.png", "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "gopher://127.0.0.1:" + port + "/_a",
		"file:///etc/passwd", "ftp://127.0.0.1:" + port + "/a.png", "http://127.0.0.1:" + port + "\r\nX: y/", "unix:///tmp/socket", "//127.0.0.1:" + port,
	} {
		w.isRefused(address, w.get(w.signed(address)))
	}
	if reached() {
		t.Error("there was a connection")
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	port, reached := watched(t)
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		if left, ok := strings.CutPrefix(r.URL.Path, "/times"); ok {
			n, err := strconv.Atoi(left)
			if err != nil || n == 0 {
				_, _ = rw.Write([]byte(png))
				return
			}
			http.Redirect(rw, r, "/times"+strconv.Itoa(n-1), []int{301, 302, 303, 307, 308}[n%5])
			return
		}
		rw.Header().Set("Location", r.URL.Query().Get("to"))
		rw.WriteHeader(http.StatusFound)
	}, nil)
	for n := range 4 {
		if got := w.image("/times" + strconv.Itoa(n)); got.status != http.StatusOK || got.body != png {
			t.Errorf("%d redirects: %d %q", n, got.status, got.body)
		}
	}
	w.isRefused("four redirects", w.image("/times4"))
	before := w.requests()
	hostile := []string{
		"http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:" + port + "/", "http://[::1]:" + port + "/", "http://localhost:" + port + "/", "//10.0.0.1/", "https://192.168.0.1/",
		"http://u:p@" + w.target.Listener.Addr().String() + "/times0", "file:///etc/passwd", "gopher://127.0.0.1:" + port + "/", "javascript:alert(1)", "http://", "",
	}
	for _, to := range hostile {
		w.isRefused("to "+to, w.image("/?to="+strings.NewReplacer(":", "%3A", "/", "%2F", "@", "%40").Replace(to)))
	}
	if asked := w.requests() - before; asked != len(hostile) {
		t.Errorf("%d requests for %d images", asked, len(hostile))
	}
	if reached() {
		t.Error("there was a connection")
	}
}

// A name that resolved to a public address a moment ago doesn't lead into the server's own network.
func TestRebinding(t *testing.T) {
	t.Parallel()
	names := newNames(t, "93.184.215.14", "127.0.0.1")
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(png)) }, func(_ *world, d *images.Deps) {
		d.Permit, d.Resolver = remote.Public(), names
	})
	address := strings.Replace(w.target.URL, "127.0.0.1", "rebinding.example", 1)
	if found, err := names.LookupHost(t.Context(), "rebinding.example"); err != nil || len(found) != 1 || found[0] != "93.184.215.14" {
		t.Fatalf("at first the name means %v, %v", found, err)
	}
	w.isRefused("rebinding", w.get(w.signed(address)))
	if w.requests() > 0 {
		t.Error("the internal server got a request")
	}

	// The name itself isn't refused.
	w = newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(png)) }, func(_ *world, d *images.Deps) {
		d.Resolver = names
	})
	if got := w.get(w.signed(strings.Replace(w.target.URL, "127.0.0.1", "rebinding.example", 1))); got.status != http.StatusOK {
		t.Errorf("a name that means a permitted address: %d %q", got.status, got.body)
	}
}

// newNames returns a resolver that resolves names to the first address in the first lookup, and then to the second.
func newNames(t *testing.T, first, then string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	asked := atomic.Int32{}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			question := dnsmessage.Message{}
			if question.Unpack(buffer[:n]) != nil || len(question.Questions) != 1 {
				continue
			}
			q := question.Questions[0]
			reply := dnsmessage.Message{Header: dnsmessage.Header{ID: question.ID, Response: true, RecursionAvailable: true}, Questions: question.Questions}
			if q.Type == dnsmessage.TypeA {
				means := then
				if asked.Add(1) == 1 {
					means = first
				}
				reply.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: netip.MustParseAddr(means).As4()},
				}}
			}
			if packed, err := reply.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}
