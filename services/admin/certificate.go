package admin

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
)

// TLS returns the TLS configuration, or nil if no certificate is configured. The files are read for each connection, so they
// can change at any time. While they are invalid, the last valid pair is used, and the reason is logged. It is an error if
// they are invalid at first.
func (c Config) TLS(logger *slog.Logger) (*tls.Config, error) {
	if !c.hasCertificate() {
		return nil, nil //nolint:nilnil // documented
	}
	pair := &keyPair{certFile: c.TLSCertFile, keyFile: c.TLSKeyFile, logger: logger}
	if err := pair.read(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS13,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: pair.current,
	}, nil
}

func (c Config) hasCertificate() bool { return c.TLSCertFile != "" || c.TLSKeyFile != "" }

// checkTransport returns an error if tokens and keys could be read on the network.
func (c Config) checkTransport() error {
	switch {
	case c.hasCertificate() && (c.TLSCertFile == "" || c.TLSKeyFile == ""):
		return errHalfAPair
	case c.hasCertificate() && c.Plaintext:
		return errBothTransports
	case c.hasCertificate() || c.Plaintext || isLoopback(c.Addr):
		return nil
	}
	return fmt.Errorf("ADMIN_ADDR: other machines can reach %q, so it needs TLS: set ADMIN_TLS_CERT_FILE and ADMIN_TLS_KEY_FILE, or an address such as "+
		"127.0.0.1:8090; if something else encrypts the traffic, set ADMIN_PLAINTEXT=true", c.Addr)
}

// isLoopback reports whether only programs on this machine can reach an address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// keyPair is a certificate and its key in two files. It is safe for concurrent use.
type keyPair struct {
	certFile, keyFile string
	logger            *slog.Logger

	mutex     sync.Mutex
	cert, key []byte // the content of the files for pair
	pair      *tls.Certificate
	failure   string // the last one that was reported; empty: the files can be used
}

// current returns the pair in the files, or the last valid one.
func (p *keyPair) current(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	failure := ""
	if err := p.read(); err != nil {
		failure = err.Error()
	}
	if failure != p.failure && failure != "" { // once, not with each connection
		p.logger.LogAttrs(hello.Context(), slog.LevelWarn, "failed to read the certificate of the admin interface; the previous one is still used",
			slog.String("error", failure))
	}
	p.failure = failure
	return p.pair, nil
}

// read reads the files, and replaces the pair if they have changed.
func (p *keyPair) read() error {
	cert, err := os.ReadFile(p.certFile)
	if err != nil {
		return fmt.Errorf("ADMIN_TLS_CERT_FILE: %w", err)
	}
	key, err := os.ReadFile(p.keyFile)
	if err != nil {
		return fmt.Errorf("ADMIN_TLS_KEY_FILE: %w", err)
	}
	if p.pair != nil && bytes.Equal(cert, p.cert) && bytes.Equal(key, p.key) {
		return nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("ADMIN_TLS_CERT_FILE and ADMIN_TLS_KEY_FILE: %w", err)
	}
	p.cert, p.key, p.pair = cert, key, &pair
	return nil
}
