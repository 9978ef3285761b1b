package chatserver

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/secrets"
)

// annotationCertificate has the rotation token that the certificate of the admin interface was issued for.
const annotationCertificate = v1alpha1.Group + "/certificate-rotation-token"

// adminCertificate issues the certificate of the admin interface, or replaces it. Pods reload it when it changes; callers
// trust the previous one until all pods have.
func (s *scope) adminCertificate(secret *corev1.Secret) error {
	after := time.Duration(0)
	if d := s.server.Spec.Secrets.RotateAfter; d != nil {
		after = d.Duration
	}
	certificate := secrets.Certificate{
		Certificate: secret.Data[secrets.CertificateKey], Key: secret.Data[secrets.PrivateKeyKey], Trusted: secret.Data[secrets.TrustedKey],
		Rotation: secret.Annotations[annotationCertificate],
	}
	certificate, wait, err := certificate.Next(chatapi.CertificateNames(s.server), s.server.Spec.Secrets.RotationToken, after, s.clock.Now())
	if err != nil {
		return err
	}
	s.requeueWithin(wait)
	// adminTokens has copied the maps.
	secret.Data[secrets.CertificateKey], secret.Data[secrets.PrivateKeyKey], secret.Data[secrets.TrustedKey] = certificate.Certificate, certificate.Key, certificate.Trusted
	secret.Annotations[annotationCertificate] = certificate.Rotation
	return nil
}
