package secrets_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"chatserver.dev/operator/internal/secrets"
)

const year = 365 * 24 * time.Hour

// next returns the certificate after some time, and the time until its next change.
func next(t *testing.T, c secrets.Certificate, rotation string, after time.Duration, now time.Time) (secrets.Certificate, time.Duration) {
	t.Helper()
	c, wait, err := c.Next([]string{"main-admin.chat.svc", "localhost"}, rotation, after, now)
	if err != nil {
		t.Fatal(err)
	}
	return c, wait
}

// trusts reports whether a client that trusts the CAs of one certificate accepts another.
func trusts(t *testing.T, by, of secrets.Certificate, name string, now time.Time) bool {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(by.Trusted) {
		t.Fatalf("nothing is trusted: %s", by.Trusted)
	}
	pair, err := tls.X509KeyPair(of.Certificate, of.Key)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: name, CurrentTime: now})
	return err == nil
}

func TestACertificateIsReplacedWithoutAGap(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first, wait := next(t, secrets.Certificate{}, "", 0, now)
	if !trusts(t, first, first, "main-admin.chat.svc", now) || !trusts(t, first, first, "localhost", now) || trusts(t, first, first, "other-admin.chat.svc", now) {
		t.Error("the certificate isn't for its names alone")
	}
	if !trusts(t, first, first, "localhost", now.Add(-time.Minute)) || trusts(t, first, first, "localhost", now.Add(year)) {
		t.Error("it has another time than that of a year")
	}
	pair, err := tls.X509KeyPair(first.Certificate, first.Key)
	if err != nil {
		t.Fatal(err)
	}
	if pair.Leaf.IsCA || pair.Leaf.KeyUsage&x509.KeyUsageCertSign != 0 || pair.Leaf.PublicKeyAlgorithm != x509.ECDSA {
		t.Errorf("others can be signed with it: %+v", pair.Leaf)
	}
	for _, c := range []struct {
		what     string
		in       time.Duration
		rotation string
		after    time.Duration
		replaced bool
	}{
		{"at once", 0, "", 0, false},
		{"after half a year", year / 2, "", 0, false},
		{"when a third is left", year*2/3 + time.Minute, "", 0, true},
		{"after its end", 2 * year, "", 0, true},
		{"on request", time.Minute, "again", 0, true},
		{"before its age", time.Hour - time.Minute, "", time.Hour, false},
		{"at its age", time.Hour, "", time.Hour, true},
		{"an age beyond its end", year*2/3 + time.Minute, "", 2 * year, true},
	} {
		then := now.Add(c.in)
		second, left := next(t, first, c.rotation, c.after, then)
		if replaced := !bytes.Equal(second.Certificate, first.Certificate); replaced != c.replaced {
			t.Errorf("%s it was replaced: %v", c.what, replaced)
		}
		if left <= 0 || !c.replaced && (then.Add(left).After(now.Add(year*2/3)) || c.after > 0 && left > c.after) {
			t.Errorf("%s it stays for %v", c.what, left)
		}
	}
	if wait <= 0 || wait > 5*time.Minute {
		t.Errorf("the first one is looked at after %v", wait)
	}

	// Callers trust both certificates until pods have the new one, which may take long.
	now = now.Add(time.Hour)
	second, wait := next(t, first, "again", 0, now)
	if !trusts(t, second, first, "localhost", now) || !trusts(t, second, second, "localhost", now) || trusts(t, first, second, "localhost", now) {
		t.Error("callers don't trust both alone")
	}
	if wait < 2*time.Minute || wait > 5*time.Minute || second.Rotation != "again" {
		t.Errorf("both are trusted for %v", wait)
	}
	for _, rotation := range []string{"again", "once more"} {
		if early, _ := next(t, second, rotation, 0, now.Add(wait-time.Second)); !bytes.Equal(early.Trusted, second.Trusted) || !bytes.Equal(early.Certificate, second.Certificate) {
			t.Error("a step too early")
		}
	}
	now = now.Add(wait)
	alone, _ := next(t, second, "again", 0, now)
	if trusts(t, alone, first, "localhost", now) || !trusts(t, alone, second, "localhost", now) {
		t.Error("callers still trust the one before")
	}
	third, _ := next(t, second, "once more", 0, now)
	if trusts(t, third, first, "localhost", now) || !trusts(t, third, second, "localhost", now) || !trusts(t, third, third, "localhost", now) {
		t.Error("callers trust others than the last two")
	}
}

// A certificate is replaced if it is invalid or isn't for the names.
func TestABrokenCertificateIsReplaced(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	good, _ := next(t, secrets.Certificate{}, "", 0, now)
	other, _ := next(t, secrets.Certificate{}, "", 0, now)
	renamed, _, err := secrets.Certificate{}.Next([]string{"else"}, "", 0, now)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]secrets.Certificate{
		"no key":           {Certificate: good.Certificate, Trusted: good.Trusted},
		"another key":      {Certificate: good.Certificate, Key: other.Key, Trusted: good.Trusted},
		"no certificate":   {Certificate: []byte("x"), Key: good.Key, Trusted: good.Trusted},
		"of another name":  renamed,
		"a trust in other": {Certificate: good.Certificate, Key: good.Key, Trusted: other.Trusted},
		"a trust in none":  {Certificate: good.Certificate, Key: good.Key},
	} {
		mended, _ := next(t, c, "", 0, now)
		if !trusts(t, mended, mended, "main-admin.chat.svc", now) || trusts(t, mended, other, "localhost", now) {
			t.Errorf("%s: it isn't mended", what)
		}
	}
}
