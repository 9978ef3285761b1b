package chatserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/status"
)

// namespacePause is the time between two passes over a server whose namespace is terminating.
const namespacePause = 10 * time.Second

// conclude writes the status after a pass, and schedules the next one. problem is the error of the pass, or nil.
func (s *scope) conclude(ctx context.Context, problem error) (ctrl.Result, error) {
	s.reportDrift()
	switch {
	case isCacheBehind(problem):
		return ctrl.Result{RequeueAfter: status.CacheLag}, nil
	case apierrors.HasStatusCause(problem, corev1.NamespaceTerminatingCause): // the server is about to be deleted, too
		return ctrl.Result{RequeueAfter: namespacePause}, nil
	}
	problem = cmp.Or(problem, s.observe(ctx))
	unexpected := s.summarize(problem)
	switch err := s.write(ctx); {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: status.CacheLag}, nil
	case apierrors.IsNotFound(err): // the server was deleted during the pass
		return ctrl.Result{}, nil
	case err != nil:
		return ctrl.Result{}, fmt.Errorf("write the status of ChatServer %s: %w", s.server.Name, err)
	case unexpected:
		return ctrl.Result{}, problem
	}
	return ctrl.Result{RequeueAfter: s.after}, nil
}

// summarize sets the conditions from the error of the pass, and reports whether it must be retried with backoff.
func (s *scope) summarize(problem error) (unexpected bool) {
	stuck, waiting := (*terminalError)(nil), (*waitingError)(nil)
	if s.server.Spec.State != v1alpha1.StatePaused {
		s.conditions.Remove(v1alpha1.ConditionPaused)
	}
	switch {
	case errors.As(problem, &stuck):
		s.detail(stuck.condition, stuck.reason, stuck.Error())
		s.conditions.Stuck(stuck.reason, s.stillServing(stuck.Error()))
	case errors.As(problem, &waiting):
		s.detail(waiting.condition, waiting.reason, waiting.message)
		s.conditions.Working(waiting.reason, s.stillServing(waiting.message))
		s.requeueWithin(waiting.after)
	case problem != nil:
		s.conditions.Working(v1alpha1.ReasonFailed, s.stillServing(problem.Error()))
		return true
	case s.server.Spec.State == v1alpha1.StatePaused:
		s.paused()
	case s.server.Spec.State == v1alpha1.StateHibernated:
		s.conditions.Done(v1alpha1.ReasonHibernated, "hibernated by spec.state: no pods are running; data and Secrets are kept")
	default:
		s.conditions.Done(v1alpha1.ReasonServing, strings.Join(append(
			[]string{fmt.Sprintf("%s is serving at %s", s.server.Status.Version, s.server.Status.URL)}, s.notes...), "; "))
	}
	return false
}

func (s *scope) detail(condition, reason, message string) {
	if condition != "" {
		s.conditions.False(condition, reason, message)
	}
}

// stillServing adds to a message that a version is still serving, if one is.
func (s *scope) stillServing(message string) string {
	if s.server.Status.Version != "" && s.conditions.Is(v1alpha1.ConditionAvailable) {
		return message + " (" + s.server.Status.Version + " is still serving)"
	}
	return message
}

// paused sets the conditions of a server that isn't reconciled.
func (s *scope) paused() {
	const message = "nothing is changed or repaired while spec.state is Paused"
	s.conditions.True(v1alpha1.ConditionPaused, v1alpha1.ReasonPaused, message)
	s.conditions.Done(v1alpha1.ReasonPaused, message)
	if !s.conditions.Is(v1alpha1.ConditionAvailable) {
		s.conditions.False(v1alpha1.ConditionReady, v1alpha1.ReasonPaused, message)
	}
}

// reportDrift sets the condition about reverted changes. It stays until the spec changes.
func (s *scope) reportDrift() {
	if s.server.Status.ObservedGeneration != s.server.Generation {
		s.conditions.Remove(v1alpha1.ConditionDriftRepaired)
	}
	for _, drift := range s.drifts {
		s.events.Eventf(s.server, nil, corev1.EventTypeWarning, v1alpha1.ReasonDriftRepaired, "Repair", "%s", status.Note(drift.String()))
		s.log.Warn("reverted drift", slog.String("object", drift.Object), slog.String("field", drift.Field),
			slog.String("manager", drift.Manager))
	}
	if n := len(s.drifts); n > 0 {
		s.memory.repaired(s.clock.Now())
		s.conditions.True(v1alpha1.ConditionDriftRepaired, v1alpha1.ReasonDriftRepaired,
			fmt.Sprintf("%s; reverted at %s", s.drifts[n-1], s.clock.Now().UTC().Format(time.RFC3339)))
	}
}

// write writes the status if it has changed, and reports transitions once it is written.
func (s *scope) write(ctx context.Context) error {
	s.server.Status.ObservedGeneration = s.server.Generation
	s.server.Status.URL = render.URL(s.server)
	if apiequality.Semantic.DeepEqual(s.before.Status, s.server.Status) {
		return nil
	}
	// The update includes the resource version that was read: without it, two passes could report the same transition.
	sent := s.server.DeepCopy()
	if err := s.client.Status().Update(ctx, sent); err != nil {
		return err
	}
	s.written.Note(sent)
	for _, transition := range status.Transitions(s.before.Status.Conditions, s.server.Status.Conditions) {
		s.events.Eventf(s.server, nil, transition.Type, transition.Reason, "Reconcile", "%s", status.Note(transition.Message))
		s.log.Info("condition changed", slog.String("reason", transition.Reason), slog.String("message", transition.Message))
	}
	return nil
}
