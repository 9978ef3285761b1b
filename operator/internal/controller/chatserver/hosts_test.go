package chatserver_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// Of two servers with the same host, the later one isn't exposed, and reports why, until the first is gone.
func TestAHostHasOneServer(t *testing.T) {
	w := newWorld(t)
	first := w.minimal()
	first.Name, first.Spec.Exposure = "first", &v1alpha1.Exposure{Ingress: &v1alpha1.IngressExposure{}}
	w.create(first)
	w.until("the first serves", func() bool {
		return w.exists("first", first) && meta.IsStatusConditionTrue(first.Status.Conditions, "Ready")
	})
	time.Sleep(time.Until(first.CreationTimestamp.Add(1100 * time.Millisecond))) // times of creation have seconds
	later := &v1alpha1.ChatServer{ObjectMeta: w.meta("main"), Spec: *first.Spec.DeepCopy()}
	later.Spec.Host = "chat.test:8443"
	w.create(later)
	w.until("the later one says so", func() bool {
		c := w.condition("Stalled")
		return w.ready(v1alpha1.ReasonHostTaken) && w.condition(v1alpha1.ConditionExposureReady).Reason == v1alpha1.ReasonHostTaken &&
			strings.Contains(c.Message, "ChatServer first in namespace "+w.namespace+" already uses host chat.test")
	})
	if w.exists("main", &networkingv1.Ingress{}) || !w.exists("first", &networkingv1.Ingress{}) {
		t.Error("the later one has a way in, or the first has none")
	}
	w.quiet()
	if w.get("first", first); !meta.IsStatusConditionTrue(first.Status.Conditions, "Ready") {
		t.Errorf("the first isn't ready any more: %+v", first.Status.Conditions)
	}
	if err := w.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	w.until("the later one has the host", func() bool { return w.ready(v1alpha1.ReasonServing) && w.exists("main", &networkingv1.Ingress{}) })
}

// Its database may take minutes, or never be ready: what is wrong with the host is reported before.
func TestATakenHostIsReportedFirst(t *testing.T) {
	w := newWorld(t)
	first := w.minimal()
	first.Name, first.Spec.Exposure = "first", &v1alpha1.Exposure{Ingress: &v1alpha1.IngressExposure{}}
	w.create(first)
	time.Sleep(time.Until(first.CreationTimestamp.Add(1100 * time.Millisecond))) // times of creation have seconds
	later := &v1alpha1.ChatServer{ObjectMeta: w.meta("main"), Spec: *first.Spec.DeepCopy()}
	later.Spec.Database = v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral}
	w.held["main-postgres"] = true
	w.create(later)
	w.until("it says so while it waits for the database", func() bool {
		return w.ready(v1alpha1.ReasonWaitingForDatabase) && w.condition(v1alpha1.ConditionExposureReady).Reason == v1alpha1.ReasonHostTaken
	})
}

// A name directly below a host is of an organization there, and the proxy would prefer an Ingress for that name.
func TestAHostHasTheNamesBelowIt(t *testing.T) {
	for name, hosts := range map[string][2]string{
		"below": {"chat.corp.test", "eng.chat.corp.test"}, "above": {"eng.chat.corp.test", "chat.corp.test"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first := w.minimal()
			first.Name, first.Spec.Exposure, first.Spec.Host = "first", &v1alpha1.Exposure{Ingress: &v1alpha1.IngressExposure{}}, hosts[0]
			w.create(first)
			w.until("the first has its route", func() bool { return w.exists("first", &networkingv1.Ingress{}) })
			time.Sleep(time.Until(first.CreationTimestamp.Add(1100 * time.Millisecond))) // times of creation have seconds
			later := &v1alpha1.ChatServer{ObjectMeta: w.meta("main"), Spec: *first.Spec.DeepCopy()}
			later.Spec.Host = hosts[1]
			w.create(later)
			w.until("the later one says so", func() bool {
				return w.ready(v1alpha1.ReasonHostTaken) && strings.Contains(w.condition("Stalled").Message,
					"already uses host "+hosts[0]+", and names directly below a host are of its organizations")
			})
			neighbour := &v1alpha1.ChatServer{ObjectMeta: w.meta("neighbour"), Spec: *first.Spec.DeepCopy()}
			neighbour.Spec.Host = "other." + hosts[0][strings.Index(hosts[0], ".")+1:]
			if name == "above" {
				neighbour.Spec.Host = "a.b." + hosts[1]
			}
			w.create(neighbour)
			w.until("a neighbour has its route", func() bool { return w.exists("neighbour", &networkingv1.Ingress{}) })
			if w.exists("main", &networkingv1.Ingress{}) || !w.exists("first", &networkingv1.Ingress{}) {
				t.Error("the later one has a way in, or the first has none")
			}
			if err := w.Delete(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			w.until("the later one has the host", func() bool { return w.exists("main", &networkingv1.Ingress{}) })
		})
	}
}

