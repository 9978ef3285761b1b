package chatserver

import (
	"context"
	"log/slog"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/status"
)

// Reconciler reconciles ChatServers.
type Reconciler struct {
	client   client.Client // reads from the cache, except Secrets
	cache    cache.Cache   // of the client
	direct   client.Reader // reads from the API server
	applier  *apply.Applier
	servers  *chatapi.Servers
	kinds    *inputs.Kinds
	defaults inputs.Defaults
	events   events.EventRecorder
	logger   *slog.Logger
	clock    clock.PassiveClock
	written  *status.Written
	discover chan struct{} // receives when an optional kind may not be served any more
	memories sync.Map      // of types.NamespacedName, to *memory
}

// step is a step of a pass. An error ends the pass, see [terminalError] and [waitingError].
type step func(ctx context.Context, s *scope) error

// steps returns the steps for a running server, in order.
func steps() []step {
	return []step{
		admit,
		claim,
		secretsStep,
		dependencies,
		connections,
		files,
		foundation,
		exposure,
		migration,
		scaling,
		workloads,
		narrow,
		retire,
		forget,
		settle,
		prune,
		healthy,
		reachable,
	}
}

// sleepSteps returns the steps for a hibernated server: services stop before their dependencies. Objects without pods
// stay, such as Services and certificates.
func sleepSteps() []step {
	return []step{
		secretsStep,
		unalarm,
		sleep,
		sleepDependencies,
		connections,
		foundation,
		claim,
		exposure,
		scaling,
		narrow,
		otherMigrations,
		prune,
	}
}

// Reconcile makes one pass over a server.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	server := &v1alpha1.ChatServer{}
	if err := r.client.Get(ctx, request.NamespacedName, server); err != nil {
		r.written.Forget(request.NamespacedName)
		r.memories.Delete(request.NamespacedName)
		if apierrors.IsNotFound(err) {
			r.applier.Forget(request.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.written.IsAfter(server) {
		return ctrl.Result{RequeueAfter: status.CacheLag}, nil
	}
	s := r.scope(server)
	if server.DeletionTimestamp != nil {
		err := s.finalize(ctx)
		if isCacheBehind(err) {
			return ctrl.Result{RequeueAfter: status.CacheLag}, nil
		}
		return ctrl.Result{}, err
	}
	if early := s.memory.next.Sub(r.clock.Now()); early > 0 {
		return ctrl.Result{RequeueAfter: early}, nil
	}
	problem := keepFinalizer(ctx, s)
	if problem == nil {
		problem = s.run(ctx)
	}
	return s.conclude(ctx, problem)
}

func (r *Reconciler) scope(server *v1alpha1.ChatServer) *scope {
	s := &scope{
		Reconciler: r,
		log:        r.logger.With(slog.String("namespace", server.Namespace), slog.String("chatserver", server.Name)),
		before:     server.DeepCopy(),
		server:     server,
		inputs:     inputs.Of(server, r.defaults, r.kinds.Served()),
		inventory:  apply.Inventory{},
		secrets:    inputs.NewSecrets(r.direct, server.Namespace),
		memory:     r.memoryOf(server),
	}
	s.conditions = status.Of(&server.Status.Conditions, server.Generation, r.clock)
	return s
}

// run runs the steps for the desired state.
func (s *scope) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	list := steps()
	switch s.server.Spec.State {
	case v1alpha1.StatePaused:
		return nil
	case v1alpha1.StateHibernated:
		list = sleepSteps()
	case v1alpha1.StateRunning:
	}
	for _, step := range list {
		if err := step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
