package inputs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Secrets reads each Secret of a namespace once, so that everything in a pass follows from the same contents.
type Secrets struct {
	reader    client.Reader
	namespace string
	seen      map[string]*corev1.Secret
}

// NewSecrets returns Secrets of a namespace. The reader must read from the API server.
func NewSecrets(reader client.Reader, namespace string) *Secrets {
	return &Secrets{reader, namespace, map[string]*corev1.Secret{}}
}

// Get returns a Secret; nil: it doesn't exist.
func (s *Secrets) Get(ctx context.Context, name string) (*corev1.Secret, error) {
	if secret, known := s.seen[name]; known {
		return secret, nil
	}
	secret := &corev1.Secret{}
	err := s.reader.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: name}, secret)
	switch {
	case apierrors.IsNotFound(err):
		secret = nil
	case err != nil:
		return nil, fmt.Errorf("read Secret %s: %w", name, err)
	}
	s.seen[name] = secret
	return secret, nil
}

// Set replaces a Secret that was written; nil: it was deleted.
func (s *Secrets) Set(name string, secret *corev1.Secret) { s.seen[name] = secret }

// existing returns a Secret. If there is none, the error is a [*MissingError].
func (s *Secrets) existing(ctx context.Context, name string) (*corev1.Secret, error) {
	secret, err := s.Get(ctx, name)
	if err == nil && secret == nil {
		err = &MissingError{Secret: name}
	}
	return secret, err
}

// value returns the value of a key, without whitespace around it. If there is none, the error is a [*MissingError].
func (s *Secrets) value(ctx context.Context, key Key) ([]byte, error) {
	secret, err := s.existing(ctx, key.Secret)
	if err != nil {
		return nil, err
	}
	value := bytes.TrimSpace(secret.Data[key.Key])
	if len(value) == 0 {
		return nil, &MissingError{key.Secret, key.Key}
	}
	return value, nil
}

// CertificateOf returns the certificate in a Secret for TLS, whose private key the Secret has as well. The error is a [*MissingError]
// or an [*InvalidError].
func CertificateOf(secret *corev1.Secret) (*x509.Certificate, error) {
	for _, key := range []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey} {
		if len(secret.Data[key]) == 0 {
			return nil, &MissingError{secret.Name, key}
		}
	}
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil, &InvalidError{secret.Name, corev1.TLSCertKey, err.Error()}
	}
	return pair.Leaf, nil
}
