package lmtp

import (
	"crypto/tls"
	"errors"
	"log/slog"

	"chatserver.dev/pkg/certificate"
)

// Config configures the LMTP server.
type Config struct {
	// Addr is the address to listen at; empty: mail isn't received.
	Addr string `env:"LMTP_ADDR"`
	// TLSCertFile and TLSKeyFile are files with a certificate, its chain, and its key, as PEM. See [Config.TLS].
	TLSCertFile string `env:"LMTP_TLS_CERT_FILE"`
	TLSKeyFile  string `env:"LMTP_TLS_KEY_FILE"`
	// TLSRequired refuses mail of clients that don't use STARTTLS.
	TLSRequired bool `env:"LMTP_TLS_REQUIRED"`
}

// TLS returns the configuration for STARTTLS, or nil if no certificate is configured, see [certificate.Files.TLS].
func (c Config) TLS(logger *slog.Logger) (*tls.Config, error) {
	files := certificate.Files{Cert: c.TLSCertFile, Key: c.TLSKeyFile, Setting: "LMTP_TLS"}
	if err := files.Check(); err != nil {
		return nil, err
	}
	if !files.Given() {
		if c.TLSRequired {
			return nil, errors.New("LMTP_TLS_REQUIRED needs a certificate: set LMTP_TLS_CERT_FILE and LMTP_TLS_KEY_FILE")
		}
		return nil, nil //nolint:nilnil // documented
	}
	return files.TLS(tls.VersionTLS12, logger) // some mail servers don't support a later one
}
