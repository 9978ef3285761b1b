package upgrade_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/upgrade"
)

func TestAdmin(t *testing.T) {
	status := v1alpha1.ChatServerStatus{}
	wants := func(version string, want inputs.Admin) {
		t.Helper()
		if got := upgrade.Admin(version, status); got != want {
			t.Errorf("pods of %s, with %+v: %q, not %q", version, status.AdminTLS, got, want)
		}
	}
	wants("0.1.0", inputs.AdminUnsaid) // as an operator before has made them
	upgrade.TakeAdmin(&status, "0.1.0", false)
	wants("0.1.0", inputs.AdminPlaintext)
	upgrade.TakeAdmin(&status, "0.3.0", true)
	wants("0.1.0", inputs.AdminPlaintext)
	wants("0.3.0", inputs.AdminTLS)
	upgrade.TakeAdmin(&status, "0.4.0", true)
	wants("0.3.0", inputs.AdminTLS)
	upgrade.TakeAdmin(&status, "0.5.0", false) // its report was lost
	wants("0.5.0", inputs.AdminTLS)
	upgrade.TakeAdmin(&status, "0.2.0", true)
	wants("0.2.0", inputs.AdminTLS)
	wants("0.1.9", inputs.AdminPlaintext)
	if status.AdminTLS.InUse {
		t.Error("it is in use before pods have it")
	}
}

func TestNewServes(t *testing.T) {
	for _, c := range []struct {
		what                     string
		seen                     int64
		replicas, updated, ready int32
		want                     bool
	}{
		{what: "nothing is seen", seen: 1, replicas: 2, updated: 2, ready: 2},
		{what: "no pods", seen: 2},
		{what: "a new one that isn't ready", seen: 2, replicas: 3, updated: 1, ready: 2},
		{what: "a new one that may be ready", seen: 2, replicas: 3, updated: 2, ready: 1},
		{what: "a new one that is ready", seen: 2, replicas: 3, updated: 1, ready: 3, want: true},
		{what: "new ones alone", seen: 2, replicas: 2, updated: 2, ready: 1, want: true},
		{what: "new ones alone, not ready", seen: 2, replicas: 2, updated: 2},
	} {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Status: appsv1.DeploymentStatus{
			ObservedGeneration: c.seen, Replicas: c.replicas, UpdatedReplicas: c.updated, ReadyReplicas: c.ready,
		}}
		if got := upgrade.NewServes(d); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
