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

// certificates checks the Secrets with certificates: that of the host, that of incoming mail, and the authorities of external servers.
func (s *scope) certificates(ctx context.Context) error {
	host, uncovered, err := s.hostCertificate(ctx)
	if err != nil {
		return err
	}
	terms, err := s.secrets.Terms(ctx, s.server)
	if err != nil {
		return err
	}
	if host != nil {
		term := inputs.TermOf(inputs.TLSSecret(s.server), corev1.TLSCertKey, host)
		if !slices.Contains(terms, term) { // mail may come in with the same one
			terms = append([]inputs.Term{term}, terms...)
		}
	}
	now := s.clock.Now()
	for _, term := range terms {
		if !term.Until.After(now) {
			return unusable(term.Secret, term.Key, "it expired at "+term.Until.UTC().Format(time.RFC3339)+": renew it")
		}
	}
	s.reportCertificates(terms, uncovered, now)
	return nil
}

// unusable returns the error that a certificate can't be used.
func unusable(secret, key, problem string) error {
	return terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady, &inputs.InvalidError{Secret: secret, Key: key, Problem: problem})
}

// hostCertificate returns the certificate for the host, and the host of an organization that it isn't valid for; nil: the spec names no
// certificate.
func (s *scope) hostCertificate(ctx context.Context) (certificate *x509.Certificate, uncovered string, err error) {
	name := inputs.TLSSecret(s.server)
	if name == "" {
		return nil, "", nil
	}
	issued := s.server.Spec.Exposure.TLS.IssuerRef != nil
	if issued && !s.inputs.Served[inputs.Certificate()] {
		return nil, "", terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCRDNotInstalled,
			errors.New("spec.exposure.tls.issuerRef needs cert-manager, but its CRDs aren't installed: install it, or use secretName"))
	}
	secret, err := s.secrets.Get(ctx, name)
	switch {
	case err != nil:
		return nil, "", err
	case secret == nil && issued:
		return nil, "", wait(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady,
			"cert-manager hasn't written Secret %s yet: see Certificate %s", name, s.server.Name)
	case secret == nil:
		return nil, "", terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonSecretNotFound, &inputs.MissingError{Secret: name})
	}
	if certificate, err = inputs.CertificateOf(secret); err != nil {
		return nil, "", terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady, err)
	}
	host, _, _ := strings.Cut(s.server.Spec.Host, ":")
	if err := certificate.VerifyHostname(host); err != nil {
		return nil, "", unusable(name, corev1.TLSCertKey, err.Error())
	}
	uncovered, err = s.uncovered(ctx, certificate, host)
	return certificate, uncovered, err
}

// reportCertificates reports when certificates expire, and a host that one isn't valid for. These problems don't affect readiness: others
// create the organizations and must not be able to make the server unready, and a certificate that expires soon still works.
func (s *scope) reportCertificates(terms []inputs.Term, uncovered string, now time.Time) {
	var valid, problems []string
	for _, term := range terms {
		left, early := term.Until.Sub(now), min(maxEarly, term.Until.Sub(term.From)/earlyShare)
		ends := term.Until.UTC().Format(time.RFC3339)
		if left <= early {
			s.requeueWithin(left)
			problems = append(problems, fmt.Sprintf("the certificate in Secret %s expires soon, at %s: renew it", term.Secret, ends))
			continue
		}
		s.requeueWithin(left - early)
		valid = append(valid, fmt.Sprintf("the certificate in Secret %s is valid until %s", term.Secret, ends))
	}
	if uncovered != "" {
		problems = append([]string{fmt.Sprintf("the certificate in Secret %s isn't for %s: it needs the names of all organizations, or a wildcard",
			inputs.TLSSecret(s.server), uncovered)}, problems...)
	}
	s.notes = append(s.notes, problems...)
	switch message := strings.Join(problems, "; "); {
	case uncovered != "":
		s.conditions.False(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady, message)
	case message != "":
		s.conditions.True(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateEndsSoon, message)
	case len(valid) > 0:
		s.conditions.True(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateReady, strings.Join(valid, "; "))
	default:
		s.conditions.True(v1alpha1.ConditionTLSReady, v1alpha1.ReasonNothingToDo, "the spec names no certificate")
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
