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
	if _, literal := from(w.deployment("api").Spec.Template.Spec.Containers[0]); literal["ADMIN_TLS_CERT_FILE"] == "" {
		t.Errorf("pods have %v", literal)
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
