package chatapi_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/secrets"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

const token = "the-admin-token-of-the-tests"

// world is a Secret, and a server at every called address, with or without TLS.
type world struct {
	t       *testing.T
	secrets client.Client
	server  *v1alpha1.ChatServer
	servers *chatapi.Servers
	at      string                          // where the server is
	called  atomic.Pointer[string]          // the address that was called last
	shown   sync.Map                        // what callers have shown
	pair    atomic.Pointer[tls.Certificate] // that it has now
}

func newWorld(t *testing.T, overTLS bool) *world {
	t.Helper()
	t.Parallel()
	w := &world{t: t, server: &v1alpha1.ChatServer{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "main"}}}
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.shown.Store(r.Header.Get("Authorization"), true)
		if r.Header.Get("Authorization") != "Bearer "+token {
			rw.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(rw, `{"result":"success","msg":""}`)
	})
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelWarn)
	if overTLS {
		server.TLS = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return w.pair.Load(), nil }}
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	w.at = server.Listener.Addr().String()
	w.secrets = fake.NewClientBuilder().Build()
	w.servers = chatapi.NewServers(w.secrets, nil, func(next http.RoundTripper) http.RoundTripper { return there{w, next} })
	return w
}

// there is a transport that connects to the server at every address, like a client with a manipulated DNS.
type there struct {
	*world

	next http.RoundTripper
}

func (t there) RoundTrip(request *http.Request) (*http.Response, error) {
	address := request.URL.Scheme + "://" + request.URL.Host
	t.called.Store(&address)
	request = request.Clone(request.Context())
	request.URL.Host = t.at
	return t.next.RoundTrip(request)
}

// certificate returns the server's next certificate at a time.
func (w *world) certificate(c secrets.Certificate, rotation string, now time.Time) secrets.Certificate {
	w.t.Helper()
	c, _, err := c.Next(chatapi.CertificateNames(w.server), rotation, 0, now)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// has makes the server use a certificate.
func (w *world) has(c secrets.Certificate) {
	w.t.Helper()
	pair, err := tls.X509KeyPair(c.Certificate, c.Key)
	if err != nil {
		w.t.Fatal(err)
	}
	w.pair.Store(&pair)
}

// keep writes the Secret.
func (w *world) keep(data map[string]string) {
	w.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "main-admin"}, Data: map[string][]byte{}}
	for key, value := range data {
		secret.Data[key] = []byte(value)
	}
	err := w.secrets.Create(w.t.Context(), secret)
	if err != nil {
		err = w.secrets.Update(w.t.Context(), secret)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) keepTrusted(c secrets.Certificate) {
	w.keep(map[string]string{"tokens": token + "\nanother-one-that-comes-soon", "ca.crt": string(c.Trusted)})
}

// call calls the server as reconcilers do.
func (w *world) call() error {
	client, err := w.servers.Client(w.t.Context(), w.server)
	if err == nil {
		_, err = client.PutOrganization(w.t.Context(), "key", adminapi.OrganizationSpec{})
	}
	return err
}

// ask calls a pod.
func (w *world) ask() error {
	pod := &corev1.Pod{Status: corev1.PodStatus{PodIP: "10.9.8.7"}}
	_, err := w.servers.Health(w.t.Context(), w.server, pod)
	return err
}

func (w *world) calledAt(want string) {
	w.t.Helper()
	if got := w.called.Load(); got == nil || *got != want {
		w.t.Errorf("called was %v, want %s", got, want)
	}
}

// lacking reports whether an error is about a missing Secret or key.
func lacking(err error) bool {
	_, ok := errors.AsType[*chatapi.SecretError](err)
	return ok
}

// unreachable reports whether a call failed without a response of the server.
func unreachable(err error) bool {
	_, answered := errors.AsType[*adminclient.Error](err)
	return err != nil && !answered && !lacking(err)
}

// unseen checks that the token wasn't sent.
func (w *world) unseen() {
	w.t.Helper()
	w.shown.Range(func(shown, _ any) bool {
		w.t.Errorf("the token was sent: %q", shown)
		return true
	})
}

