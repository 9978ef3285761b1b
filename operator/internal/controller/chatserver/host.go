package chatserver

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"chatserver.dev/operator/api/v1alpha1"
)

// hostOf is the host that a server has for itself, without a port. One below localhost, without a way in, is each
// person's own, and none.
func hostOf(server *v1alpha1.ChatServer) []string {
	host, _, _ := strings.Cut(server.Spec.Host, ":")
	exposure := server.Spec.Exposure
	inside := exposure == nil || exposure.Ingress == nil && exposure.Gateway == nil
	if inside && (host == "localhost" || strings.HasSuffix(host, ".localhost")) {
		return nil
	}
	return []string{host}
}

// serversOfHost finds the servers with the host of one that has changed or is gone.
func (r *Reconciler) serversOfHost(ctx context.Context, object client.Object) []reconcile.Request {
	server, isOne := object.(*v1alpha1.ChatServer)
	if !isOne || len(hostOf(server)) == 0 {
		return nil
	}
	return r.requests(ctx, client.MatchingFields{indexHost: hostOf(server)[0]})
}

// hostTaken returns the server that had this one's host before, in any namespace that the operator sees; nil: nobody.
// Two ways in to one host would share its requests in whichever way a proxy does.
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

// isBefore orders servers by their age, and those of one second by their names.
func isBefore(a, b *v1alpha1.ChatServer) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
}
