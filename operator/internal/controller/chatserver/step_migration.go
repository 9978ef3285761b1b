package chatserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/secrets"
	"chatserver.dev/operator/internal/upgrade"
)

// migration migrates the schema before any pod of the new version starts. Until it is done, the existing pods keep
// serving.
func migration(ctx context.Context, s *scope) error {
	atWork, err := s.otherMigrations(ctx)
	if err != nil {
		return err
	}
	if !s.needsMigration() {
		if s.inputs.Hash == "" {
			return terminal(v1alpha1.ConditionSecretsReady, v1alpha1.ReasonSecretNotFound, fmt.Errorf(
				"the Secret %s is missing, and only a migration can create new logins: restore it, or set spec.version to %s",
				s.inputs.PodLogins, s.server.Status.Schema.ServerVersion))
		}
		return s.migrated()
	}
	wanted, job, err := s.migrationJob(ctx)
	if err != nil {
		return s.refused(err)
	}
	s.inventory.Add(wanted)
	s.upgrading(v1alpha1.PhaseMigrate, wanted.GetName())
	switch upgrade.Next(wanted.GetAnnotations()[upgrade.AnnotationAttempt], upgrade.Look(job)) {
	case upgrade.StartJob:
		if atWork != "" { // this one would wait for the database's lock, and fail if that takes longer
			s.upgrading(v1alpha1.PhaseMigrate, atWork)
			return waitForPods(v1alpha1.ConditionMigrationsApplied, v1alpha1.ReasonMigrationRunning,
				"Job %s is still migrating: the migration to %s starts when it has ended", atWork, s.server.Spec.Version)
		}
		if _, err := s.applier.Create(ctx, s.server, client.ApplyConfigurationFromUnstructured(wanted)); err != nil {
			return s.refused(err)
		}
		return s.migrating(ctx, wanted.GetName(), nil)
	case upgrade.ReplaceJob:
		return s.recreate(ctx, wanted)
	case upgrade.AwaitJob:
		return s.migrating(ctx, wanted.GetName(), job)
	case upgrade.GiveUp:
		return s.migrationFailed(ctx, wanted, job)
	case upgrade.TakeSchema:
		if err := s.takeSchema(ctx, job, s.server.Spec.Version, s.inputs.MigrationSum); err != nil {
			return err
		}
		if err := connections(ctx, s); err != nil { // pods use other logins now
			return err
		}
	}
	return s.migrated()
}

func (s *scope) migrated() error {
	status := s.server.Status
	text := "the schema is at version " + status.Schema.ServerVersion
	if logins := status.DatabaseLogins; upgrade.RolledBack(s.server.Spec.Version, status) && logins != nil && secrets.Rotates(s.loginsToken(), logins.RotationToken) {
		text += ", whose migration creates the new logins: set spec.version to that"
	}
	s.conditions.True(v1alpha1.ConditionMigrationsApplied, v1alpha1.ReasonMigrationsApplied, text)
	if s.server.Status.Upgrade != nil {
		s.upgrading(v1alpha1.PhaseRollout, "")
	}
	return nil
}

// migrationJob returns the desired Job, annotated with this attempt, and the existing one, or nil.
func (s *scope) migrationJob(ctx context.Context) (*unstructured.Unstructured, *batchv1.Job, error) {
	rendered, err := render.Migration(s.server, s.inputs)
	if err != nil {
		return nil, nil, err
	}
	wanted, err := apply.Desired(rendered)
	if err != nil {
		return nil, nil, err
	}
	text, err := wanted.MarshalJSON()
	if err != nil {
		return nil, nil, fmt.Errorf("encode Job %s: %w", wanted.GetName(), err)
	}
	sum := sha256.Sum256([]byte(string(text) + s.inputs.MigrationHash + s.inputs.Templates[string(render.Migrate)] + s.inputs.Pull))
	annotations := wanted.GetAnnotations()
	annotations[upgrade.AnnotationAttempt] = hex.EncodeToString(sum[:8])
	annotations[upgrade.AnnotationVersion] = s.server.Spec.Version
	annotations[upgrade.AnnotationMigration] = s.inputs.MigrationSum
	annotations[upgrade.AnnotationLogins] = s.inputs.MigrationLogins
	wanted.SetAnnotations(annotations)
	job := &batchv1.Job{}
	found, err := s.get(ctx, apply.Job(), wanted.GetName(), job)
	if err != nil || !found {
		return wanted, nil, err
	}
	wanted.SetUID(job.UID)
	return wanted, job, nil
}

// migrating waits for a Job, and reports if its pod is blocked or can't be created, or why its last attempt failed; nil:
// the Job is new.
func (s *scope) migrating(ctx context.Context, name string, job *batchv1.Job) error {
	trouble, pull, err := s.trouble(ctx, map[string]string{batchv1.JobNameLabel: name}, false)
	if err == nil && trouble == "" && job != nil && job.Status.Active+job.Status.Failed == 0 {
		trouble, err = s.uncreated(ctx, job.UID)
	}
	if err != nil {
		return err
	}
	reason := v1alpha1.ReasonMigrationRunning
	if pull {
		reason = v1alpha1.ReasonImagePullFailed
	}
	if trouble == "" && job != nil && job.Status.Failed > 0 { // the Job tries again after 10 s, and then 20 s
		pods, err := s.podsOf(ctx, job)
		if err != nil {
			return err
		}
		var why string
		reason, why = upgrade.Failure(job, pods)
		trouble = fmt.Sprintf(": attempt %d of %d failed: %s", job.Status.Failed, 1+ptr.Deref(job.Spec.BackoffLimit, 0), why)
	}
	return waitForPods(v1alpha1.ConditionMigrationsApplied, reason, "Job %s is migrating the schema to %s%s", name, s.server.Spec.Version, trouble)
}

