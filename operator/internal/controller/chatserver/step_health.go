package chatserver

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/upgrade"
	"chatserver.dev/pkg/adminapi"
)

const (
	// healthPeriod is how often a server's health is checked.
	healthPeriod = time.Minute
	// unansweredPeriod is how often it is checked while no pod answers: each check takes until its timeout, and passes over other servers
	// wait for it.
	unansweredPeriod = 5 * time.Minute
	// healthTime is the timeout of the check. A pod answers within 5 s, even if the database doesn't.
	healthTime = 10 * time.Second
)

// unanswered is a note for the message of Ready.
const unanswered = "its pods don't answer the operator, so problems of database and cache aren't noticed"

// healthy asks pods of api whether database and cache work. Readiness doesn't show this: pods stay ready while a disk
// is full, since some requests still work. Then it checks whether each service has ready pods.
func healthy(ctx context.Context, s *scope) error {
	s.requeueWithin(healthPeriod)
	pods, err := s.pods(ctx, s.labelsOf(render.API))
	if err != nil {
		return err
	}
	if err := s.ask(ctx, pods); err != nil {
		return err
	}
	for _, component := range render.Components() {
		deployment, err := s.deployment(ctx, component)
		switch {
		case err != nil:
			return err
		case deployment != nil && deployment.Status.ReadyReplicas > 0:
			continue
		}
		return s.unavailable(ctx, component, deployment)
	}
	return nil
}

// unavailable reports a service without ready pods; the Deployment is nil if there is none.
func (s *scope) unavailable(ctx context.Context, component render.Component, deployment *appsv1.Deployment) error {
	trouble, _, err := s.trouble(ctx, s.labelsOf(component), false)
	if err != nil {
		return err
	}
	switch {
	case trouble != "" || deployment == nil:
	case ptr.Deref(deployment.Spec.Replicas, 1) == 0:
		return terminal("", v1alpha1.ReasonUnavailable, fmt.Errorf("%s has no pods: spec.%[1]s.replicas is 0; set it to 1 or more, or spec.state to %s",
			component, v1alpha1.StateHibernated))
	default:
		trouble = upgrade.Uncreated(deployment)
	}
	return waitForPods("", v1alpha1.ReasonUnavailable, "Deployment %s-%s has no ready pod%s",
		s.server.Name, component, cmp.Or(trouble, ": see the logs of its pods"))
}

// ask queries the pods until one responds. If none does, no problem is known.
func (s *scope) ask(ctx context.Context, pods []corev1.Pod) error {
	if s.clock.Now().Before(s.memory.ask) {
		s.notes = append(s.notes, unanswered)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	health, failed := adminapi.Health{}, false
	for i := range pods {
		pod := &pods[i]
		if pod.Status.Phase != corev1.PodRunning || pod.Status.PodIP == "" || pod.DeletionTimestamp != nil || starting(pod) {
			continue
		}
		reported, err := s.servers.Health(ctx, s.server, pod)
		if failed = err != nil; !failed {
			health = reported
			break
		}
		s.log.Warn("failed to query a pod for the state of database and cache", slog.String("pod", pod.Name), slog.Any("error", err))
	}
	switch {
	case failed:
		s.memory.ask = s.clock.Now().Add(unansweredPeriod)
		s.notes = append(s.notes, unanswered)
	case health.Database != "":
		return waitForPods(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonDatabaseFailing, "%s; %s", health.Database, s.databaseAt())
	case health.Cache != "":
		return waitForPods(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonCacheFailing, "%s; %s", health.Cache, s.cacheAt())
	}
	return nil
}

// starting reports whether a pod of api doesn't serve the admin interface yet, or has ended and waits for its next start.
func starting(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.Name == string(render.API) && !ptr.Deref(c.Started, true)
	})
}

// databaseAt returns where to look for the cause of a database's failure, for messages.
func (s *scope) databaseAt() string {
	switch s.server.Spec.Database.Mode {
	case v1alpha1.DatabaseEphemeral:
		return s.volume(render.Postgres)
	case v1alpha1.DatabaseCloudNativePG:
		return "see Cluster " + inputs.ClusterName(s.server)
	case v1alpha1.DatabaseExternal:
	}
	return "its address is in Secret " + s.server.Spec.Database.External.SecretRef.Name
}

// cacheAt is databaseAt for the cache.
func (s *scope) cacheAt() string {
	if s.server.Spec.Cache.Mode == v1alpha1.CacheEphemeral {
		return s.volume(render.Redis)
	}
	return "its address is in Secret " + s.server.Spec.Cache.External.SecretRef.Name
}

func (s *scope) volume(component render.Component) string {
	return "its volume is PersistentVolumeClaim " + render.ClaimName(s.server, component)
}

// labelsOf returns the labels that select a component's pods. Another product in the namespace may have an instance and a
// component of the same names.
func (s *scope) labelsOf(component render.Component) map[string]string {
	return map[string]string{
		v1alpha1.LabelName: v1alpha1.Product, v1alpha1.LabelInstance: s.server.Name, v1alpha1.LabelComponent: string(component),
	}
}
