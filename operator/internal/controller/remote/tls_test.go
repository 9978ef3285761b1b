package remote_test

import (
	"bytes"
	"crypto/tls"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/secrets"
)

// The server is called over TLS through a rotation of the certificate, and in no other way when somebody else answers.
func TestOverTLS(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	w.create(eng)
	w.waitReady(eng)

	now := time.Now()
	certificate := func(c secrets.Certificate, rotation string) secrets.Certificate {
		c, _, err := c.Next(chatapi.CertificateNames(w.server), rotation, 0, now)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := certificate(secrets.Certificate{}, "")
	second := certificate(first, "again")
	pair := atomic.Pointer[tls.Certificate]{}
	serve := func(c secrets.Certificate) {
		own, err := tls.X509KeyPair(c.Certificate, c.Key)
		if err != nil {
			t.Fatal(err)
		}
		pair.Store(&own)
	}
	trust := func(trusted []byte) {
		secret := &corev1.Secret{ObjectMeta: w.meta("main-admin")}
		change(w, secret, func(s *corev1.Secret) { s.Data["ca.crt"] = trusted })
	}
	// In front of the server's admin interface, as pods have it.
	to, err := url.Parse(w.chat.admin)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(to))
	front.TLS = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair.Load(), nil }}
	front.StartTLS()
	t.Cleanup(front.Close)
	serve(first)
	trust(first.Trusted)
	w.secured.Store(&front.URL)
	trust(second.Trusted)
	for i, served := range []secrets.Certificate{first, second} {
		serve(served)
		stream := w.stream([]string{"before", "after"}[i])
		w.create(stream)
		w.waitReady(stream)
	}
	trust(bytes.TrimSuffix(second.Trusted, first.Certificate))
	serve(first)
	late := w.stream("late")
	w.create(late)
	if text := w.waitForStatus(late, metav1.ConditionFalse, v1alpha1.ReasonServerUnreachable); !strings.Contains(text, "certificate") {
		t.Error(text)
	}
	serve(second)
	w.waitReady(late)
}
