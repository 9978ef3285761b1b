package chatapi

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

// AdminPort is the port of the Service <name>-admin.
const AdminPort = 8090

// tokensKey is the key of the Secret <name>-admin with one token on each line. The first is the one to call
// with.
const tokensKey = "tokens"

const (
	// callTime bounds a call when its context doesn't: deleting an organization takes a while.
	callTime = time.Minute
	// idleConnections to one server stay open between the passes.
	idleConnections = 16
)

// Servers finds the admin interface of servers. It is safe for concurrent use.
type Servers struct {
	secrets client.Reader
	address func(server *v1alpha1.ChatServer) string
	http    *http.Client
}

// NewServers makes one that reads tokens with each call, since they are rotated: secrets must not be older
// than what is in the cluster. address says where a server's admin interface is, and nil means its Service. A
// nil transport is one of its own.
func NewServers(secrets client.Reader, address func(server *v1alpha1.ChatServer) string, transport http.RoundTripper) *Servers {
	if address == nil {
		address = ServiceAddress
	}
	if transport == nil {
		own := &http.Transport{MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: callTime}
		transport = own
	}
	return &Servers{secrets, address, &http.Client{Transport: transport, Timeout: callTime}}
}

// ServiceAddress is where a server's admin interface is inside the cluster.
func ServiceAddress(server *v1alpha1.ChatServer) string {
	return fmt.Sprintf("http://%s-admin.%s.svc:%d", server.Name, server.Namespace, AdminPort)
}

// API gives the calls to a server.
func (s *Servers) API(ctx context.Context, server *v1alpha1.ChatServer) (API, error) {
	return adminclient.New(s.address(server), s.tokens(ctx, server), s.http)
}

// Health asks one pod of a server's api, at its address, whether database and cache do their work. Unlike the Service,
// it reaches pods that aren't ready.
func (s *Servers) Health(ctx context.Context, server *v1alpha1.ChatServer, pod string) (adminapi.Health, error) {
	client, err := adminclient.New("http://"+net.JoinHostPort(pod, strconv.Itoa(AdminPort)), s.tokens(ctx, server), s.http)
	if err != nil {
		return adminapi.Health{}, err
	}
	return client.Health(ctx)
}

// tokens reads a server's admin token, when it is needed.
func (s *Servers) tokens(ctx context.Context, server *v1alpha1.ChatServer) func() (string, error) {
	name := types.NamespacedName{Namespace: server.Namespace, Name: server.Name + "-admin"}
	return func() (string, error) { return s.token(ctx, name) }
}

// TokenError says that the token for a server can't be had.
type TokenError struct {
	Secret types.NamespacedName
	Reason string // what is wrong with the Secret
}

// Error names the Secret and what is wrong with it.
func (e *TokenError) Error() string { return fmt.Sprintf("Secret %s %s", e.Secret, e.Reason) }

func (s *Servers) token(ctx context.Context, name types.NamespacedName) (string, error) {
	secret := corev1.Secret{}
	err := s.secrets.Get(ctx, name, &secret)
	switch {
	case apierrors.IsNotFound(err):
		return "", &TokenError{name, "with the admin token isn't there yet"}
	case err != nil:
		return "", fmt.Errorf("read Secret %s: %w", name, err)
	}
	for line := range bytes.Lines(secret.Data[tokensKey]) {
		if token := bytes.TrimSpace(line); len(token) > 0 {
			return string(token), nil
		}
	}
	return "", &TokenError{name, "has no token under the key " + tokensKey}
}
