package chatserver

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/pkg/adminapi"
)

const (
	// healthPeriod is how often a server is asked how it is.
	healthPeriod = time.Minute
	// healthTime bounds the asking.
	healthTime = 10 * time.Second
)

// healthy asks pods of api whether database and cache do their work, which nothing in the cluster shows: pods stay
// ready while a disk is full, since what needs no room works on. Then it looks whether each service has pods.
func healthy(ctx context.Context, s *scope) outcome {
	s.within(healthPeriod)
	pods, err := s.pods(ctx, s.labelsOf(render.API))
	if err != nil {
		return failed(err)
	}
	if out := s.ask(ctx, pods); out.err != nil {
		return out
	}
	for _, component := range render.Components() {
		deployment, err := s.deployment(ctx, component)
		switch {
		case err != nil:
			return failed(err)
		case deployment != nil && deployment.Status.ReadyReplicas > 0:
			continue
		}
		trouble, _, err := s.trouble(ctx, s.labelsOf(component))
		if err != nil {
			return failed(err)
		}
		return waitForPods("", v1alpha1.ReasonUnavailable, "Deployment %s-%s has no ready pod%s",
			s.server.Name, component, cmp.Or(trouble, ": look into the logs of its pods"))
	}
	return proceed()
}

// ask asks the first of the pods that answers. Where none does, nothing is known to be wrong.
func (s *scope) ask(ctx context.Context, pods []corev1.Pod) outcome {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	health := adminapi.Health{}
	for i := range pods {
		pod := &pods[i]
		if pod.Status.Phase != corev1.PodRunning || pod.Status.PodIP == "" || pod.DeletionTimestamp != nil {
			continue
		}
		told, err := s.servers.Health(ctx, s.server, pod)
		if err == nil {
			health = told
			break
		}
		s.log.Warn("a pod can't be asked how database and cache are", slog.String("pod", pod.Name), slog.Any("error", err))
	}
	switch {
	case health.Database != "":
		return waitForPods(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonDatabaseFailing, "%s; %s", health.Database, s.databaseAt())
	case health.Cache != "":
		return waitForPods(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonCacheFailing, "%s; %s", health.Cache, s.cacheAt())
	}
	return proceed()
}

// databaseAt names the object that the database comes from.
func (s *scope) databaseAt() string {
	switch s.server.Spec.Database.Mode {
	case v1alpha1.DatabaseEphemeral:
		return s.volume(render.Postgres)
	case v1alpha1.DatabaseCloudNativePG:
		return "it is Cluster " + inputs.ClusterName(s.server)
	case v1alpha1.DatabaseExternal:
	}
	return "its address is in Secret " + s.server.Spec.Database.External.SecretRef.Name
}

// cacheAt names the object that the cache comes from.
func (s *scope) cacheAt() string {
	if s.server.Spec.Cache.Mode == v1alpha1.CacheEphemeral {
		return s.volume(render.Redis)
	}
	return "its address is in Secret " + s.server.Spec.Cache.External.SecretRef.Name
}

func (s *scope) volume(component render.Component) string {
	return "its volume is PersistentVolumeClaim " + render.ClaimName(s.server, component)
}

// labelsOf are those of the pods of a component.
func (s *scope) labelsOf(component render.Component) map[string]string {
	return map[string]string{v1alpha1.LabelInstance: s.server.Name, v1alpha1.LabelComponent: string(component)}
}