// podsOf returns the pods of a Job, not those of an earlier Job of the same name.
func (s *scope) podsOf(ctx context.Context, job *batchv1.Job) ([]corev1.Pod, error) {
	return s.pods(ctx, map[string]string{batchv1.ControllerUidLabel: string(job.UID)})
}

// recreate deletes a Job. The next pass creates it again.
func (s *scope) recreate(ctx context.Context, wanted *unstructured.Unstructured) error {
	if err := s.applier.Delete(ctx, wanted); err != nil {
		return err
	}
	return wait(v1alpha1.ConditionMigrationsApplied, v1alpha1.ReasonMigrationRunning, "recreating Job %s", wanted.GetName())
}

// preflightPause is the time between two Jobs whose preflight fails. It has changed nothing, and its cause isn't watched: an
// external database may be created at the same time as the server.
const preflightPause = 2 * time.Minute

// migrationFailed reports a failed Job, and recreates it after some time if its preflight failed.
func (s *scope) migrationFailed(ctx context.Context, wanted *unstructured.Unstructured, job *batchv1.Job) error {
	pods, err := s.podsOf(ctx, job)
	if err != nil {
		return err
	}
	reason, message := upgrade.Failure(job, pods)
	revert := ""
	if from := s.server.Status.Version; from != "" && from != s.server.Spec.Version {
		revert = ", or revert spec.version"
	}
	next := "correct the cause and retry with another value of annotation " + v1alpha1.AnnotationRetry + revert
	if reason == v1alpha1.ReasonPreflightFailed {
		left := upgrade.FailedAt(job).Add(preflightPause).Sub(s.clock.Now())
		if left <= 0 {
			return s.recreate(ctx, wanted)
		}
		s.requeueWithin(left)
		next = "correct the cause" + revert + "; it is tried again every two minutes"
	}
	return terminal(v1alpha1.ConditionMigrationsApplied, reason, fmt.Errorf("the migration by Job %s failed: %s; %s", job.Name, message, next))
}

// takeSchema records the result of a Job. If its report is gone, rollbacks to older versions are disabled.
func (s *scope) takeSchema(ctx context.Context, job *batchv1.Job, version, sum string) error {
	pods, err := s.podsOf(ctx, job)
	if err != nil {
		return err
	}
	report, found := upgrade.ReadReport(pods)
	if !found {
		s.log.Warn("rollback disabled: the migration's report is missing", slog.String("job", job.Name))
		report.MinServerVersion = version
	}
	s.server.Status.Schema = &v1alpha1.SchemaStatus{
		Version: report.Schema, MinServerVersion: report.MinServerVersion, ServerVersion: version, Migration: sum,
	}
	return s.takeLogins(ctx, job.Annotations[upgrade.AnnotationLogins])
}

// otherMigrations handles Jobs that are no longer desired, because the spec or a Secret was changed in the meantime. A Job
// that is migrating may finish, and its result is recorded.
func otherMigrations(ctx context.Context, s *scope) error {
	_, err := s.otherMigrations(ctx)
	return err
}

// otherMigrations does so, and returns the name of a Job that is migrating; "": there is none.
func (s *scope) otherMigrations(ctx context.Context) (atWork string, err error) {
	jobs := &unstructured.UnstructuredList{}
	jobs.SetGroupVersionKind(apply.Job())
	err = s.client.List(ctx, jobs, client.InNamespace(s.server.Namespace),
		client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.Manager, v1alpha1.LabelInstance: s.server.Name})
	if err != nil {
		return "", fmt.Errorf("list Jobs: %w", err)
	}
	for i := range jobs.Items {
		job := &batchv1.Job{}
		if err := decode(&jobs.Items[i], job); err != nil {
			return "", err
		}
		working, err := s.otherMigration(ctx, job, &jobs.Items[i])
		if err != nil {
			return "", err
		}
		if working {
			atWork = job.Name
		}
	}
	return atWork, nil
}

// otherMigration handles one Job. It reports whether the Job is migrating.
func (s *scope) otherMigration(ctx context.Context, job *batchv1.Job, object *unstructured.Unstructured) (working bool, err error) {
	version, sum := job.Annotations[upgrade.AnnotationVersion], job.Annotations[upgrade.AnnotationMigration]
	if sum == s.inputs.MigrationSum && s.needsMigration() {
		return false, nil // the desired one
	}
	state := upgrade.Look(job)
	if state.Failed && version == s.server.Spec.Version { // its inputs have changed since
		return false, s.applier.Delete(ctx, object)
	}
	if state.Complete && upgrade.Later(version, s.server.Status) {
		if err := s.takeSchema(ctx, job, version, sum); err != nil {
			return false, err
		}
	}
	stays := s.server.Status.Schema != nil && s.server.Status.Schema.Migration == sum // keep it for inspection
	if !stays && !state.Complete && !state.Failed {
		if working, err = s.atWork(ctx, job); err != nil {
			return false, err
		}
		if !working { // now, and not once the desired one has completed
			return false, s.applier.Delete(ctx, object)
		}
	}
	if stays || working {
		s.inventory.Add(object)
	}
	return working, nil
}

// atWork reports whether a pod of a Job is migrating, or has done so. A pod without an image or a node can be ignored, and so
// can one in its preflight, which changes nothing. A Job whose pods have failed isn't at work either: it would retry with
// whatever its Secrets contain by then, and the result would count as that of the contents that it was created for.
func (s *scope) atWork(ctx context.Context, job *batchv1.Job) (bool, error) {
	pods, err := s.podsOf(ctx, job)
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool {
		return pod.Status.Phase != corev1.PodPending && pod.Status.Phase != corev1.PodFailed
	}), err
}
