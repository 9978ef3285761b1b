package adminclient

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// TLS returns the configuration of a client that trusts only the certificates in trusted, as PEM: the server's own, or
// those of authorities. The server's certificate must be for serverName, or if that is empty, for the host that is called.
// It is an error if trusted has no certificate.
func TLS(trusted []byte, serverName string) (*tls.Config, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(trusted) {
		return nil, errors.New("it contains no certificate")
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: pool, ServerName: serverName}, nil
}
