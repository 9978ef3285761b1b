package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// rightsInterval is how often the operator checks whether it has its rights in a namespace that it doesn't watch.
const rightsInterval = 10 * time.Second

var errNoRights = errors.New("the operator has no rights in any of the namespaces that it should watch: do they exist, and was it installed with these namespaces?")

// namespaces are the namespaces that the operator should watch. A namespace that was deleted took the operator's rights in
// it along. Its caches would never sync, so all others would wait: it isn't watched.
type namespaces struct {
	reader  client.Reader // from the API server
	logger  *slog.Logger
	watched []string // none: all
	missing []string // without rights
}

// findNamespaces checks in which namespaces the operator has its rights.
func findNamespaces(ctx context.Context, reader client.Reader, names []string, logger *slog.Logger) (*namespaces, error) {
	found := &namespaces{reader: reader, logger: logger}
	for _, name := range names {
		switch allowed, err := found.allows(ctx, name); {
		case err != nil:
			return nil, err
		case allowed:
			found.watched = append(found.watched, name)
		default:
			logger.Error("a namespace isn't watched, since the operator has no rights in it: if it was deleted, remove it from -watch-namespaces", slog.String("namespace", name))
			found.missing = append(found.missing, name)
		}
	}
	if len(names) > 0 && len(found.watched) == 0 {
		return nil, errNoRights
	}
	return found, nil
}

// allows reports whether the operator has its rights in a namespace.
func (n *namespaces) allows(ctx context.Context, name string) (bool, error) {
	err := n.reader.List(ctx, &v1alpha1.ChatServerList{}, client.InNamespace(name), client.Limit(1))
	switch {
	case apierrors.IsForbidden(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("list ChatServers in namespace %s: %w", name, err)
	}
	return true, nil
}

// Start returns an error once the operator has its rights in a missing namespace: a manager can't watch further namespaces, but
// the program is restarted.
func (n *namespaces) Start(ctx context.Context) error {
	if len(n.missing) == 0 {
		return nil
	}
	ticker := time.NewTicker(rightsInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for _, name := range n.missing {
			allowed, err := n.allows(ctx, name)
			if err != nil {
				n.logger.Warn("failed to check the operator's rights", slog.Any("error", err))
			}
			if allowed {
				return fmt.Errorf("namespace %s has to be watched now: restarting", name)
			}
		}
	}
}

// NeedLeaderElection returns false: each replica has caches.
func (*namespaces) NeedLeaderElection() bool { return false }
