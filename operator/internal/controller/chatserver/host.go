package chatserver

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"chatserver.dev/operator/api/v1alpha1"
)

// hostOf returns the host that a server claims, without a port. A server at localhost that isn't exposed claims none,
// since that host is local to each user.
func hostOf(server *v1alpha1.ChatServer) []string {
	host, _, _ := strings.Cut(server.Spec.Host, ":")
	exposure := server.Spec.Exposure
	inside := exposure == nil || exposure.Ingress == nil && exposure.Gateway == nil
	if inside && (host == "localhost" || strings.HasSuffix(host, ".localhost")) {
		return nil
	}
	return []string{host}
}

// serversOfHost finds the servers with the host of a server that has changed or was deleted.
func (r *Reconciler) serversOfHost(ctx context.Context, object client.Object) []reconcile.Request {
	server, isOne := object.(*v1alpha1.ChatServer)
	if !isOne || len(hostOf(server)) == 0 {
		return nil
	}
	return r.requests(ctx, client.MatchingFields{indexHost: hostOf(server)[0]})
}

// hostTaken returns the older server with this one's host, in any namespace that the operator watches; nil: none. If two
// were exposed at one host, the proxy would decide which one gets a request.
func (s *scope) hostTaken(ctx context.Context) (*v1alpha1.ChatServer, error) {
	host := hostOf(s.server)
	if len(host) == 0 {
		return nil, nil
	}
	list := &v1alpha1.ChatServerList{}
	if err := s.client.List(ctx, list, client.MatchingFields{indexHost: host[0]}); err != nil {
		return nil, fmt.Errorf("list the servers of host %s: %w", host[0], err)
	}
	for i := range list.Items {
		if other := &list.Items[i]; other.UID != s.server.UID && isBefore(other, s.server) {
			return other, nil
		}
	}
	return nil, nil
}

// isBefore orders servers by age, then by name.
func isBefore(a, b *v1alpha1.ChatServer) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
}
