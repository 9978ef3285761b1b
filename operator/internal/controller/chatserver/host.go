package chatserver

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"chatserver.dev/operator/api/v1alpha1"
)

// hostOf returns the host that a server claims, without a port; "": none. The names directly below it are of the server's
// organizations. A server at localhost that isn't exposed claims none, since that host is local to each user.
func hostOf(server *v1alpha1.ChatServer) string {
	host, _, _ := strings.Cut(server.Spec.Host, ":")
	if !isExposed(server) && (host == "localhost" || strings.HasSuffix(host, ".localhost")) {
		return ""
	}
	return host
}

// isExposed reports whether a server is reachable from outside of the cluster, by an Ingress or a Gateway.
func isExposed(server *v1alpha1.ChatServer) bool {
	exposure := server.Spec.Exposure
	return exposure != nil && (exposure.Ingress != nil || exposure.Gateway != nil)
}

// above returns the host of a server that could have an organization at the given host; "": none.
func above(host string) string {
	_, parent, _ := strings.Cut(host, ".")
	return parent
}

// hostsOf returns the values of indexHost: the host that a server claims, and all names at its level, as *.parent.
func hostsOf(server *v1alpha1.ChatServer) []string {
	host := hostOf(server)
	if host == "" {
		return nil
	}
	return []string{host, "*." + above(host)}
}

// rivals returns other servers with a server's host, with one that is directly below it, or with the one above it, in all namespaces
// that the operator watches.
func (r *Reconciler) rivals(ctx context.Context, server *v1alpha1.ChatServer) (rivals []v1alpha1.ChatServer, err error) {
	host := hostOf(server)
	if host == "" {
		return nil, nil
	}
	for _, name := range []string{host, "*." + host, above(host)} {
		list := &v1alpha1.ChatServerList{}
		if err := r.client.List(ctx, list, client.MatchingFields{indexHost: name}); err != nil {
			return nil, fmt.Errorf("list the servers of host %s: %w", name, err)
		}
		rivals = append(rivals, list.Items...)
	}
	return slices.DeleteFunc(rivals, func(other v1alpha1.ChatServer) bool { return other.UID == server.UID }), nil
}

// serversOfHost finds the servers whose hosts may be free since a server has changed or was deleted.
func (r *Reconciler) serversOfHost(ctx context.Context, object client.Object) (requests []reconcile.Request) {
	server, isOne := object.(*v1alpha1.ChatServer)
	if !isOne {
		return nil
	}
	rivals, err := r.rivals(ctx, server)
	if err != nil {
		r.logger.Error("failed to list the ChatServers that a change affects", slog.Any("error", err))
	}
	for i := range rivals {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&rivals[i])})
	}
	return requests
}

// hostTaken returns an older server whose host conflicts with this one's; nil: none. If two were exposed at one host, the proxy would
// decide which one gets a request, and one below the other's host would get those of an organization.
func (s *scope) hostTaken(ctx context.Context) (*v1alpha1.ChatServer, error) {
	rivals, err := s.rivals(ctx, s.server)
	for i := range rivals {
		if isBefore(&rivals[i], s.server) {
			return &rivals[i], nil
		}
	}
	return nil, err
}

// isBefore orders servers by age, then by name.
func isBefore(a, b *v1alpha1.ChatServer) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
}
