package chatserver_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"chatserver.dev/operator/api/v1alpha1"
)

// adminPort returns the name of the admin interface's port in the pod template of api.
func (w *world) adminPort() string {
	w.t.Helper()
	for _, port := range w.deployment("api").Spec.Template.Spec.Containers[0].Ports {
		if port.ContainerPort == 8090 {
			return port.Name
		}
	}
	return ""
}

// adminTLS returns the status of TLS.
func (w *world) adminTLS() v1alpha1.AdminTLSStatus {
	w.t.Helper()
	if known := w.server().Status.AdminTLS; known != nil {
		return *known
	}
	return v1alpha1.AdminTLSStatus{Since: "nothing is known"}
}

// adminSecret returns the Secret of the admin interface. It checks that key and certificate match, and that the
// certificate is trusted.
func (w *world) adminSecret() *corev1.Secret {
	w.t.Helper()
	secret := &corev1.Secret{}
	w.get("main-admin", secret)
	pair, err := tls.X509KeyPair(secret.Data["tls.crt"], secret.Data["tls.key"])
	if err != nil {
		w.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(secret.Data["ca.crt"])
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: "main-admin." + w.namespace + ".svc", CurrentTime: pair.Leaf.NotBefore.Add(time.Hour)}); err != nil {
		w.t.Errorf("the served certificate isn't trusted: %v", err)
	}
	return secret
}

