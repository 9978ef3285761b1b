package remote_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
)

func TestOrganizationIsMadeAndKept(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	eng.Spec.Join = &v1alpha1.OrganizationJoin{InviteRequired: new(false)}
	eng.Spec.Limits = &v1alpha1.OrganizationLimits{
		MessageRetentionDays: new(int32(365)), MaxStreams: new(int32(70_000)), MaxStreamsPerDay: new(int32(0)),
	}
	eng.Spec.Settings = map[string]apiextensionsv1.JSON{"create_stream_policy": {Raw: []byte("2")}}
	w.create(eng)
	w.ready(eng)
	state, err := w.admin.Organization(t.Context(), w.key(eng))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{
		"name": state.Name, "owners": state.Owners, "url": eng.Status.URL,
		"invite": state.Settings["invite_required"], "days": state.Settings["message_retention_days"], "policy": state.Settings["create_stream_policy"],
		"streams": state.Settings["max_streams"], "streams a day": state.Settings["max_streams_per_day"],
	}
	want := map[string]any{
		"name": "Engineering", "owners": []string{"ada@corp.example"}, "url": state.URL,
		"invite": false, "days": 365.0, "policy": 2.0, "streams": 70_000.0, "streams a day": 0.0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// Inside the server somebody changes what the spec names, and what it doesn't.
	_, err = w.admin.PutOrganization(t.Context(), w.key(eng), adminapi.OrganizationSpec{
		Name: new("Mine"), Description: new("Ours"), Settings: map[string]any{"invite_required": true, "mandatory_topics": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	poke(w, eng)
	w.told(eng, v1alpha1.ReasonDriftRepaired)
	if state, err = w.admin.Organization(t.Context(), w.key(eng)); err != nil {
		t.Fatal(err)
	}
	got = map[string]any{
		"name": state.Name, "description": state.Description, "invite": state.Settings["invite_required"], "topics": state.Settings["mandatory_topics"],
	}
	if diff := cmp.Diff(map[string]any{"name": "Engineering", "description": "Ours", "invite": false, "topics": true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	change(w, eng, func(o *v1alpha1.Organization) { o.Spec.State = v1alpha1.OrganizationSuspended })
	w.ready(eng)
	if state, err = w.admin.Organization(t.Context(), w.key(eng)); err != nil || !state.Suspended {
		t.Errorf("%v, %+v", err, state)
	}
}

func TestOwnersGetKeys(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	eng.Spec.Owners = []v1alpha1.OrganizationOwner{
		{Email: "ada@corp.example", FullName: "Ada", Credentials: &v1alpha1.Credentials{SecretName: "ada"}},
		{Email: "bob@corp.example", FullName: "Bob"},
	}
	w.create(eng)
	w.ready(eng)
	ada := w.secret("ada")
	status, answer := w.chat.call(t, http.MethodGet, ada["site"]+"/api/v1/users/me", ada["email"], ada["api-key"], "")
	if status != http.StatusOK || !strings.Contains(answer, `"full_name":"Ada"`) || !strings.Contains(answer, `"is_owner":true`) {
		t.Errorf("%d %s", status, answer)
	}
	if want := "[api]\nemail=ada@corp.example\nkey=" + ada["api-key"] + "\nsite=" + eng.Status.URL + "\n"; ada["zuliprc"] != want {
		t.Errorf("got %q, want %q", ada["zuliprc"], want)
	}
	if len(eng.Status.Owners) != 1 || eng.Status.Owners[0].Email != "ada@corp.example" || eng.Status.Owners[0].Credentials.SecretRef.Name != "ada" {
		t.Errorf("%+v", eng.Status.Owners)
	}

	// Bob's name is his own, once he is there.
	if _, err := w.admin.Owners(w.key(eng)).Put(t.Context(), "bob@corp.example", adminapi.OwnerSpec{FullName: new("Robert")}); err != nil {
		t.Fatal(err)
	}
	change(w, eng, func(o *v1alpha1.Organization) { o.Spec.Owners[0].Credentials = nil })
	w.ready(eng)
	bob, err := w.admin.Owners(w.key(eng)).Get(t.Context(), "bob@corp.example")
	if err != nil || bob.FullName != "Robert" {
		t.Errorf("%v, %+v", err, bob)
	}
	// Ada's Secret goes with her credentials, her key stays hers.
	err = w.client.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "ada"}, &corev1.Secret{})
	if !apierrors.IsNotFound(err) || !w.works(ada) {
		t.Errorf("%v, works: %v", err, w.works(ada))
	}
}

func TestOrganizationOfPeopleIsAdopted(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	made, err := w.admin.PutOrganization(t.Context(), "somebody/else", adminapi.OrganizationSpec{Subdomain: new("kept" + eng.Spec.Subdomain), Name: new("Kept")})
	if err != nil {
		t.Fatal(err)
	}
	eng.Spec.Subdomain = made.State.Subdomain
	w.create(eng)
	if text := w.becomes(eng, metav1.ConditionFalse, v1alpha1.ReasonNameTaken); !strings.Contains(text, "adopt: true") {
		t.Error(text)
	}
	if diff := cmp.Diff([]string{v1alpha1.ConditionStalled}, has(eng)); diff != "" {
		t.Error(diff)
	}
	change(w, eng, func(o *v1alpha1.Organization) { o.Spec.Adopt = true })
	if text := w.becomes(eng, metav1.ConditionFalse, v1alpha1.ReasonNameTaken); !strings.Contains(text, "Another object manages it") {
		t.Error(text)
	}
}

func TestOrganizationIsDeletedOrRetained(t *testing.T) {
	w := newWorld(t, options{})
	kept, lost := w.organization("kept"), w.organization("lost")
	lost.Spec.DeletionPolicy = v1alpha1.OrganizationDelete
	w.create(kept, lost)
	w.ready(kept, lost)
	id := kept.Status.ID
	w.delete(kept)
	w.delete(lost)
	w.gone(kept)
	w.gone(lost)
	if _, err := w.admin.Organization(t.Context(), w.key(kept)); err != nil {
		t.Error(err)
	}
	if state, err := w.admin.Organization(t.Context(), w.key(lost)); err == nil {
		t.Errorf("it is still there: %+v", state)
	}
	// The one that was kept is taken up again by an object of its name.
	again := w.organization("kept")
	w.create(again)
	w.ready(again)
	if again.Status.ID != id {
		t.Errorf("it is number %s, and was %s", again.Status.ID, id)
	}
}
