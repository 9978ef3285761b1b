package render

import (
	"math"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	apps "k8s.io/client-go/applyconfigurations/apps/v1"
	batch "k8s.io/client-go/applyconfigurations/batch/v1"
	core "k8s.io/client-go/applyconfigurations/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

const (
	// minReadySeconds is how long a pod must be ready before the next one is replaced: a pod may crash soon after its start.
	minReadySeconds = 5
	revisionHistory = 3

	defaultProgressDeadline = 10 * time.Minute
	defaultMigrationTimeout = 30 * time.Minute
	migrationRetries        = 2
	// sumLength is the length of the hash in the name of the migration's Job.
	sumLength = 8
)

// Workload renders the Deployment of a service. With autoscaling it has no replicas, since the autoscaler owns that
// field; apply.ApplyScaled hands it over. The error is a [*PatchError].
func Workload(server *v1alpha1.ChatServer, in inputs.Inputs, component Component) (Object, error) {
	template, err := patched(server, component, servicePod(server, in, component))
	if err != nil {
		return nil, err
	}
	spec := apps.DeploymentSpec().
		WithSelector(selects(selector(server, component))).
		WithStrategy(strategy(server, in, component)).
		WithMinReadySeconds(minReadySeconds).
		WithProgressDeadlineSeconds(max(seconds(server.Spec.Upgrade.ProgressDeadline, defaultProgressDeadline), minReadySeconds+1)).
		WithRevisionHistoryLimit(revisionHistory).
		WithTemplate(template)
	if hibernated(server) || ComponentSpec(server, component).Autoscaling == nil {
		spec.WithReplicas(fewest(server, component))
	}
	return apps.Deployment(name(server, string(component)), server.Namespace).
		WithLabels(labels(server, component)).WithAnnotations(annotations(server, nil)).WithOwnerReferences(owner(server)).WithSpec(spec), nil
}

// strategy replaces pods one after the other, each when the next one is ready. If only one pod at a time can use the volume for
// files, the previous pod has to end first.
func strategy(server *v1alpha1.ChatServer, in inputs.Inputs, component Component) *apps.DeploymentStrategyApplyConfiguration {
	if in.FilesOn == inputs.FilesInOnePod && keepsFiles(server, component) {
		return apps.DeploymentStrategy().WithType(appsv1.RecreateDeploymentStrategyType)
	}
	return apps.DeploymentStrategy().WithType(appsv1.RollingUpdateDeploymentStrategyType).
		WithRollingUpdate(apps.RollingUpdateDeployment().
			WithMaxUnavailable(intstr.FromInt32(0)).WithMaxSurge(intstr.FromString("25%")))
}

// Migration renders the Job of the new version that checks configuration and database, and then migrates the schema.
// Its pods need the ServiceAccount of api, see [Foundation]. A Job is immutable: it can be applied only if it doesn't
// exist. The error is a [*PatchError].
func Migration(server *v1alpha1.ChatServer, in inputs.Inputs) (Object, error) {
	template, err := patched(server, Migrate, migrationPod(server, in))
	if err != nil {
		return nil, err
	}
	return batch.Job(name(server, "migrate-"+in.MigrationSum[:min(sumLength, len(in.MigrationSum))]), server.Namespace).
		WithLabels(labels(server, Migrate)).WithAnnotations(annotations(server, nil)).WithOwnerReferences(owner(server)).
		WithSpec(batch.JobSpec().
			WithActiveDeadlineSeconds(int64(seconds(server.Spec.Upgrade.MigrationTimeout, defaultMigrationTimeout))).
			WithBackoffLimit(migrationRetries).
			WithTemplate(template)), nil
}

func migrationPod(server *v1alpha1.ChatServer, in inputs.Inputs) *core.PodTemplateSpecApplyConfiguration {
	template := pod(server, Migrate)
	template.Spec.WithServiceAccountName(name(server, string(API))).WithRestartPolicy(corev1.RestartPolicyNever)
	step := func(name, command string) *core.ContainerApplyConfiguration {
		return container(server, Migrate, image(server, in, API)).WithName(name).
			WithArgs(command, "-report", corev1.TerminationMessagePathDefault).
			WithEnv(environment(server, in, Migrate)...)
	}
	preflight, migrate := step("preflight", "check"), step(string(Migrate), "migrate")
	mountConnections(template.Spec, migrate, in)
	preflight.VolumeMounts = append(preflight.VolumeMounts, migrate.VolumeMounts...)
	template.Spec.WithInitContainers(preflight).WithContainers(migrate) // it copies the containers, so it comes last
	return template
}

// seconds returns the seconds of a duration, at least 1 and at most the largest int32.
func seconds(d *metav1.Duration, otherwise time.Duration) int32 {
	if d == nil {
		return int32(otherwise / time.Second)
	}
	return int32(min(max(d.Duration/time.Second, 1), math.MaxInt32))
}