func TestTheAdminInterfaceHasACertificate(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	clock := clocktesting.NewFakePassiveClock(start)
	w := newWorldAt(t, clock)
	w.install(w.minimal())
	w.until("it is called over TLS", func() bool { return w.adminTLS() == v1alpha1.AdminTLSStatus{Since: "0.1.0", InUse: true} })
	_, literal := from(w.deployment("api").Spec.Template.Spec.Containers[0])
	if w.adminPort() != "admin-tls" || literal["ADMIN_TLS_CERT_FILE"] == "" || literal["ADMIN_PLAINTEXT"] != "" {
		t.Errorf("pods have port %s and %v", w.adminPort(), literal)
	}
	w.quiet()
	generation, first := w.deployment("api").Generation, w.adminSecret()
	if bytes.Count(first.Data["ca.crt"], []byte("BEGIN CERTIFICATE")) != 1 || first.Labels[v1alpha1.LabelManagedBy] != v1alpha1.Manager {
		t.Errorf("trusted is %s; labels %v", first.Data["ca.crt"], first.Labels)
	}

	// Each of these leads to a new certificate; the previous one is trusted for some minutes.
	then := start
	for _, cause := range []struct {
		what  string
		after time.Duration
		do    func()
	}{
		{"on request", time.Hour, func() {
			w.change(func(s *v1alpha1.ChatServer) { s.Spec.Secrets.RotationToken = "again" })
		}},
		{"long before it ends", 260 * 24 * time.Hour, w.touch},
	} {
		before := w.adminSecret()
		then = then.Add(cause.after)
		clock.SetTime(then)
		cause.do()
		w.until("there is another certificate "+cause.what, func() bool { return !bytes.Equal(w.adminSecret().Data["tls.crt"], before.Data["tls.crt"]) })
		after := w.adminSecret()
		if want := slices.Concat(after.Data["tls.crt"], before.Data["tls.crt"]); !bytes.Equal(after.Data["ca.crt"], want) || bytes.Equal(after.Data["tls.key"], before.Data["tls.key"]) {
			t.Errorf("%s: callers don't trust both", cause.what)
		}
		then = then.Add(4 * time.Minute)
		clock.SetTime(then)
		w.touch()
		w.until("the one before isn't trusted any more", func() bool { return bytes.Equal(w.adminSecret().Data["ca.crt"], after.Data["tls.crt"]) })
		then = then.Add(10 * time.Minute) // the token's turn ends
		clock.SetTime(then)
		w.touch()
		w.quiet()
		if !bytes.Equal(w.adminSecret().Data["tls.crt"], after.Data["tls.crt"]) {
			t.Errorf("%s: it was replaced twice", cause.what)
		}
	}
	if got := w.deployment("api").Generation; got != generation {
		t.Error("pods were replaced for files that they read again")
	}

	// A broken Secret is repaired.
	broken := w.adminSecret()
	broken.Data["tls.key"] = []byte("x")
	if err := w.Update(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	w.until("it is mended", func() bool {
		secret := &corev1.Secret{}
		w.get("main-admin", secret)
		return string(secret.Data["tls.key"]) != "x"
	})
	w.adminSecret()
}

// A new operator with support for TLS replaces no pods. Pods of the next version serve TLS, and are called over it as
// soon as the first of them is ready. After a rollback to the previous version, everything is as before.
func TestAnUpgradeBringsTLS(t *testing.T) {
	w := newWorld(t)
	w.ignorant = map[string]bool{"0.1.0": true}
	w.install(w.minimal())
	_, literal := from(w.deployment("api").Spec.Template.Spec.Containers[0])
	if w.adminPort() != "admin" || literal["ADMIN_PLAINTEXT"] != "true" || (w.adminTLS() != v1alpha1.AdminTLSStatus{}) {
		t.Errorf("a version that doesn't know TLS has port %s, %v and %+v", w.adminPort(), literal, w.adminTLS())
	}
	// The state that the previous operator left, without a status of TLS.
	w.quiet()
	w.stop()
	server := w.server()
	w.status(server, func() { server.Status.AdminTLS = nil })
	w.start()
	w.until("pods are as they were", func() bool {
		_, literal := from(w.deployment("api").Spec.Template.Spec.Containers[0])
		return literal["ADMIN_PLAINTEXT"] == "" && w.adminPort() == "admin" && w.ready(v1alpha1.ReasonServing)
	})
	w.quiet()
	w.stop()
	before := w.deployment("api").Generation
	w.start()
	w.touch()
	w.quiet()
	if after := w.deployment("api").Generation; after != before || w.server().Status.AdminTLS != nil || !w.ready(v1alpha1.ReasonServing) {
		t.Errorf("a new operator has replaced pods (%t), and has %+v", after != before, w.server().Status.AdminTLS)
	}

	w.held["main-api"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	w.until("pods of the next version come", func() bool { return w.adminPort() == "admin-tls" })
	w.quiet()
	if got := w.adminTLS(); got != (v1alpha1.AdminTLSStatus{Since: "0.2.0"}) {
		t.Errorf("the server is called over TLS before a pod serves it: %+v", got)
	}
	d := w.deployment("api")
	w.status(d, func() {
		d.Status.ObservedGeneration = d.Generation
		d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.ReadyReplicas = 2, 1, 2
		d.Status.Conditions[0].Reason = "ReplicaSetUpdated"
	})
	w.until("it is called so with the first pod", func() bool { return w.adminTLS().InUse && !w.ready(v1alpha1.ReasonServing) })
	delete(w.held, "main-api")
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })

	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.1.0" })
	w.until("the version before serves", func() bool {
		return w.ready(v1alpha1.ReasonServing) && w.adminPort() == "admin" && w.adminTLS() == v1alpha1.AdminTLSStatus{Since: "0.2.0"}
	})
}

// A server whose version was rolled out by an operator without support for TLS. That operator didn't read whether the
// migration supports TLS.
func TestAnOperatorThatComesLater(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	w.stop()
	server := w.server()
	w.status(server, func() { server.Status.AdminTLS, server.Status.Version = nil, "" })
	w.start()
	w.touch()
	w.until("pods start without TLS", func() bool {
		_, literal := from(w.deployment("api").Spec.Template.Spec.Containers[0])
		return literal["ADMIN_PLAINTEXT"] == "true" && w.adminPort() == "admin" && w.ready(v1alpha1.ReasonServing) &&
			w.adminTLS() == v1alpha1.AdminTLSStatus{}
	})
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Database.Logins = &v1alpha1.DatabaseLogins{RotationToken: "1"} })
	w.until("another migration reports it", func() bool {
		return w.ready(v1alpha1.ReasonServing) && w.adminTLS() == v1alpha1.AdminTLSStatus{Since: "0.1.0", InUse: true}
	})
}
