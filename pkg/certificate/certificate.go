// Package certificate serves TLS with a certificate from files that may change at any time, such as those of a
// mounted Secret.
package certificate

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// Files are the names of PEM files with a certificate chain and its key.
type Files struct {
	Cert, Key string
	// Setting is the prefix of their environment variables, for errors: ADMIN_TLS for ADMIN_TLS_CERT_FILE and
	// ADMIN_TLS_KEY_FILE.
	Setting string
}

// Given reports whether at least one of the files is named.
func (f Files) Given() bool { return f.Cert != "" || f.Key != "" }

// Check returns an error if only one of the files is named.
func (f Files) Check() error {
	if f.Given() && (f.Cert == "" || f.Key == "") {
		return fmt.Errorf("%s and %s must both be set", f.certSetting(), f.keySetting())
	}
	return nil
}

func (f Files) certSetting() string { return f.Setting + "_CERT_FILE" }
func (f Files) keySetting() string  { return f.Setting + "_KEY_FILE" }

// TLS returns a TLS configuration with the certificate. It reads the files for each connection. While they are
// invalid, connections use the last valid pair, and the reason is logged. TLS fails if the files are invalid when it
// is called.
func (f Files) TLS(minVersion uint16, logger *slog.Logger) (*tls.Config, error) {
	p := &pair{files: f, logger: logger}
	if err := p.read(); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: minVersion, GetCertificate: p.current}, nil
}

// pair holds the certificate that the files contain. It is safe for concurrent use.
type pair struct {
	files  Files
	logger *slog.Logger

	mutex     sync.Mutex
	cert, key []byte // the content of the files for pair
	pair      *tls.Certificate
	failure   string // the last one that was logged; empty: the files are valid
}

// current returns the pair in the files, or the last valid one.
func (p *pair) current(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	failure := ""
	if err := p.read(); err != nil {
		failure = err.Error()
	}
	if failure != p.failure && failure != "" { // once, not for each connection
		p.logger.LogAttrs(hello.Context(), slog.LevelWarn, "failed to read a certificate; the previous one is still used", slog.String("error", failure))
	}
	p.failure = failure
	return p.pair, nil
}

// read reads the files and replaces the pair if they have changed.
func (p *pair) read() error {
	cert, err := os.ReadFile(p.files.Cert)
	if err != nil {
		return fmt.Errorf("%s: %w", p.files.certSetting(), err)
	}
	key, err := os.ReadFile(p.files.Key)
	if err != nil {
		return fmt.Errorf("%s: %w", p.files.keySetting(), err)
	}
	if p.pair != nil && bytes.Equal(cert, p.cert) && bytes.Equal(key, p.key) {
		return nil
	}
	both, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", p.files.certSetting(), p.files.keySetting(), err)
	}
	p.cert, p.key, p.pair = cert, key, &both
	return nil
}
