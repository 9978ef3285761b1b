package chatserver

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"chatserver.dev/operator/api/v1alpha1"
)

// optional watches the optional kinds once they are served: their CRDs may be installed after the operator. It doesn't
// watch CRDs, since an operator of single namespaces isn't allowed to.
type optional struct {
	manager    ctrl.Manager
	controller controller.Controller
	reconciler *Reconciler
	again      chan<- event.GenericEvent
	started    <-chan struct{} // closed when the controller starts its watches
	interval   time.Duration
	watched    map[schema.GroupVersionKind]bool
}

// Start runs until the context ends. A controller that starts waits for the watches that it has by then, and ends if one of them doesn't
// get its objects: those of optional kinds are added later.
func (o *optional) Start(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-o.started:
	}
	if err := o.watch(); err != nil {
		return err
	}
	ticker := time.NewTicker(o.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-o.reconciler.discover:
		}
		if err := o.refresh(ctx); err != nil {
			o.reconciler.logger.Warn("failed to discover optional API kinds", slog.Any("error", err))
		}
	}
}

// refresh discovers the kinds that are served, and enqueues all servers if that has changed.
func (o *optional) refresh(ctx context.Context) error {
	changed, err := o.reconciler.kinds.Refresh()
	if err != nil || !changed {
		return err
	}
	if err := o.watch(); err != nil {
		return err
	}
	servers := &v1alpha1.ChatServerList{}
	if err := o.reconciler.client.List(ctx, servers); err != nil {
		return fmt.Errorf("list ChatServers: %w", err)
	}
	for i := range servers.Items {
		select {
		case o.again <- event.GenericEvent{Object: &servers.Items[i]}:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// watch starts watches for kinds that are served and not watched yet.
func (o *optional) watch() error {
	for kind := range o.reconciler.kinds.Served() {
		if o.watched[kind] {
			continue
		}
		err := o.controller.Watch(source.TypedKind[client.Object](o.manager.GetCache(), objectOf(kind),
			handler.EnqueueRequestsFromMapFunc(serverOfObject)))
		if err != nil {
			return fmt.Errorf("watch objects of kind %s: %w", kind.Kind, err)
		}
		o.watched[kind] = true
	}
	return nil
}
