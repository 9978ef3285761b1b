package chatserver

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/upgrade"
)

// admit refuses an invalid upgrade before anything is changed, and records a valid one.
func admit(_ context.Context, s *scope) error {
	if reason, err := upgrade.Check(s.server.Spec.Version, s.server.Status); err != nil {
		return terminal(v1alpha1.ConditionMigrationsApplied, reason, err)
	}
	// For an upgrade in progress, the step of the migration sets the phase.
	if now := s.server.Status.Upgrade; now == nil && s.server.Status.Version != s.server.Spec.Version || now != nil && now.To != s.server.Spec.Version {
		phase := v1alpha1.PhaseRollout
		if s.needsMigration() {
			phase = v1alpha1.PhaseMigrate
		}
		s.upgrading(phase, "")
	}
	return nil
}

func (s *scope) needsMigration() bool {
	return upgrade.NeedsMigration(s.server.Spec.Version, s.inputs.MigrationSum, s.server.Status)
}

// upgrading records the phase of an upgrade.
func (s *scope) upgrading(phase v1alpha1.UpgradePhase, job string) {
	status := &s.server.Status
	if status.Upgrade == nil || status.Upgrade.To != s.server.Spec.Version {
		status.Upgrade = &v1alpha1.UpgradeStatus{
			From: status.Version, To: s.server.Spec.Version, StartedAt: metav1.NewTime(s.clock.Now()).Rfc3339Copy(),
		}
	}
	status.Upgrade.Phase = phase
	status.Upgrade.JobName = job
}

// settle records the version as serving: all pods are replaced.
func settle(_ context.Context, s *scope) error {
	status := &s.server.Status
	if status.Version != "" && status.Version != s.server.Spec.Version {
		status.PreviousVersion = status.Version
	}
	status.Version = s.server.Spec.Version
	status.Upgrade = nil
	return nil
}