func TestAGatewayHasToTakeTheRoute(t *testing.T) {
	w := newDiscoveringWorld(t)
	server := w.minimal()
	server.Spec.Exposure = &v1alpha1.Exposure{Gateway: &v1alpha1.GatewayExposure{ParentRef: v1alpha1.GatewayParent{Name: "public"}}}
	w.create(server)
	w.until("it says what is missing", func() bool {
		return w.ready(v1alpha1.ReasonCRDNotInstalled) && w.condition(v1alpha1.ConditionExposureReady).Status == "False" && w.server().Status.Version == "0.1.0"
	})
	installCRD(t, inputs.HTTPRoute(), "httproutes")
	w.until("it waits for the Gateway", func() bool {
		return w.ready(v1alpha1.ReasonNotAccepted) && w.foreign(inputs.HTTPRoute(), "main") != nil
	})
	answerAt := func(namespace string, generation int64, status, message string) {
		t.Helper()
		route := w.foreign(inputs.HTTPRoute(), "main")
		before := route.DeepCopy()
		route.Object["status"] = map[string]any{"parents": []any{map[string]any{
			"parentRef":  map[string]any{"name": "public", "namespace": namespace},
			"conditions": []any{map[string]any{"type": "Accepted", "status": status, "reason": "Because", "message": message, "observedGeneration": generation}},
		}}}
		if err := w.Status().Patch(t.Context(), route, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(status, message string) { answerAt(w.namespace, 0, status, message) }
	answer("False", "not from this namespace")
	w.until("it says why", func() bool {
		return strings.Contains(w.condition(v1alpha1.ConditionExposureReady).Message, "not from this namespace")
	})
	answerAt("another", 0, "True", "")
	w.until("the answer of another Gateway doesn't count", func() bool {
		return strings.Contains(w.condition(v1alpha1.ConditionExposureReady).Message, "hasn't reported")
	})
	there := func() bool {
		return w.ready(v1alpha1.ReasonServing) && w.condition(v1alpha1.ConditionExposureReady).Status == "True"
	}
	answer("True", "")
	w.until("it is there", there)
	generation := w.foreign(inputs.HTTPRoute(), "main").GetGeneration()
	answerAt(w.namespace, generation, "True", "")
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Exposure.Gateway.ParentRef.SectionName = "https" })
	w.until("the answer to the former route doesn't count", func() bool {
		return w.ready(v1alpha1.ReasonNotAccepted) && strings.Contains(w.condition(v1alpha1.ConditionExposureReady).Message, "hasn't reported")
	})
	answerAt(w.namespace, generation, "False", "there is no such listener")
	w.quiet()
	if message := w.condition(v1alpha1.ConditionExposureReady).Message; strings.Contains(message, "listener") {
		t.Errorf("a refusal of the former route counts: %s", message)
	}
	answerAt(w.namespace, generation+1, "True", "")
	w.until("it is there again", there)
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Exposure = nil })
	w.until("the route is pruned", func() bool { return w.foreign(inputs.HTTPRoute(), "main") == nil })
}

