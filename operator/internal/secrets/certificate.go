package secrets

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// Keys of the Secret with the certificate of the admin interface, as PEM.
const (
	CertificateKey = "tls.crt"
	PrivateKeyKey  = "tls.key"
	// TrustedKey is the key with the certificates that callers trust: the current one, and for some time the previous
	// one.
	TrustedKey = "ca.crt"
)

const (
	// certificateLife is how long a certificate is valid. It is replaced when a third of that is left.
	certificateLife = 365 * 24 * time.Hour
	// clockSkew is how far the clocks of nodes may be behind the operator's.
	clockSkew = time.Hour
)

// Certificate is the self-signed certificate of an admin interface, with its key and the certificates that callers
// trust. There is no certificate authority: callers trust only this certificate, and its key can't sign others.
type Certificate struct {
	Certificate, Key []byte // PEM
	Trusted          []byte // PEM: Certificate, and the previous one while pods may still use it
	Rotation         string // spec.secrets.rotationToken that it was issued for
}

// Next returns the desired certificate, and the longest time until it must be called again. A certificate is replaced
// at the age after (zero: never), when rotation changes, long before it expires, and when it is invalid or has other
// names. Callers trust the previous one until all pods use the new one. It fails only if the system's random source
// fails.
func (c Certificate) Next(names []string, rotation string, after time.Duration, now time.Time) (Certificate, time.Duration, error) {
	leaf := c.leaf()
	if leaf == nil || !slices.Equal(leaf.DNSNames, names) {
		return newCertificate(names, rotation, nil, now)
	}
	issued := leaf.NotBefore.Add(clockSkew)
	if !bytes.Equal(c.Trusted, c.Certificate) {
		if wait := issued.Add(spread).Sub(now); wait > 0 && bytes.HasPrefix(c.Trusted, c.Certificate) {
			return c, wait, nil
		}
		c.Trusted = c.Certificate
	}
	due := leaf.NotAfter.Add(-certificateLife / 3)
	if asked := issued.Add(after); after > 0 && asked.Before(due) {
		due = asked
	}
	if !Rotates(rotation, c.Rotation) && now.Before(due) {
		return c, due.Sub(now), nil
	}
	return newCertificate(names, cmp.Or(rotation, c.Rotation), c.Certificate, now)
}

// leaf returns the certificate; nil: it or its key is missing or invalid.
func (c Certificate) leaf() *x509.Certificate {
	pair, err := tls.X509KeyPair(c.Certificate, c.Key)
	if err != nil {
		return nil
	}
	return pair.Leaf
}

// newCertificate issues a certificate that callers trust in addition to the previous one; nil: there is none.
func newCertificate(names []string, rotation string, previous []byte, now time.Time) (Certificate, time.Duration, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Certificate{}, 0, fmt.Errorf("generate key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return Certificate{}, 0, fmt.Errorf("generate serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "chatserver admin"}, DNSNames: names,
		NotBefore: now.Add(-clockSkew), NotAfter: now.Add(certificateLife - clockSkew),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return Certificate{}, 0, fmt.Errorf("create certificate: %w", err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Certificate{}, 0, fmt.Errorf("encode key: %w", err)
	}
	issued := Certificate{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}),
		Rotation:    rotation,
	}
	issued.Trusted = slices.Concat(issued.Certificate, previous)
	return issued, spread, nil
}
