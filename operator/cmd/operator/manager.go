package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/controller/chatserver"
)

// newManager returns a manager of the namespaces in which the operator has its rights. It removes the others from s.
func newManager(ctx context.Context, config *rest.Config, s *settings, logger *slog.Logger) (ctrl.Manager, error) {
	known := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(known), v1alpha1.AddToScheme(known)); err != nil {
		return nil, fmt.Errorf("register kinds: %w", err)
	}
	reader, err := client.New(config, client.Options{Scheme: known})
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	found, err := findNamespaces(ctx, reader, s.namespaces, logger)
	if err != nil {
		return nil, err
	}
	s.namespaces = found.watched
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: known, Cache: chatserver.CacheOptions(s.namespaces), Client: chatserver.ClientOptions(),
		Metrics: server.Options{BindAddress: s.metricsAddr}, HealthProbeBindAddress: s.healthAddr,
		LeaderElection: s.elect, LeaderElectionID: s.lease, LeaderElectionNamespace: s.own,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, fmt.Errorf("create manager: %w", err)
	}
	ready := func(request *http.Request) error { return synced(request.Context(), manager.GetCache()) }
	if err := errors.Join(manager.Add(found), manager.AddHealthzCheck("process", healthz.Ping), manager.AddReadyzCheck("caches", ready)); err != nil {
		return nil, fmt.Errorf("add checks: %w", err)
	}
	return manager, nil
}

// synced returns an error unless the cache has the objects of the operator's own kinds. Those of others may never be listed, because of
// their CRD's webhook for example, which is in the conditions of the ChatServers that need them.
func synced(ctx context.Context, informers cache.Cache) error {
	for _, kind := range []client.Object{
		&v1alpha1.ChatServer{}, &v1alpha1.Organization{}, &v1alpha1.Stream{}, &v1alpha1.User{}, &v1alpha1.Bot{}, &v1alpha1.IncomingWebhook{},
	} {
		informer, err := informers.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("watch objects: %w", err)
		}
		if !informer.HasSynced() {
			return errNotSynced
		}
	}
	return nil
}

var errNotSynced = errors.New("the caches haven't synced yet")
