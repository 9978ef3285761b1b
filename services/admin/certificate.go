package admin

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"

	"chatserver.dev/pkg/certificate"
)

func (c Config) certificate() certificate.Files {
	return certificate.Files{Cert: c.TLSCertFile, Key: c.TLSKeyFile, Setting: "ADMIN_TLS"}
}

// TLS returns the TLS configuration, or nil if no certificate is configured, see [certificate.Files.TLS].
func (c Config) TLS(logger *slog.Logger) (*tls.Config, error) {
	if !c.certificate().Given() {
		return nil, nil //nolint:nilnil // documented
	}
	secured, err := c.certificate().TLS(tls.VersionTLS13, logger)
	if err != nil {
		return nil, err
	}
	secured.NextProtos = []string{"http/1.1"}
	return secured, nil
}

// checkTransport returns an error if tokens and keys could be read on the network.
func (c Config) checkTransport() error {
	files := c.certificate()
	if err := files.Check(); err != nil {
		return err
	}
	if files.Given() || isLoopback(c.Addr) {
		return nil
	}
	return fmt.Errorf("ADMIN_ADDR: other machines can reach %q, so it needs TLS: set ADMIN_TLS_CERT_FILE and ADMIN_TLS_KEY_FILE, or an address such as 127.0.0.1:8090", c.Addr)
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
