package plugin

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestRollback(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*v1alpha1.ChatServer)
		args   []string
		to     string // empty: refused
		says   string
	}{
		"to the one before": {func(s *v1alpha1.ChatServer) { s.Status.PreviousVersion = "1.4.0" }, nil, "1.4.0", ""},
		"out of an upgrade": {func(s *v1alpha1.ChatServer) {
			s.Status.PreviousVersion = "1.3.0"
			s.Status.Upgrade = &v1alpha1.UpgradeStatus{From: "1.4.0", To: "1.4.1", Phase: v1alpha1.PhaseRollout, StartedAt: metav1.NewTime(noon)}
		}, nil, "1.4.0", ""},
		"during a migration of the same version": {func(s *v1alpha1.ChatServer) {
			s.Status.PreviousVersion = "1.4.0"
			s.Status.Upgrade = &v1alpha1.UpgradeStatus{From: "1.4.1", To: "1.4.1", Phase: v1alpha1.PhaseMigrate, StartedAt: metav1.NewTime(noon)}
		}, nil, "1.4.0", ""},
		"out of the first one": {func(s *v1alpha1.ChatServer) {
			s.Status.Upgrade = &v1alpha1.UpgradeStatus{To: "1.4.1", Phase: v1alpha1.PhaseRollout, StartedAt: metav1.NewTime(noon)}
		}, nil, "", "set it with --to"},
		"to a given one":  {func(*v1alpha1.ChatServer) {}, []string{"--to", "1.3.9"}, "1.3.9", ""},
		"to nobody knows": {func(*v1alpha1.ChatServer) {}, nil, "", "set it with --to"},
		"to the floor": {func(s *v1alpha1.ChatServer) {
			s.Status.Schema = &v1alpha1.SchemaStatus{Version: 7, MinServerVersion: "1.3.0"}
		}, []string{"--to", "1.3.0"}, "1.3.0", ""},
		"below the floor": {
			func(s *v1alpha1.ChatServer) {
				s.Status.Schema = &v1alpha1.SchemaStatus{Version: 7, MinServerVersion: "1.3.0"}
			},
			[]string{"--to", "1.2.9"},
			"", "1.2.9 doesn't work with the database any more: its schema 7 needs 1.3.0 or later; roll back to 1.3.0",
		},
		"below the floor, a draft": {
			func(s *v1alpha1.ChatServer) {
				s.Status.Schema = &v1alpha1.SchemaStatus{Version: 7, MinServerVersion: "1.3.0"}
			},
			[]string{"--to", "1.3.0-rc.1"},
			"", "doesn't work with the database",
		},
		"forward":       {func(*v1alpha1.ChatServer) {}, []string{"--to", "1.5.0"}, "", "1.5.0 isn't older than 1.4.1"},
		"to the same":   {func(*v1alpha1.ChatServer) {}, []string{"--to", "1.4.1"}, "", "isn't older"},
		"to no version": {func(*v1alpha1.ChatServer) {}, []string{"--to", "latest"}, "", `"latest" isn't a version`},
		"of pinned image": {func(s *v1alpha1.ChatServer) {
			s.Spec.Image.Digests = map[string]string{"api": "sha256:" + strings.Repeat("0", 64)}
		}, []string{"--to", "1.4.0"}, "", "spec.image.digests"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := server(t, c.change)
			if c.to == "" {
				kubectlChat(t, made.Namespace, append([]string{"rollback", "main"}, c.args...)...).wants(t, ExitFailed, c.says, "nothing was changed")
				if version := current(t, made).Spec.Version; version != "1.4.1" {
					t.Errorf("it went to %s", version)
				}
				return
			}
			operate(t, made.DeepCopy(), func(s *v1alpha1.ChatServer) {
				s.Status = v1alpha1.ChatServerStatus{ObservedGeneration: s.Generation, Version: s.Spec.Version}
				condition(&s.Status.Conditions, "Ready", v1alpha1.ReasonServing, "", metav1.ConditionTrue)
			})
			kubectlChat(t, made.Namespace, append([]string{"rollback", "main"}, c.args...)...).wants(t, ExitDone, "is serving "+c.to+" again")
			if version := current(t, made).Spec.Version; version != c.to {
				t.Errorf("it went to %s", version)
			}
		})
	}
}

// A stalled server is reported at once.
func TestStalled(t *testing.T) {
	t.Parallel()
	made := server(t, func(s *v1alpha1.ChatServer) { s.Status.PreviousVersion = "1.4.0" })
	operate(t, made.DeepCopy(), func(s *v1alpha1.ChatServer) {
		s.Status.ObservedGeneration = s.Generation
		condition(&s.Status.Conditions, "Stalled", v1alpha1.ReasonImagePullFailed, "api:1.4.0 can't be had", metav1.ConditionTrue)
	})
	kubectlChat(t, made.Namespace, "rollback", "main").wants(t, ExitFailed, "ImagePullFailed: api:1.4.0 can't be had", "next: correct spec.image")
}

// The command doesn't wait for a rollout that can't happen.
func TestRollbackOfPausedServer(t *testing.T) {
	t.Parallel()
	made := server(t, func(s *v1alpha1.ChatServer) {
		s.Status.PreviousVersion = "1.4.0"
		condition(&s.Status.Conditions, "Paused", v1alpha1.ReasonPaused, "", metav1.ConditionTrue)
	})
	kubectlChat(t, made.Namespace, "rollback", "main").wants(t, ExitNotYet, "was changed, but is paused or hibernated")
	if version := current(t, made).Spec.Version; version != "1.4.0" {
		t.Errorf("it went to %s", version)
	}
}
