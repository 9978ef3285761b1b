package admin_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/adminclient"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/admin"
	"chatserver.dev/services/admin/command"
)

// pair is a self-signed certificate for localhost and its key, as PEM.
type pair struct{ cert, key []byte }

// newPair returns a pair that is valid for some time.
func newPair(t *testing.T, ends time.Duration) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "test"}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(ends), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}),
	}
}

// secured is an admin interface without operations that is served over TLS.
type secured struct {
	t                 *testing.T
	port              string
	certFile, keyFile string
	log               *lockedLog
}

// lockedLog is a log that can be read while it is written.
type lockedLog struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *lockedLog) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

func (l *lockedLog) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

func serveSecured(t *testing.T, first pair) *secured {
	t.Helper()
	s := &secured{t: t, certFile: filepath.Join(t.TempDir(), "tls.crt"), keyFile: filepath.Join(t.TempDir(), "tls.key"), log: &lockedLog{}}
	s.keep(s.certFile, first.cert)
	s.keep(s.keyFile, first.key)
	logger := slog.New(slog.NewTextHandler(s.log, nil))
	config := admin.Config{Addr: "127.0.0.1:0", Token: token, TLSCertFile: s.certFile, TLSKeyFile: s.keyFile}
	if err := config.Check(); err != nil {
		t.Fatal(err)
	}
	transport, err := config.TLS(logger)
	if err != nil {
		t.Fatal(err)
	}
	_, s.port, _ = net.SplitHostPort(testbed.FreeAddr(t))
	part := boot.Serve("admin", "ADMIN_ADDR", "127.0.0.1:"+s.port, transport, admin.NewHandler(nil, admin.NewTokens(config), logger), logger)
	ended := make(chan error, 1)
	go func() { ended <- part.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *secured) keep(file string, content []byte) {
	s.t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// call calls the interface with a client that trusts these certificates. The requested object doesn't exist, so it
// returns nil for the answer 404.
func (s *secured) call(trusted []byte, name, with string) error {
	s.t.Helper()
	config, err := adminclient.TLS(trusted, name)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.ask("https", with, &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}})
}

func (s *secured) ask(scheme, with string, through *http.Client) error {
	s.t.Helper()
	client, err := adminclient.New(scheme+"://127.0.0.1:"+s.port, with, through)
	if err != nil {
		s.t.Fatal(err)
	}
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		_, err = client.Status(s.t.Context())
		if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" && time.Since(start) < 30*time.Second {
			continue // it is starting
		}
		break
	}
	if adminclient.IsNotFound(err) {
		return nil
	}
	return err
}

func TestTLS(t *testing.T) {
	t.Parallel()
	first, second := newPair(t, time.Hour), newPair(t, time.Hour)
	s := serveSecured(t, first)
	if err := s.call(first.cert, "localhost", token); err != nil {
		t.Error(err)
	}
	if err := s.call(first.cert, "localhost", "not-the-token-of-anybody-here"); !adminclient.IsUnauthorized(err) {
		t.Errorf("a wrong token: %v", err)
	}
	if unknown := (x509.UnknownAuthorityError{}); !errors.As(s.call(second.cert, "localhost", token), &unknown) {
		t.Error("a client accepted a certificate that it doesn't trust")
	}
	if name := (x509.HostnameError{}); !errors.As(s.call(first.cert, "another", token), &name) {
		t.Error("a client takes a certificate of another name")
	}
	if err := s.ask("http", token, nil); err == nil || !strings.Contains(err.Error(), "has to begin with https://") || adminclient.IsRefused(err) {
		t.Errorf("a client without TLS: %v", err)
	}
	old := &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12, InsecureSkipVerify: true}
	if err := s.ask("https", token, &http.Client{Transport: &http.Transport{TLSClientConfig: old}}); err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("a client of TLS 1.2: %v", err)
	}
	s.keep(s.certFile, newPair(t, -time.Hour).cert) // and another one's key
	if err := s.call(first.cert, "localhost", token); err != nil {
		t.Errorf("while the files don't belong together: %v", err)
	}
}

func TestExpiredCertificate(t *testing.T) {
	t.Parallel()
	ended := newPair(t, -time.Hour)
	s := serveSecured(t, ended)
	if invalid := (x509.CertificateInvalidError{}); !errors.As(s.call(ended.cert, "localhost", token), &invalid) || invalid.Reason != x509.Expired {
		t.Error("a client takes a certificate that has ended")
	}
}

