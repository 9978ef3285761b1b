package chatserver

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
)

// exposure applies the way in and what Prometheus is told. Both can be there before the pods are.
func exposure(ctx context.Context, s *scope) outcome {
	if out := s.apply(ctx, render.Exposure(s.server, s.inputs)...); out.err != nil {
		return out
	}
	monitoring := s.server.Spec.Monitoring
	if monitoring.ServiceMonitor && !s.inputs.Served.ServiceMonitor {
		s.notes = append(s.notes, "there is no ServiceMonitor, as its CRD isn't installed")
	}
	if monitoring.Rules && !s.inputs.Served.PrometheusRule {
		s.notes = append(s.notes, "there is no PrometheusRule, as its CRD isn't installed")
	}
	return s.apply(ctx, render.Monitoring(s.server, s.inputs)...)
}

// reachable tells whether the way in was taken up, and whether its certificate is there.
func reachable(ctx context.Context, s *scope) outcome {
	way := s.way(ctx)
	if way.err == nil {
		s.conditions.True(v1alpha1.ConditionExposureReady, v1alpha1.ReasonExposed, s.wayMessage())
	}
	certificate := s.certificate(ctx)
	if way.err != nil {
		return way
	}
	return certificate
}

func (s *scope) wayMessage() string {
	exposure := s.server.Spec.Exposure
	switch {
	case exposure == nil || exposure.Ingress == nil && exposure.Gateway == nil:
		return "only inside of the cluster, as spec.exposure says"
	case exposure.Gateway != nil:
		return fmt.Sprintf("Gateway %s has accepted HTTPRoute %s", exposure.Gateway.ParentRef.Name, s.server.Name)
	}
	return fmt.Sprintf("Ingress %s is there", s.server.Name)
}

// way looks whether the Gateway takes the route. An Ingress has no such answer.
func (s *scope) way(ctx context.Context) outcome {
	exposure := s.server.Spec.Exposure
	if exposure == nil || exposure.Gateway == nil {
		return proceed()
	}
	if !s.inputs.Served.HTTPRoute {
		return terminal(v1alpha1.ConditionExposureReady, v1alpha1.ReasonCRDNotInstalled,
			errors.New("spec.exposure.gateway needs HTTPRoutes, but their CRD isn't installed: install the Gateway API, or use ingress"))
	}
	route := routeStatus{}
	if _, err := s.get(ctx, inputs.HTTPRoute(), s.server.Name, &route); err != nil {
		return failed(err)
	}
	parent := exposure.Gateway.ParentRef
	for _, p := range route.Status.Parents {
		if p.ParentRef.Name != parent.Name {
			continue
		}
		for _, kind := range []string{"Accepted", "ResolvedRefs"} {
			if c := meta.FindStatusCondition(p.Conditions, kind); c != nil && c.Status != metav1.ConditionTrue {
				return wait(v1alpha1.ConditionExposureReady, v1alpha1.ReasonNotAccepted,
					"Gateway %s doesn't take HTTPRoute %s: %s: %s", parent.Name, s.server.Name, c.Reason, c.Message)
			}
		}
		if meta.IsStatusConditionTrue(p.Conditions, "Accepted") {
			return proceed()
		}
	}
	return wait(v1alpha1.ConditionExposureReady, v1alpha1.ReasonNotAccepted,
		"Gateway %s hasn't answered HTTPRoute %s yet: see that it is there and lets this namespace in", parent.Name, s.server.Name)
}

// routeStatus is what is read of an HTTPRoute.
type routeStatus struct {
	Status struct {
		Parents []struct {
			ParentRef struct {
				Name string `json:"name"`
			} `json:"parentRef"`
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"parents"`
	} `json:"status"`
}

// certificate looks at the Secret with the certificate.
func (s *scope) certificate(ctx context.Context) outcome {
	name := inputs.TLSSecret(s.server)
	if name == "" {
		s.conditions.True(v1alpha1.ConditionTLSReady, v1alpha1.ReasonNothingToDo, "spec.exposure has no tls")
		return proceed()
	}
	issued := s.server.Spec.Exposure.TLS.IssuerRef != nil
	if issued && !s.inputs.Served.Certificate {
		return terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCRDNotInstalled,
			errors.New("spec.exposure.tls.issuerRef needs cert-manager, but its CRDs aren't installed: install it, or use secretName"))
	}
	secret := &corev1.Secret{}
	err := s.direct.Get(ctx, types.NamespacedName{Namespace: s.server.Namespace, Name: name}, secret)
	switch {
	case apierrors.IsNotFound(err) && issued:
		return wait(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady,
			"cert-manager hasn't written Secret %s yet: see Certificate %s", name, name)
	case apierrors.IsNotFound(err):
		return terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonSecretNotFound, &inputs.MissingError{Secret: name})
	case err != nil:
		return failed(fmt.Errorf("read Secret %s: %w", name, err))
	}
	return s.checkCertificate(name, secret.Data[corev1.TLSCertKey])
}

func (s *scope) checkCertificate(name string, chain []byte) outcome {
	invalid := func(problem string) outcome {
		return terminal(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateNotReady,
			&inputs.InvalidError{Secret: name, Key: corev1.TLSCertKey, Problem: problem})
	}
	block, _ := pem.Decode(chain)
	if block == nil {
		return invalid("it has no certificate in PEM")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return invalid(err.Error())
	}
	host, _, _ := strings.Cut(s.server.Spec.Host, ":")
	if err := certificate.VerifyHostname(host); err != nil {
		return invalid(err.Error())
	}
	left := certificate.NotAfter.Sub(s.clock.Now())
	if left <= 0 {
		return invalid("it ended at " + certificate.NotAfter.UTC().Format(time.RFC3339) + ": renew it")
	}
	s.within(left)
	s.conditions.True(v1alpha1.ConditionTLSReady, v1alpha1.ReasonCertificateReady,
		fmt.Sprintf("the certificate in Secret %s is good until %s", name, certificate.NotAfter.UTC().Format(time.RFC3339)))
	return proceed()
}

// prune deletes what was the server's and isn't any more.
func prune(ctx context.Context, s *scope) outcome {
	if _, err := s.applier.Prune(ctx, s.server, s.pruned(), s.inventory); err != nil {
		return failed(err)
	}
	return proceed()
}
