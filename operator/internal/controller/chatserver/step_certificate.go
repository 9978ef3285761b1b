package chatserver

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// certificate checks the Secret with the certificate.
func (s *scope) certificate(ctx context.Context) error {
	name := inputs.TLSSecret(s.server)
	if name == "" {
		s.conditions.True(v1alpha1.ConditionTLSReady, v1alpha1.ReasonNothingToDo, "spec.exposure has no tls")
		return nil
	}
	issued := s.server.Spec.Exposure.TLS.IssuerRef != nil
	if issued && !s.inputs.Served[inputs.Certificate()] {
		return terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCRDNotInstalled,
			errors.New("spec.exposure.tls.issuerRef needs cert-manager, but its CRDs aren't installed: install it, or use secretName"))
	}
	secret, err := s.secrets.Get(ctx, name)
	switch {
	case err != nil:
		return err
	case secret == nil && issued:
		return wait(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady,
			"cert-manager hasn't written Secret %s yet: see Certificate %s", name, s.server.Name)
	case secret == nil:
		return terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonSecretNotFound, &inputs.MissingError{Secret: name})
	}
	return s.checkCertificate(ctx, secret)
}

func (s *scope) checkCertificate(ctx context.Context, secret *corev1.Secret) error {
	invalid := func(problem string) error {
		return terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady,
			&inputs.InvalidError{Secret: secret.Name, Key: corev1.TLSCertKey, Problem: problem})
	}
	certificate, err := inputs.CertificateOf(secret)
	if err != nil {
		return terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady, err)
	}
	host, _, _ := strings.Cut(s.server.Spec.Host, ":")
	if err := certificate.VerifyHostname(host); err != nil {
		return invalid(err.Error())
	}
	left := certificate.NotAfter.Sub(s.clock.Now())
	if left <= 0 {
		return invalid("it expired at " + certificate.NotAfter.UTC().Format(time.RFC3339) + ": renew it")
	}
	uncovered, err := s.uncovered(ctx, certificate, host)
	if err != nil {
		return err
	}
	s.reportCertificate(secret.Name, certificate, left, uncovered)
	return nil
}

// reportCertificate reports problems of a certificate that is valid for the host. They don't affect readiness: others
// create the organizations and must not be able to make the server unready, and a certificate that expires soon still
// works.
func (s *scope) reportCertificate(name string, certificate *x509.Certificate, left time.Duration, uncovered string) {
	ends := certificate.NotAfter.UTC().Format(time.RFC3339)
	early := min(maxEarly, certificate.NotAfter.Sub(certificate.NotBefore)/earlyShare)
	message := fmt.Sprintf("the certificate in Secret %s is valid until %s", name, ends)
	switch {
	case uncovered != "":
		s.requeueWithin(left)
		message = fmt.Sprintf("the certificate in Secret %s isn't for %s: it needs the names of all organizations, or a wildcard", name, uncovered)
		s.conditions.False(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady, message)
		s.notes = append(s.notes, message)
	case left <= early:
		s.requeueWithin(left)
		message = fmt.Sprintf("the certificate in Secret %s expires soon, at %s: renew it", name, ends)
		s.conditions.True(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateEndsSoon, message)
		s.notes = append(s.notes, message)
	default:
		s.requeueWithin(left - early)
		s.conditions.True(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateReady, message)
	}
}

// A certificate expires soon if less than a fifth of its lifetime is left, and less than two weeks. cert-manager renews one when a
// third is left.
const (
	earlyShare = 5
	maxEarly   = 14 * 24 * time.Hour
)

// uncovered returns the first accepted organization's host that a certificate isn't valid for; empty: none.
func (s *scope) uncovered(ctx context.Context, certificate *x509.Certificate, host string) (string, error) {
	list := &v1alpha1.OrganizationList{}
	if err := s.client.List(ctx, list, client.MatchingFields{indexServer: s.server.Namespace + "/" + s.server.Name}); err != nil {
		return "", fmt.Errorf("list the organizations: %w", err)
	}
	names := []string(nil)
	for i := range list.Items {
		subdomain := list.Items[i].Spec.Subdomain
		if subdomain != "" && certificate.VerifyHostname(subdomain+"."+host) != nil {
			names = append(names, subdomain+"."+host)
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return slices.Min(names), nil
}
