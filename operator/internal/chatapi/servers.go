// Package chatapi creates clients for the admin interfaces of servers, with their tokens and certificates.
package chatapi

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/secrets"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

// connectTime is how long it may take to connect to a server. If a network policy drops packets, the whole timeout of a call would pass.
const connectTime = 3 * time.Second

// Servers finds the admin interface of servers. It is safe for concurrent use.
type Servers struct {
	secrets client.Reader
	address func(server *v1alpha1.ChatServer) string
	through func(http.RoundTripper) http.RoundTripper
}

// NewServers returns a Servers that reads token and certificates for each client, since they are rotated: secrets must
// read from the API server. address returns the address of a server's admin interface; nil: that of its Service. through
// wraps the transport of all calls; nil: it isn't wrapped.
func NewServers(secrets client.Reader, address func(server *v1alpha1.ChatServer) string, through func(http.RoundTripper) http.RoundTripper) *Servers {
	if address == nil {
		address = serviceAddress
	}
	if through == nil {
		through = func(transport http.RoundTripper) http.RoundTripper { return transport }
	}
	return &Servers{secrets, address, through}
}

// host is the host name of a server's admin interface inside the cluster.
func host(server *v1alpha1.ChatServer) string {
	return fmt.Sprintf("%s-admin.%s.svc", server.Name, server.Namespace)
}

// CertificateNames are the names in the certificate of a server's admin interface. The operator verifies the first one,
// whatever address it calls. localhost is for kubectl port-forward. It is safe, since clients of the admin interface
// trust only its own certificates.
func CertificateNames(server *v1alpha1.ChatServer) []string {
	name := host(server)
	return []string{name, strings.TrimSuffix(name, ".svc"), server.Name + "-admin", "localhost"}
}

// serviceAddress is the address of a server's admin interface inside the cluster.
func serviceAddress(server *v1alpha1.ChatServer) string { return address(host(server)) }

// address is the address of the admin interface at a host: a Service or a pod.
func address(host string) string {
	return "https://" + net.JoinHostPort(host, strconv.Itoa(render.AdminPort))
}

// Client returns a client of a server with the current token and certificates. It is for one pass, since they are
// rotated.
func (s *Servers) Client(ctx context.Context, server *v1alpha1.ChatServer) (*adminclient.Client, error) {
	return s.client(ctx, server, s.address(server))
}

// Health asks a pod of a server's api whether database and cache work. Unlike the Service, it reaches pods that aren't
// ready.
func (s *Servers) Health(ctx context.Context, server *v1alpha1.ChatServer, pod *corev1.Pod) (adminapi.Health, error) {
	client, err := s.client(ctx, server, address(pod.Status.PodIP))
	if err != nil {
		return adminapi.Health{}, err
	}
	return client.Health(ctx)
}

// client returns a client for an address of a server. It keeps no connections: calls are rare, and the next one may trust
// other certificates.
func (s *Servers) client(ctx context.Context, server *v1alpha1.ChatServer, address string) (*adminclient.Client, error) {
	name := types.NamespacedName{Namespace: server.Namespace, Name: inputs.AdminSecret(server)}
	secret, err := s.read(ctx, name)
	if err != nil {
		return nil, err
	}
	token := ""
	for line := range bytes.Lines(secret.Data[secrets.TokensKey]) {
		if token = string(bytes.TrimSpace(line)); token != "" {
			break
		}
	}
	if token == "" {
		return nil, &SecretError{name, "has no token in the key " + secrets.TokensKey}
	}
	trusted, err := adminclient.TLS(secret.Data[secrets.TrustedKey], host(server))
	if err != nil {
		return nil, &SecretError{name, "has no certificate in the key " + secrets.TrustedKey}
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: (&net.Dialer{Timeout: connectTime}).DialContext, TLSClientConfig: trusted}
	return adminclient.New(address, token, &http.Client{Transport: s.through(transport), Timeout: adminclient.CallTime})
}

// SecretError reports that a Secret lacks the token or the certificates for calls to a server.
type SecretError struct {
	Secret types.NamespacedName
	Reason string // what is wrong with the Secret
}

// Error names the Secret and the problem.
func (e *SecretError) Error() string { return fmt.Sprintf("Secret %s %s", e.Secret, e.Reason) }

func (s *Servers) read(ctx context.Context, name types.NamespacedName) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := s.secrets.Get(ctx, name, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, &SecretError{name, "with the admin token doesn't exist yet"}
	case err != nil:
		return nil, fmt.Errorf("read Secret %s: %w", name, err)
	}
	return secret, nil
}
