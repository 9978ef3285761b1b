package org_test

import (
	"testing"

	"chatserver.dev/pkg/org"
)

func TestSubdomain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ external, host, want string }{
		{"chat.example", "acme.chat.example", "acme"},
		{"chat.example", "acme.chat.example:8443", "acme"},
		{"chat.example:8080", "acme.chat.example", "acme"},
		{"chat.example:8080", "acme.chat.example:8080", "acme"},
		{"chat.example", "Acme.CHAT.example", "Acme"},
		{"chat.example", "chat.example", ""},
		{"chat.example", "chat.example:8080", ""},
		{"chat.example", ".chat.example", ""},
		{"chat.example", "notchat.example", ""},
		{"chat.example", "localhost:8080", ""},
		{"chat.example", "192.0.2.7:8080", ""},
		{"chat.example", "[2001:db8::7]:8080", ""},
		{"chat.example", "2001:db8::7", ""},
		{"chat.example", "", ""},
		{"localhost:8080", "acme.localhost:8080", "acme"},
		{"chat.example", "a.b.chat.example", "a.b"},
	} {
		if got := (org.Config{ExternalHost: c.external}).Subdomain(c.host); got != c.want {
			t.Errorf("subdomain of %q below %q: %q, want %q", c.host, c.external, got, c.want)
		}
	}
}

// The domain of another website may resolve to this server, but isn't one of this server's own.
func TestIsOwn(t *testing.T) {
	t.Parallel()
	c := org.Config{ExternalHost: "chat.example:8080"}
	for host, want := range map[string]bool{
		"chat.example": true, "CHAT.example:8080": true, "acme.chat.example": true, "localhost": true, "localhost:9000": true,
		"127.0.0.1:8080": true, "192.0.2.7": true, "[::1]:8080": true, "2001:db8::7": true, "[2001:db8::7]": true,
		"": false, "evil.example": false, "chat.example.evil.example:8080": false, "notchat.example": false, "localhost.evil.example": false,
		"127.0.0.1.evil.example": false, ".chat.example": false,
	} {
		if got := c.IsOwn(host); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}

func TestURI(t *testing.T) {
	t.Parallel()
	config := org.Config{ExternalHost: "chat.example:8443", ExternalScheme: "https"}
	if got, want := config.URI("acme"), "https://acme.chat.example:8443"; got != want {
		t.Errorf("URI of acme: %q, want %q", got, want)
	}
	if got, want := config.URI(""), "https://chat.example:8443"; got != want {
		t.Errorf("URI of the root: %q, want %q", got, want)
	}
	if got, want := config.Domain(), "chat.example"; got != want {
		t.Errorf("domain: %q, want %q", got, want)
	}
}

func TestIsAllocatesNothing(t *testing.T) {
	config := org.Config{ExternalHost: "chat.example:8443"}
	allocations := testing.AllocsPerRun(100, func() {
		if !config.Is("ACME.chat.example:8443", "acme") {
			t.Error("another organization")
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
