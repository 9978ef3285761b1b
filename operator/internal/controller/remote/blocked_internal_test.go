package remote

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

// What Ready says of a server that can't be called: whether it responded at all, and what to wait for.
func TestOutages(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewTLSServer(http.NotFoundHandler())
	defer stranger.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	server := &v1alpha1.ChatServer{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "main"}}
	call := func(url string) error {
		_, err := http.Get(url) //nolint:bodyclose // it fails
		return err
	}
	for want, err := range map[string]error{
		"its certificate isn't the one in the Secret main-admin; pods read a new one within two minutes": call(stranger.URL),
		"dial " + nobody + ": connect: connection refused":                                               call("http://" + nobody),
		"unexpected response with status 502: no upstream":                                               &adminclient.Error{Status: 502, Msg: "no upstream"},
	} {
		if got, want := blockedBy(err, server).message, "the operator can't use the server, retrying: "+want; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
	}
	server.Status.Version = "0.1.0"
	got := blockedBy(&adminclient.Error{Status: 400, Code: adminapi.CodeUnknownField, Msg: "There is no field 'new' in the body"}, server)
	want := "the server refused: There is no field 'new' in the body. Its version 0.1.0 is too old for this operator: " +
		"upgrade it, by spec.version of ChatServer main"
	if got.message != want || got.reason != v1alpha1.ReasonRefused || got.mode != stalled {
		t.Errorf("%s: %q, want %q", got.reason, got.message, want)
	}
}
