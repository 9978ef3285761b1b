package chatserver

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlbuilder "sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/leader"
	"chatserver.dev/operator/internal/retry"
	"chatserver.dev/operator/internal/status"
)

// Indexes of ChatServers and Organizations.
const (
	indexSecret    = "references"    // of a ChatServer: names of Secrets that it refers to
	indexConfigMap = "configmaps"    // of a ChatServer: names of ConfigMaps that it refers to
	indexHost      = "host"          // of a ChatServer: the host that it claims, and *.parent
	indexServer    = "server-of-one" // of an accepted Organization: namespace/name of its server
)

const (
	// concurrency is how many servers are reconciled concurrently.
	concurrency = 4
	// timeout is that of the steps of a pass.
	timeout = time.Minute
)

// Options configure the controller.
type Options struct {
	Defaults inputs.Defaults
	Servers  *chatapi.Servers
	Logger   *slog.Logger
	Clock    clock.PassiveClock
	Registry prometheus.Registerer
	// Discovery is how often optional kinds are discovered.
	Discovery time.Duration
}

// Add adds the controller of ChatServers to a manager, whose cache must be limited by [CacheOptions].
func Add(ctx context.Context, manager ctrl.Manager, options Options) error {
	found, err := discovery.NewDiscoveryClientForConfigAndClient(manager.GetConfig(), manager.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("create discovery client: %w", err)
	}
	applier, err := apply.New(manager.GetClient(), manager.GetAPIReader(), options.Registry)
	if err != nil {
		return err
	}
	r := &Reconciler{
		client: manager.GetClient(), cache: manager.GetCache(), direct: manager.GetAPIReader(), applier: applier, servers: options.Servers, kinds: inputs.NewKinds(found),
		defaults: options.Defaults, events: manager.GetEventRecorder(v1alpha1.Manager), logger: options.Logger, clock: options.Clock,
		written: status.NewWritten(options.Clock), discover: make(chan struct{}, 1),
	}
	if _, err := r.kinds.Refresh(); err != nil {
		return err
	}
	if err := index(ctx, manager); err != nil {
		return err
	}
	if err := options.Registry.Register(leader.Collector(manager.Elected(), r.readiness(ctx))); err != nil {
		return fmt.Errorf("register metrics of ChatServers: %w", err)
	}
	return watch(manager, r, options.Discovery)
}

// index adds the indexes.
func index(ctx context.Context, manager ctrl.Manager) error {
	indexer := manager.GetFieldIndexer()
	for field, values := range map[string]func(*v1alpha1.ChatServer) []string{
		indexSecret: inputs.References, indexConfigMap: inputs.ConfigMaps, indexHost: hostsOf,
	} {
		err := indexer.IndexField(ctx, &v1alpha1.ChatServer{}, field, func(object client.Object) []string {
			server, _ := object.(*v1alpha1.ChatServer)
			return values(server)
		})
		if err != nil {
			return fmt.Errorf("index ChatServers by %s: %w", field, err)
		}
	}
	err := indexer.IndexField(ctx, &v1alpha1.Organization{}, indexServer, func(object client.Object) []string {
		if organization, isOne := object.(*v1alpha1.Organization); isOne && accepted(organization) {
			return []string{organization.Parent().String()}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("index organizations by ChatServers: %w", err)
	}
	return nil
}

// watch enqueues servers when objects change that they depend on.
func watch(manager ctrl.Manager, r *Reconciler, interval time.Duration) error {
	again, started := make(chan event.GenericEvent), make(chan struct{})
	begin := source.Func(func(context.Context, workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		close(started)
		return nil
	})
	// Passes write the status, so a change of it needs no other pass.
	wanted := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}, predicate.LabelChangedPredicate{})
	builder := ctrl.NewControllerManagedBy(manager).Named("chatserver").For(&v1alpha1.ChatServer{}, ctrlbuilder.WithPredicates(wanted)).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency, RateLimiter: retry.Limiter()}).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.serversThatReferTo(indexSecret))).
		WatchesMetadata(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.serversThatReferTo(indexConfigMap))).
		Watches(&v1alpha1.ChatServer{}, handler.EnqueueRequestsFromMapFunc(r.serversOfHost), ctrlbuilder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Organization{}, handler.EnqueueRequestsFromMapFunc(serverOfOrganization), ctrlbuilder.WithPredicates(organizationCounts())).
		WatchesRawSource(source.Channel(again, &handler.EnqueueRequestForObject{})).WatchesRawSource(begin)
	for _, kind := range apply.Kinds() {
		builder = builder.Watches(objectOf(kind), handler.EnqueueRequestsFromMapFunc(serverOfObject))
	}
	built, err := builder.Build(r)
	if err != nil {
		return fmt.Errorf("build the controller of ChatServers: %w", err)
	}
	return manager.Add(&optional{
		manager: manager, controller: built, reconciler: r, again: again, started: started, interval: interval,
		watched: map[schema.GroupVersionKind]bool{},
	})
}

func objectOf(kind schema.GroupVersionKind) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object
}

// serverOfObject finds the server of an object by its labels, or by its owner, since the labels may have been removed.
func serverOfObject(_ context.Context, object client.Object) []reconcile.Request {
	name := object.GetLabels()[v1alpha1.LabelInstance]
	if owner := metav1.GetControllerOf(object); owner != nil && owner.Kind == "ChatServer" {
		name = owner.Name
	}
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: name}}}
}

// accepted reports whether an Organization's server allows it. Anybody may create one that names the server.
func accepted(organization client.Object) bool {
	one, isOne := organization.(*v1alpha1.Organization)
	return isOne && meta.IsStatusConditionTrue(one.Status.Conditions, v1alpha1.ConditionAccepted)
}

// organizationCounts passes changes of Organizations that affect their servers. Neither the server nor the subdomain of one changes.
func organizationCounts() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return accepted(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool { return accepted(e.ObjectOld) != accepted(e.ObjectNew) },
		DeleteFunc: func(e event.DeleteEvent) bool { return accepted(e.Object) },
	}
}

func serverOfOrganization(_ context.Context, object client.Object) []reconcile.Request {
	organization, isOne := object.(*v1alpha1.Organization)
	if !isOne {
		return nil
	}
	return []reconcile.Request{{NamespacedName: organization.Parent()}}
}

// serversThatReferTo finds the servers that refer to a Secret or a ConfigMap, by an index.
func (r *Reconciler) serversThatReferTo(index string) handler.MapFunc {
	return func(ctx context.Context, object client.Object) []reconcile.Request {
		return r.requests(ctx, client.InNamespace(object.GetNamespace()), client.MatchingFields{index: object.GetName()})
	}
}

// requests lists servers, and returns a request for each.
func (r *Reconciler) requests(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	servers := &v1alpha1.ChatServerList{}
	if err := r.client.List(ctx, servers, options...); err != nil {
		r.logger.Error("failed to list the ChatServers that a change affects", slog.Any("error", err))
		return nil
	}
	requests := make([]reconcile.Request, 0, len(servers.Items))
	for i := range servers.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&servers.Items[i])})
	}
	return requests
}