func TestTheCertificateIsLookedAt(t *testing.T) {
	w := newDiscoveringWorld(t)
	server := w.minimal()
	server.Spec.Exposure = &v1alpha1.Exposure{Ingress: &v1alpha1.IngressExposure{}, TLS: &v1alpha1.TLS{SecretName: "cert"}}
	server.Spec.Cache.External.CASecretRef = server.Spec.Database.External.CASecretRef // it is named once
	w.create(server)
	w.until("it says what is missing", func() bool {
		return w.ready(v1alpha1.ReasonSecretNotFound) && strings.Contains(w.condition(v1alpha1.ConditionTLSReady).Message, "Secret cert") &&
			w.condition(v1alpha1.ConditionExposureReady).Status == "True"
	})
	ends := time.Now().Add(time.Hour)
	other := certificate(t, "chat.test", ends)["tls.key"]
	for i, c := range []struct {
		data    map[string][]byte
		reason  string
		message string
	}{
		{map[string][]byte{"tls.crt": []byte("none"), "tls.key": other}, v1alpha1.ReasonCertificateNotReady, "PEM"},
		{map[string][]byte{"tls.crt": certificate(t, "chat.test", ends)["tls.crt"], "tls.key": other}, v1alpha1.ReasonCertificateNotReady, "does not match"},
		{map[string][]byte{"tls.crt": certificate(t, "chat.test", ends)["tls.crt"], "tls.key": nil}, v1alpha1.ReasonCertificateNotReady, "no key tls.key"},
		{certificate(t, "other.test", ends), v1alpha1.ReasonCertificateNotReady, "other.test"},
		{certificate(t, "chat.test", time.Now().Add(-time.Hour)), v1alpha1.ReasonCertificateNotReady, "renew"},
		{certificate(t, "chat.test", time.Now().Add(20*time.Minute)), v1alpha1.ReasonCertificateEndsSoon, "expires soon"},
		{certificate(t, "chat.test", ends), v1alpha1.ReasonCertificateReady, ends.UTC().Format(time.RFC3339)},
	} {
		secret := &corev1.Secret{ObjectMeta: w.meta("cert"), Type: corev1.SecretTypeTLS, Data: c.data}
		if i == 0 {
			w.create(secret)
		} else if err := w.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		w.until("it says "+c.message, func() bool {
			got := w.condition(v1alpha1.ConditionTLSReady)
			return got.Reason == c.reason && strings.Contains(got.Message, c.message)
		})
	}
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })

	// The end of those for mail and of authorities is announced, too. Of a bundle it is the end of the last one.
	soon := certificate(t, "mail.test", time.Now().Add(20*time.Minute))
	w.create(&corev1.Secret{ObjectMeta: w.meta("mail"), Type: corev1.SecretTypeTLS, Data: soon})
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.MailIn = &v1alpha1.MailIn{Addresses: "*@in.test", FromNetworks: []string{"10.1.0.0/16"}, TLS: &v1alpha1.MailInTLS{SecretName: "mail"}}
	})
	for _, c := range []struct {
		secret, key string
		value       []byte
		says        []string
	}{
		{"mail", "tls.crt", soon["tls.crt"], []string{"Secret mail expires soon"}},
		{"db", "ca", soon["tls.crt"], []string{"Secret mail expires soon", "Secret db expires soon"}},
		{"db", "ca", append(slices.Clone(soon["tls.crt"]), certificate(t, "db.test", ends)["tls.crt"]...), []string{"Secret mail expires soon"}},
		{"db", "ca", certificate(t, "db.test", time.Now().Add(-time.Hour))["tls.crt"], []string{"Secret db, key ca: it expired"}},
		{"db", "ca", certificate(t, "db.test", ends)["tls.crt"], []string{"Secret mail expires soon"}},
	} {
		secret := &corev1.Secret{}
		w.get(c.secret, secret)
		secret.Data[c.key] = c.value
		if err := w.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		w.until(strings.Join(c.says, " and "), func() bool {
			condition, ready := w.condition(v1alpha1.ConditionTLSReady), w.condition(v1alpha1.ConditionReady)
			if len(c.says) != strings.Count(condition.Message, "Secret ") {
				return false
			}
			for _, text := range c.says {
				if !strings.Contains(condition.Message, text) || !strings.Contains(ready.Message, text) {
					return false
				}
			}
			return (condition.Reason == v1alpha1.ReasonCertificateEndsSoon) == w.ready(v1alpha1.ReasonServing)
		})
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.MailIn.TLS.SecretName = "cert" })
	w.until("it names a certificate of two uses once", func() bool {
		return strings.Count(w.condition(v1alpha1.ConditionTLSReady).Message, "Secret cert ") == 1
	})
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.MailIn = nil })

	// An organization on a subdomain of the host needs its own name in the certificate.
	organization := &v1alpha1.Organization{ObjectMeta: w.meta("eng"), Spec: v1alpha1.OrganizationSpec{
		ServerRef: v1alpha1.Reference{Name: "main"}, Name: "Engineering", Subdomain: "eng", Owners: []v1alpha1.OrganizationOwner{{Email: "ada@corp.test"}},
	}}
	w.create(organization)
	w.quiet()
	w.touch()
	w.quiet()
	if c := w.condition(v1alpha1.ConditionTLSReady); c.Status != "True" || w.server().Status.Organizations != 0 {
		t.Errorf("an organization that isn't accepted counts: %+v, %d organizations", c, w.server().Status.Organizations)
	}
	w.status(organization, func() {
		organization.Status.Conditions = []metav1.Condition{{
			Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted, LastTransitionTime: metav1.Now(),
		}}
	})
	w.until("the missing name is reported", func() bool {
		c := w.condition(v1alpha1.ConditionTLSReady)
		return c.Status == "False" && strings.Contains(c.Message, "isn't for eng.chat.test") && w.ready(v1alpha1.ReasonServing) &&
			strings.Contains(w.condition("Ready").Message, "isn't for eng.chat.test") && w.reasons()[v1alpha1.ReasonCertificateNotReady] > 0
	})
	secret := &corev1.Secret{}
	w.get("cert", secret)
	secret.Data = certificate(t, "chat.test", ends, "*.chat.test")
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("a wildcard will do", func() bool {
		return w.condition(v1alpha1.ConditionTLSReady).Reason == v1alpha1.ReasonCertificateReady && w.server().Status.Organizations == 1
	})
	if err := w.Delete(t.Context(), organization); err != nil {
		t.Fatal(err)
	}
	w.until("it isn't counted any more", func() bool { return w.server().Status.Organizations == 0 })

	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.Exposure.TLS = &v1alpha1.TLS{IssuerRef: &v1alpha1.IssuerReference{Name: "ca"}}
	})
	w.until("cert-manager is missing", func() bool { return w.ready(v1alpha1.ReasonCRDNotInstalled) })
	installCRD(t, inputs.Certificate(), "certificates")
	w.until("it names the Certificate", func() bool {
		return w.foreign(inputs.Certificate(), "main") != nil &&
			strings.HasSuffix(w.condition(v1alpha1.ConditionTLSReady).Message, "hasn't written Secret main-tls yet: see Certificate main")
	})
}

// certificate returns the contents of a Secret with a new certificate for hosts.
func certificate(t *testing.T, host string, ends time.Time, more ...string) map[string][]byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: append(more, host), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: ends}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"tls.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		"tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}
}
