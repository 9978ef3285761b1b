package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/leader"
	"chatserver.dev/operator/internal/retry"
	"chatserver.dev/operator/internal/status"
)

// Deps are the dependencies of the reconcilers. The manager's client must read Secrets from the API server, not from a
// cache.
type Deps struct {
	Servers *chatapi.Servers
	Clock   clock.PassiveClock
	Metrics prometheus.Registerer
	// Namespaces are those that the manager watches; empty: all. Labels of namespaces are read only if it watches all.
	Namespaces []string
	// Resync is the interval at which each object is compared with its server, plus up to a fifth; 0: 10 minutes.
	Resync time.Duration
	// Patience is how long the deletion of an object is retried if the server doesn't respond or refuses; 0: 5 minutes.
	Patience time.Duration
}

// Defaults of Deps.
const (
	defaultResync   = 10 * time.Minute
	defaultPatience = 5 * time.Minute
)

// Add adds the controllers of all guests to a manager. ctx is the context of the program.
func Add(ctx context.Context, m manager.Manager, d Deps) error {
	if d.Resync == 0 {
		d.Resync = defaultResync
	}
	if d.Patience == 0 {
		d.Patience = defaultPatience
	}
	repairs := newRepairs()
	return errors.Join(d.Metrics.Register(repairs),
		add(ctx, m, d, organizations(), repairs), add(ctx, m, d, streams(), repairs),
		add(ctx, m, d, users(), repairs), add(ctx, m, d, bots(), repairs), add(ctx, m, d, webhooks(), repairs))
}

// add adds the controller of a kind to a manager.
func add[O Object](ctx context.Context, m manager.Manager, d Deps, k kind[O], repairs *prometheus.CounterVec) error {
	if err := index(ctx, m, k); err != nil {
		return fmt.Errorf("index %s objects: %w", k.name, err)
	}
	r := &reconciler[O]{
		keyStore: keyStore{m.GetClient(), m.GetEventRecorder(v1alpha1.Manager), d.Clock, &reverts{}}, kind: k, servers: d.Servers,
		places: locator{m.GetClient(), d.Namespaces}, limiter: newLimiter(d.Clock), resync: d.Resync, patience: d.Patience,
		written: status.NewWritten(d.Clock),
		drift:   func(fields int) { repairs.WithLabelValues(k.name).Add(float64(fields)) },
	}
	begin := source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		r.limiter.enqueue = func(object types.NamespacedName) { queue.Add(reconcile.Request{NamespacedName: object}) }
		return nil
	})
	w := watches[O]{m.GetClient(), k}
	if err := d.Metrics.Register(leader.Collector(m.Elected(), w.counts(ctx))); err != nil {
		return fmt.Errorf("register metrics of %s objects: %w", k.name, err)
	}
	b := ctrl.NewControllerManagedBy(m).Named(strings.ToLower(k.name)).
		For(k.new(), builder.WithPredicates(predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.ChatServer{}, handler.EnqueueRequestsFromMapFunc(w.ofServer), builder.WithPredicates(changed(serverMatters))).
		WatchesRawSource(begin).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, RateLimiter: retry.Limiter()})
	if k.name == "Organization" {
		b = b.Watches(&v1alpha1.User{}, handler.EnqueueRequestsFromMapFunc(w.ofMember), builder.WithPredicates(changed(siblingMatters)))
	} else {
		b = b.Watches(&v1alpha1.Organization{}, handler.EnqueueRequestsFromMapFunc(w.children), builder.WithPredicates(changed(organizationMatters)))
	}
	if k.secrets != nil {
		b = b.WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(w.ofSecret), builder.WithPredicates(byOthers()))
	}
	if k.reads != nil {
		b = b.WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(w.ofSecret))
	}
	if k.secrets != nil && k.name != "Organization" {
		b = b.Watches(&v1alpha1.Stream{}, handler.EnqueueRequestsFromMapFunc(w.ofSibling), builder.WithPredicates(changed(siblingMatters))).
			Watches(&v1alpha1.User{}, handler.EnqueueRequestsFromMapFunc(w.ofSibling), builder.WithPredicates(changed(siblingMatters)))
	}
	if len(d.Namespaces) == 0 {
		b = b.WatchesMetadata(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(w.ofNamespace), builder.WithPredicates(labelled()))
	}
	if err := b.Complete(r); err != nil {
		return fmt.Errorf("add the controller of %s objects: %w", k.name, err)
	}
	return nil
}
