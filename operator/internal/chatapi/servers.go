package chatapi

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
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

// callTime bounds a call when its context doesn't: deleting an organization takes a while.
const callTime = time.Minute

// secure is the scheme of an address that is called over TLS.
const secure = "https"

// Servers finds the admin interface of servers. It is safe for concurrent use.
type Servers struct {
	secrets client.Reader
	address func(server *v1alpha1.ChatServer) string
	through func(http.RoundTripper) http.RoundTripper
}

// NewServers makes one that reads tokens and certificates for each [API], since they are rotated: secrets must not be
// older than what is in the cluster. address says where a server's admin interface is, and nil means its Service. All
// calls go through what through makes of the transport; nil: the transport itself.
func NewServers(secrets client.Reader, address func(server *v1alpha1.ChatServer) string, through func(http.RoundTripper) http.RoundTripper) *Servers {
	if address == nil {
		address = ServiceAddress
	}
	if through == nil {
		through = func(transport http.RoundTripper) http.RoundTripper { return transport }
	}
	return &Servers{secrets, address, through}
}

// host is the name of a server's admin interface inside the cluster.
func host(server *v1alpha1.ChatServer) string {
	return fmt.Sprintf("%s-admin.%s.svc", server.Name, server.Namespace)
}

// CertificateNames are those that the certificate of a server's admin interface has. The operator looks for the first,
// whatever address it calls. localhost is there for kubectl port-forward: who trusts this certificate trusts nobody else.
func CertificateNames(server *v1alpha1.ChatServer) []string {
	name := host(server)
	return []string{name, strings.TrimSuffix(name, ".svc"), server.Name + "-admin", "localhost"}
}

// ServiceAddress is where a server's admin interface is inside the cluster. Whether it is called over TLS is what the
// operator has noted of its pods: no failure of a connection changes that.
func ServiceAddress(server *v1alpha1.ChatServer) string {
	scheme, port := "http", render.AdminPlaintextPort
	if known := server.Status.AdminTLS; known != nil && known.InUse {
		scheme, port = secure, render.AdminTLSPort
	}
	return address(scheme, host(server), port)
}

// podAddress is where the admin interface of one pod is. A pod serves TLS if its port has the name for it.
func podAddress(pod *corev1.Pod) string {
	scheme := "http"
	for i := range pod.Spec.Containers {
		if slices.ContainsFunc(pod.Spec.Containers[i].Ports, func(p corev1.ContainerPort) bool { return p.Name == render.NameAdminTLS }) {
			scheme = secure
		}
	}
	return address(scheme, pod.Status.PodIP, render.PortAdmin)
}

func address(scheme, host string, port int) string {
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// API returns the calls to a server, with the token and the certificates of now: they are for one pass.
func (s *Servers) API(ctx context.Context, server *v1alpha1.ChatServer) (API, error) {
	return s.client(ctx, server, s.address(server))
}

// Health asks one pod of a server's api, at its address, whether database and cache do their work. Unlike the Service,
// it reaches pods that aren't ready.
func (s *Servers) Health(ctx context.Context, server *v1alpha1.ChatServer, pod *corev1.Pod) (adminapi.Health, error) {
	client, err := s.client(ctx, server, podAddress(pod))
	if err != nil {
		return adminapi.Health{}, err
	}
	return client.Health(ctx)
}

// client makes one for an address of a server. It keeps no connection: the next call may trust other certificates, and
// calls are rare.
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
	transport := &http.Transport{DisableKeepAlives: true}
	if strings.HasPrefix(address, secure+"://") {
		if transport.TLSClientConfig, err = adminclient.TLS(secret.Data[secrets.TrustedKey], host(server)); err != nil {
			return nil, &SecretError{name, "has no certificate in the key " + secrets.TrustedKey}
		}
	}
	return adminclient.New(address, adminclient.Token(token), &http.Client{Transport: s.through(transport), Timeout: callTime})
}

// SecretError says that what calls to a server need of a Secret can't be had.
type SecretError struct {
	Secret types.NamespacedName
	Reason string // what is wrong with the Secret
}

// Error names the Secret and what is wrong with it.
func (e *SecretError) Error() string { return fmt.Sprintf("Secret %s %s", e.Secret, e.Reason) }

func (s *Servers) read(ctx context.Context, name types.NamespacedName) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := s.secrets.Get(ctx, name, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, &SecretError{name, "with the admin token isn't there yet"}
	case err != nil:
		return nil, fmt.Errorf("read Secret %s: %w", name, err)
	}
	return secret, nil
}
