package inputs

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

// Term is the time in which a certificate is valid.
type Term struct {
	Secret, Key string
	From, Until time.Time
}

// TermOf returns the term of a certificate that is in a Secret.
func TermOf(secret, key string, certificate *x509.Certificate) Term {
	return Term{secret, key, certificate.NotBefore, certificate.NotAfter}
}

// Terms returns the terms of the certificate for incoming mail, and of the authorities that the spec names for external servers. Those of
// CloudNativePG are its own business. A Secret that the server can't use is a matter of [Read].
func (s *Secrets) Terms(ctx context.Context, server *v1alpha1.ChatServer) ([]Term, error) {
	var terms []Term
	if keys := MailCertificate(server); keys != nil {
		secret, err := s.existing(ctx, keys[0].Secret)
		if err != nil {
			return nil, err
		}
		certificate, err := CertificateOf(secret)
		if err != nil {
			return nil, err
		}
		terms = append(terms, TermOf(secret.Name, corev1.TLSCertKey, certificate))
	}
	authorities, err := s.authorities(ctx, server)
	return append(terms, authorities...), err
}

// authorities returns the terms of the authorities that the spec names for external servers: in each Secret, of the one that expires last.
func (s *Secrets) authorities(ctx context.Context, server *v1alpha1.ChatServer) ([]Term, error) {
	keys := given(cache(server).CA, BucketCA(server))
	if server.Spec.Database.Mode == v1alpha1.DatabaseExternal {
		keys = append(given(database(server).CA), keys...)
	}
	var terms []Term
	for i, key := range keys {
		if slices.Contains(keys[:i], key) { // servers may have one authority
			continue
		}
		value, err := s.value(ctx, key)
		if err != nil {
			return nil, err
		}
		last := lastToExpire(value)
		if last == nil {
			return nil, &InvalidError{key.Secret, key.Key, "it has no certificate in PEM form: replace it with the certificate of the authority"}
		}
		terms = append(terms, TermOf(key.Secret, key.Key, last))
	}
	return terms, nil
}

// lastToExpire returns the certificate that expires last; nil: there is none. While an authority is replaced, a Secret has the old and
// the new one, and the old one may expire.
func lastToExpire(text []byte) (last *x509.Certificate) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" || len(block.Headers) > 0 { // pods ignore it
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err == nil && (last == nil || certificate.NotAfter.After(last.NotAfter)) {
			last = certificate
		}
	}
	return last
}
