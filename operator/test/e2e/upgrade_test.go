//go:build e2e

package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
)

// at waits until its own server is at a version.
func at(t *testing.T, name, want string) {
	t.Helper()
	eventually(t, 4*time.Minute, func() error {
		if got := field(t, name, "chatserver/"+name, ".status.version"); got != want {
			return fmt.Errorf("%s serves: %+v", got, conditionOf(t, name, "chatserver/"+name, "Ready"))
		}
		return nil
	})
	ready(t, name, "chatserver/"+name)
}

// images returns the images that the services of a server run, without the component's name.
func images(t *testing.T, namespace string) string {
	t.Helper()
	return field(t, namespace, "deployments", ".items[*].spec.template.spec.containers[0].image")
}

// TestUpgrade has a migration fail, which users don't notice, then the next version come in, and be gone back from.
func TestUpgrade(t *testing.T) {
	install(t)
	t.Parallel()
	const name = upgraded
	trialWithGuests(t, name, patched)
	patch(t, name, "chatserver/"+name, `{"spec":{"version":"`+patched+`"}}`)
	crier := accountIn(t, name, "crier")
	works := func() {
		t.Helper()
		call(t, address(t, name, name+"-api"), crier, http.MethodPost, "/messages",
			form{"type": "stream", "to": "news", "topic": "t", "content": "still here"}, nil)
	}
	works()
	schema := field(t, name, "chatserver/"+name, ".status.schema.version")

	t.Run("FailedMigration", func(t *testing.T) {
		before := pods(t, name, "-l", "app.kubernetes.io/component in (api,events,webhook)")
		patch(t, name, "chatserver/"+name, `{"spec":{"version":"`+failing+`"}}`)
		says(t, name, "chatserver/"+name, "Stalled", "MigrationFailed", name+"-migrate-", "division by zero", patched+" is still serving")
		says(t, name, "chatserver/"+name, "MigrationsApplied", "MigrationFailed", "division by zero")
		if got := conditionOf(t, name, "chatserver/"+name, "Available"); got.Status != "True" {
			t.Errorf("Available is %+v", got)
		}
		if got := pods(t, name, "-l", "app.kubernetes.io/component in (api,events,webhook)"); !maps.Equal(got, before) {
			t.Errorf("pods were %v and are %v", before, got)
		}
		if got := field(t, name, "chatserver/"+name, ".status.version") + " " + field(t, name, "chatserver/"+name, ".status.schema.version"); got != patched+" "+schema {
			t.Errorf("version and schema are %s", got)
		}
		works()
	})
	t.Run("Next", func(t *testing.T) {
		patch(t, name, "chatserver/"+name, `{"spec":{"version":"`+next+`"}}`)
		at(t, name, next)
		if got := field(t, name, "chatserver/"+name, ".status.schema.version"); got == schema {
			t.Errorf("the schema is still %s", got)
		}
		if got := field(t, name, "chatserver/"+name, ".status.previousVersion"); got != patched {
			t.Errorf("the version before is %q", got)
		}
		if got := images(t, name); strings.Count(got, ":"+next) != 3 {
			t.Errorf("images are %s", got)
		}
		if got := conditionOf(t, name, "chatserver/"+name, "Stalled"); got.Type != "" {
			t.Errorf("there is still %+v", got)
		}
		works()
	})
	t.Run("TooFar", func(t *testing.T) {
		patch(t, name, "chatserver/"+name, `{"spec":{"version":"0.4.0"}}`)
		says(t, name, "chatserver/"+name, "Stalled", "VersionSkew", "set spec.version to the last 0.3 first", next+" is still serving")
		works()
		patch(t, name, "chatserver/"+name, `{"spec":{"version":"`+next+`"}}`)
		ready(t, name, "chatserver/"+name)
	})
	t.Run("Rollback", func(t *testing.T) {
		if out := kubectl(t, "chat", "rollback", name, "-n", name); !strings.Contains(out, patched) {
			t.Errorf("kubectl chat said %q", out)
		}
		at(t, name, patched)
		if got := images(t, name); strings.Count(got, ":"+patched) != 3 {
			t.Errorf("images are %s", got)
		}
		works()
		if _, err := try("chat", "rollback", name, "-n", name, "--to", "0.0.9"); err == nil || !strings.Contains(err.Error(), "0.1.0 or later") {
			t.Errorf("going back too far: %v", err)
		}
	})
}
