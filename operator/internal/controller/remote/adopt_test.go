package remote_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/controller/remote"
	"chatserver.dev/pkg/adminapi"
)

// waitForText waits until the name of an object is taken, for a reason that includes text.
func (w *world) waitForText(object remote.Object, text string) {
	w.t.Helper()
	w.eventually("a message", func() error {
		if is := w.waitForStatus(object, metav1.ConditionFalse, v1alpha1.ReasonNameTaken); !strings.Contains(is, text) {
			return errors.New(is)
		}
		return nil
	})
}

// What an object has left in the server can be managed by one of another name, with adopt, even if the server slept when it was
// deleted.
func TestWhatStaysInTheServerMayHaveAnotherName(t *testing.T) {
	w := newWorld(t, options{})
	eng, alerts := w.organization("eng"), w.stream("alerts")
	w.create(eng, alerts)
	w.waitReady(eng, alerts)
	moved := w.stream("team-alerts")
	moved.Spec.Name = "alerts"
	w.create(moved)
	w.waitForText(moved, "The stream 'alerts' is managed under the key '"+w.key(alerts)+"'. Choose another name, or delete Stream "+w.key(alerts)+", and set adopt")
	change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateHibernated })
	w.delete(alerts)
	w.waitGone(alerts)
	w.waitForEvent(alerts, v1alpha1.ReasonRetained)
	change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateRunning })
	w.waitForText(moved, "Nothing in the cluster manages it: set adopt to take it over")
	change(w, moved, func(s *v1alpha1.Stream) { s.Spec.Adopt = true })
	w.waitReady(moved)
	if moved.Status.ID != alerts.Status.ID {
		t.Errorf("it is stream %s, not %s", moved.Status.ID, alerts.Status.ID)
	}
	w.delete(eng)
	w.waitGone(eng)
	again, stream := w.organization("again"), w.stream("again")
	again.Spec.Subdomain, again.Spec.Adopt = eng.Spec.Subdomain, true
	stream.Spec.OrganizationRef.Name, stream.Spec.Name, stream.Spec.Adopt = "again", "alerts", true
	w.create(again, stream)
	w.waitReady(again, stream)
	if again.Status.ID != eng.Status.ID || stream.Status.ID != alerts.Status.ID {
		t.Errorf("they are %s and %s", again.Status.ID, stream.Status.ID)
	}
}

// A namespace doesn't get what an object of another one has left in a server that both use, nor what nobody manages there. An
// administrator can hand it over.
func TestNamespacesDoNotTakeOver(t *testing.T) {
	w := newWorld(t, options{abroad: []string{"b"}})
	change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.AllowedNamespaces.From = v1alpha1.FromAll })
	eng := w.organization("eng")
	w.create(eng)
	w.waitReady(eng)
	thief := w.organization("thief")
	thief.Namespace, thief.Spec.ServerRef.Namespace = w.namespace+"b", w.namespace
	thief.Spec.Subdomain, thief.Spec.Adopt, thief.Spec.Owners = eng.Spec.Subdomain, true, []v1alpha1.OrganizationOwner{{Email: "eve@corp.example"}}
	w.create(thief)
	w.waitForText(thief, "Only an administrator of the server can hand it over to this namespace")
	w.delete(eng)
	w.waitGone(eng)
	touch(w, thief)
	w.waitForText(thief, "Only an administrator of the server can hand it over to this namespace")
	if state, err := w.admin.Organization(t.Context(), w.key(eng)); err != nil || len(state.Owners) != 1 {
		t.Errorf("%v, %+v", err, state.Owners)
	}
	if _, err := w.admin.PutOrganization(t.Context(), w.key(thief), adminapi.OrganizationSpec{AdoptFrom: w.key(eng)}); err != nil {
		t.Fatal(err)
	}
	touch(w, thief)
	w.waitReady(thief)
	if thief.Status.ID != eng.Status.ID {
		t.Errorf("it is organization %s, not %s", thief.Status.ID, eng.Status.ID)
	}
}

func TestWhatNobodyManagesIsForTheServersNamespace(t *testing.T) {
	w := newWorld(t, options{abroad: []string{"b"}})
	change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.AllowedNamespaces.From = v1alpha1.FromAll })
	eng := w.organization("eng")
	w.create(eng)
	w.waitReady(eng)
	w.delete(eng)
	w.waitGone(eng)
	forget := "update organizations set external_key = null where external_key = '" + w.key(eng) + "'" // as if it were imported
	psql := exec.CommandContext(t.Context(), filepath.Join(w.chat.postgres.BinDir(), "psql"), "-d", w.chat.postgres.URL("postgres"), "-c", forget)
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	thief := w.organization("thief")
	thief.Namespace, thief.Spec.ServerRef.Namespace = w.namespace+"b", w.namespace
	thief.Spec.Subdomain, thief.Spec.Adopt = eng.Spec.Subdomain, true
	w.create(thief)
	w.waitForText(thief, "which nobody manages: choose another subdomain")
	again := w.organization("again")
	again.Spec.Subdomain, again.Spec.Adopt = eng.Spec.Subdomain, true
	w.create(again)
	w.waitReady(again)
	if again.Status.ID != eng.Status.ID {
		t.Errorf("it is organization %s, not %s", again.Status.ID, eng.Status.ID)
	}
	touch(w, thief)
	w.waitForText(thief, "is managed under the key '"+w.key(again)+"'. Choose another name. Only an administrator")
}

// In an organization, what an object of another namespace has left is for that namespace, and for the organization's own.
func TestOrganizationGetsWhatIsLeftInIt(t *testing.T) {
	w := newWorld(t, options{abroad: []string{"b", "c"}})
	eng, stream := w.organization("eng"), w.abroad()
	eng.Spec.AllowedNamespaces.From = v1alpha1.FromAll
	w.create(eng, stream)
	w.waitReady(eng, stream)
	w.delete(stream)
	w.waitGone(stream)
	other, own := w.stream("other"), w.stream("own")
	other.Namespace, other.Spec.OrganizationRef.Namespace = w.namespace+"c", w.namespace
	other.Spec.Name, other.Spec.Adopt = "alerts", true
	own.Spec.Name, own.Spec.Adopt = "alerts", true
	w.create(other)
	w.waitForText(other, "Only an administrator of the server can hand it over to this namespace")
	w.create(own)
	w.waitReady(own)
	if own.Status.ID != stream.Status.ID {
		t.Errorf("it is stream %s, not %s", own.Status.ID, stream.Status.ID)
	}
}