// A certificate is replaced while clients connect. Clients that trust both certificates get no errors.
func TestCertificateIsReplaced(t *testing.T) {
	t.Parallel()
	first, second := newPair(t, time.Hour), newPair(t, time.Hour)
	both := bytes.Join([][]byte{first.cert, second.cert}, nil)
	s := serveSecured(t, first)
	works := func(when string) {
		t.Helper()
		if err := s.call(both, "localhost", token); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	works("before")
	s.keep(s.certFile, second.cert)
	works("in between")
	works("in between")
	if n := strings.Count(s.log.String(), "the previous one is still used"); n != 1 {
		t.Errorf("it was logged %d times that the files can't be used", n)
	}
	s.keep(s.keyFile, second.key)
	works("after")
	if unknown := (x509.UnknownAuthorityError{}); !errors.As(s.call(first.cert, "localhost", token), &unknown) {
		t.Error("the certificate before is still served")
	}
	if err := os.Remove(s.certFile); err != nil {
		t.Fatal(err)
	}
	works("without a file")
	if err := s.call(second.cert, "localhost", token); err != nil {
		t.Errorf("the new certificate alone: %v", err)
	}
}

// chatserver admin trusts the given certificates, or else the system's, and never falls back to a connection without
// TLS.
func TestCommandOverTLS(t *testing.T) {
	t.Parallel()
	first := newPair(t, time.Hour)
	s := serveSecured(t, first)
	if err := s.call(first.cert, "", token); err != nil { // it has started
		t.Fatal(err)
	}
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{[]string{"ADMIN_URL=https://localhost:" + s.port, "ADMIN_CA_FILE=" + s.certFile}, "Not Found"},
		{[]string{"ADMIN_ADDR=:" + s.port, "ADMIN_TLS_CERT_FILE=" + s.certFile, "ADMIN_CA_FILE=" + s.certFile}, "Not Found"},
		{[]string{"ADMIN_URL=https://localhost:" + s.port}, "isn't trusted: set ADMIN_CA_FILE"},
		{[]string{"ADMIN_URL=http://localhost:" + s.port}, "serves TLS: its address has to begin with https://"},
		{[]string{"ADMIN_URL=http://localhost:" + s.port, "ADMIN_CA_FILE=" + s.certFile}, "set ADMIN_URL to one that begins with https://"},
		{[]string{"ADMIN_URL=https://localhost:" + s.port, "ADMIN_CA_FILE=" + s.keyFile}, "it contains no certificate"},
		{[]string{"ADMIN_URL=https://localhost:" + s.port, "ADMIN_CA_FILE=/nowhere"}, "ADMIN_CA_FILE: open /nowhere"},
	} {
		err := command.Run(t.Context(), []string{"status"}, append(c.environ, "ADMIN_TOKEN="+token), nil, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.environ, err, c.want)
		}
	}
}

func TestPlainHTTPNeedsLoopback(t *testing.T) {
	t.Parallel()
	good := newPair(t, time.Hour)
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for name, content := range map[string][]byte{certFile: good.cert, keyFile: good.key} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		config admin.Config
		want   string // empty: it works
	}{
		{admin.Config{Addr: "127.0.0.1:8090"}, ""},
		{admin.Config{Addr: "[::1]:8090"}, ""},
		{admin.Config{Addr: "localhost:8090"}, ""},
		{admin.Config{Addr: ":8090"}, `other machines can reach ":8090", so it needs TLS`},
		{admin.Config{Addr: "0.0.0.0:8090"}, "so it needs TLS"},
		{admin.Config{Addr: "[::]:8090"}, "so it needs TLS"},
		{admin.Config{Addr: "10.0.0.1:8090"}, "so it needs TLS"},
		{admin.Config{Addr: "localhost.example:8090"}, "so it needs TLS"},
		{admin.Config{Addr: ":8090", TLSCertFile: certFile, TLSKeyFile: keyFile}, ""},
		{admin.Config{Addr: "127.0.0.1:8090", TLSCertFile: certFile}, "must both be set"},
		{admin.Config{Addr: "127.0.0.1:8090", TLSKeyFile: keyFile}, "must both be set"},
		{admin.Config{Addr: ":8090", TLSCertFile: keyFile, TLSKeyFile: certFile}, "ADMIN_TLS_CERT_FILE and ADMIN_TLS_KEY_FILE: "},
		{admin.Config{Addr: ":8090", TLSCertFile: certFile, TLSKeyFile: "/nowhere"}, "ADMIN_TLS_KEY_FILE: open /nowhere"},
		{admin.Config{Addr: ":8090", TLSCertFile: "/nowhere", TLSKeyFile: keyFile}, "ADMIN_TLS_CERT_FILE: open /nowhere"},
	} {
		c.config.Token = token
		err := c.config.Check()
		if err == nil {
			_, err = c.config.TLS(testbed.Logger(t))
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.config, err, c.want)
		}
	}
}