func TestCallsOverTLS(t *testing.T) {
	w := newWorld(t, true)
	first := w.certificate(secrets.Certificate{}, "", time.Now())
	w.has(first)
	w.keepTrusted(first)
	if err := w.call(); err != nil {
		t.Error(err)
	}
	w.calledAt("https://main-admin.chat.svc:8443")
	if err := w.ask(); err != nil {
		t.Error(err)
	}
	w.calledAt("https://10.9.8.7:8443")

	// First the Secret gets the next certificate, then the pods get it one by one.
	second := w.certificate(first, "again", time.Now())
	w.keepTrusted(second)
	for range 2 {
		if err := errors.Join(w.call(), w.ask()); err != nil {
			t.Error(err)
		}
		w.has(second)
	}
	third := w.certificate(second, "again", time.Now().Add(time.Hour))
	w.keepTrusted(third)
	if err := errors.Join(w.call(), w.ask()); err != nil {
		t.Error(err)
	}
	w.has(first)
	if unknown := (x509.UnknownAuthorityError{}); !errors.As(w.call(), &unknown) {
		t.Error("the certificate before is still trusted")
	}
	w.keep(map[string]string{"tokens": "not-the-token-of-the-server", "ca.crt": string(first.Trusted)})
	if err := w.call(); !adminclient.IsUnauthorized(err) {
		t.Errorf("a wrong token over TLS: %v", err)
	}
}

// The token is sent only to the server, whichever program answers at its address.
func TestImpostorsSeeNoToken(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name     string
		impostor func(w *world, own secrets.Certificate) secrets.Certificate
		want     string
	}{
		{"own authority", func(w *world, _ secrets.Certificate) secrets.Certificate {
			return w.certificate(secrets.Certificate{}, "", now)
		}, "unknown authority"},
		{"another server's name", func(w *world, _ secrets.Certificate) secrets.Certificate {
			other := &v1alpha1.ChatServer{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "other"}}
			made, _, err := secrets.Certificate{}.Next(chatapi.CertificateNames(other), "", 0, now)
			if err != nil {
				w.t.Fatal(err)
			}
			w.keepTrusted(made) // though it is trusted
			return made
		}, "not main-admin.chat.svc"},
		{"expired", func(w *world, _ secrets.Certificate) secrets.Certificate {
			made := w.certificate(secrets.Certificate{}, "", now.Add(-400*24*time.Hour))
			w.keepTrusted(made)
			return made
		}, "expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, true)
			own := w.certificate(secrets.Certificate{}, "", now)
			w.keepTrusted(own)
			w.has(c.impostor(w, own))
			for _, err := range []error{w.call(), w.ask()} {
				if err == nil || !strings.Contains(err.Error(), c.want) || !unreachable(err) {
					t.Errorf("got %v", err)
				}
			}
			w.unseen()
		})
	}
}

// A server without TLS isn't called.
func TestNothingFallsBackToPlainHTTP(t *testing.T) {
	w := newWorld(t, false)
	w.keepTrusted(w.certificate(secrets.Certificate{}, "", time.Now()))
	for range 2 {
		for _, err := range []error{w.call(), w.ask()} {
			if err == nil || !unreachable(err) {
				t.Errorf("got %v", err)
			}
		}
	}
	w.unseen()
}

func TestSecretsThatLackSomething(t *testing.T) {
	w := newWorld(t, true)
	for _, c := range []struct {
		data map[string]string
		want string
	}{
		{nil, "Secret chat/main-admin with the admin token doesn't exist yet"},
		{map[string]string{"ca.crt": "x"}, "has no token in the key tokens"},
		{map[string]string{"tokens": "\n \n", "ca.crt": "x"}, "has no token in the key tokens"},
		{map[string]string{"tokens": token}, "has no certificate in the key ca.crt"},
		{map[string]string{"tokens": token, "ca.crt": "x"}, "has no certificate in the key ca.crt"},
	} {
		if c.data != nil {
			w.keep(c.data)
		}
		for _, err := range []error{w.call(), w.ask()} {
			if err == nil || !strings.Contains(err.Error(), c.want) || !lacking(err) {
				t.Errorf("%v: %v, want %q", c.data, err, c.want)
			}
		}
	}
	w.unseen()
}
