package boot

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"chatserver.dev/pkg/endpoint"
)

func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	const ours = "10.1.0.0/16, fd00:1::/32,192.0.2.8/32"
	for _, test := range []struct {
		proxies, from string
		named         []string
		want          string
	}{
		{ours, "203.0.113.5:9", nil, "203.0.113.5/32"},
		{ours, "203.0.113.5:9", []string{"198.51.100.1"}, "203.0.113.5/32"},
		{ours, "10.2.0.1:9", []string{"198.51.100.1"}, "10.2.0.1/32"},
		{ours, "10.1.0.1:9", []string{"198.51.100.1"}, "198.51.100.1/32"},
		{ours, "[::ffff:10.1.0.1]:9", []string{"198.51.100.1"}, "198.51.100.1/32"},
		{ours, "10.1.0.1:9", []string{"10.2.0.1"}, "10.2.0.1/32"},
		{ours, "10.1.0.1:9", []string{"6.6.6.6, 198.51.100.1"}, "198.51.100.1/32"},
		{ours, "10.1.0.1:9", []string{"6.6.6.6, 198.51.100.1", "192.0.2.8", "10.1.7.7"}, "198.51.100.1/32"},
		{ours, "10.1.0.1:9", []string{"nonsense"}, "10.1.0.1/32"},
		{ours, "[fd00:1::2]:9", []string{"2001:db8::7"}, "2001:db8::/64"},
		{"none", "127.0.0.1:9", []string{"198.51.100.1"}, "127.0.0.1/32"},
		{"private", "10.2.0.1:9", []string{"6.6.6.6, 198.51.100.1"}, "198.51.100.1/32"},
		{ours, "10.1.0.1:9", []string{"198.51.100.1:4711"}, "198.51.100.1/32"},
		{ours, "10.1.0.1:9", []string{"[2001:db8::7]:4711"}, "2001:db8::/64"},
		{ours, "10.1.0.1:9", []string{"[2001:db8::7]"}, "2001:db8::/64"},
		{ours, "10.1.0.1:9", []string{"198.51.100.1:"}, "10.1.0.1/32"},
		{ours, "10.1.0.1:9", []string{"198.51.100.1:99999"}, "10.1.0.1/32"},
		{"private", "10.2.0.1:9", []string{"198.51.100.1:4711"}, "198.51.100.1/32"},
		{"private", "10.2.0.1:9", []string{"[2001:db8::7]:4711"}, "2001:db8::/64"},
	} {
		proxies := Proxies{}
		if err := proxies.UnmarshalText([]byte(test.proxies)); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = test.from, test.named
		got := ""
		handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = endpoint.Network(r).String() })
		proxies.behind(handler).ServeHTTP(httptest.NewRecorder(), r)
		if got != test.want {
			t.Errorf("%s from %s with %q: %s, want %s", test.proxies, test.from, test.named, got, test.want)
		}
	}
	for _, bad := range []string{"", "10.1.0.1", "none,10.0.0.0/8", "all"} {
		if err := new(Proxies).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
