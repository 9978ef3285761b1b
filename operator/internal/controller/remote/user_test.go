package remote_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
)

// person is the account of a User as it is in the server.
func (w *world) person(eng *v1alpha1.Organization, u *v1alpha1.User) adminapi.User {
	w.t.Helper()
	got, err := w.admin.Users(w.key(eng)).Get(w.t.Context(), w.key(u))
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// signsIn reports whether a password is one of an account.
func (w *world) signsIn(eng *v1alpha1.Organization, email, password string) bool {
	w.t.Helper()
	form := url.Values{"username": {email}, "password": {password}}
	status, answer := w.chat.call(w.t, http.MethodPost, eng.Status.URL+"/api/v1/fetch_api_key", "", "", form.Encode())
	if status != http.StatusOK && status != http.StatusForbidden {
		w.t.Fatalf("%d %s", status, answer)
	}
	return status == http.StatusOK
}

// A person's account is created, kept as the resource says, deactivated, and comes back.
func TestUserIsMadeAndKept(t *testing.T) {
	w := newWorld(t, options{})
	eng, grace := w.organization("eng"), w.user("grace")
	grace.Spec.FullName, grace.Spec.Role, grace.Spec.Groups = new("Grace"), new(v1alpha1.RoleAdministrator), []string{"desk"}
	w.create(grace)
	w.waitForStatus(grace, metav1.ConditionFalse, v1alpha1.ReasonOrganizationNotFound)
	w.create(eng)
	if text := w.waitForStatus(grace, metav1.ConditionFalse, v1alpha1.ReasonRefused); !strings.Contains(text, "User group(s) (desk) do not exist. Change the spec") {
		t.Error(text)
	}
	change(w, eng, func(o *v1alpha1.Organization) {
		o.Spec.UserGroups = []v1alpha1.OrganizationUserGroup{{Name: "desk"}, {Name: "ops", Members: []string{"GRACE@corp.example", "zoe@corp.example"}}}
	})
	w.waitReady(eng, grace)
	got := w.person(eng, grace)
	if strconv.FormatInt(got.ID, 10) != grace.Status.ID || got.FullName != "Grace" || got.Role != 200 || !got.Active || got.HasPassword || grace.Status.HasPassword {
		t.Errorf("%+v, status %+v", got, grace.Status)
	}
	// Whoever gets an account becomes a member where the Organization says so.
	w.eventually("both groups", func() error {
		if got := w.person(eng, grace); !cmp.Equal(got.Groups, []string{"desk", "ops"}) {
			return fmt.Errorf("groups %v", got.Groups)
		}
		w.waitReady(eng)
		for _, group := range eng.Status.UserGroups {
			if group.ID == "" || group.Members != 1 || group.Name == "ops" != (len(group.Absent) == 1 && group.Absent[0] == "zoe@corp.example") {
				return fmt.Errorf("status %+v", eng.Status.UserGroups)
			}
		}
		return nil
	})
	// Inside the server somebody changes what the spec names.
	if _, err := w.admin.Users(w.key(eng)).Put(t.Context(), w.key(grace), adminapi.UserSpec{FullName: new("Mine"), Role: new(400), Active: new(false)}); err != nil {
		t.Fatal(err)
	}
	touch(w, grace)
	w.waitForEvent(grace, v1alpha1.ReasonDriftRepaired)
	if got := w.person(eng, grace); got.FullName != "Grace" || got.Role != 200 || !got.Active {
		t.Errorf("%+v", got)
	}
	none := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"state":"Deactivated","email":"gh@corp.example","groups":[]}}`))
	if err := w.client.Patch(t.Context(), grace, none); err != nil {
		t.Fatal(err)
	}
	w.waitReady(grace)
	if got := w.person(eng, grace); got.Active || got.Email != "gh@corp.example" || !cmp.Equal(got.Groups, []string{"ops"}) {
		t.Errorf("%+v", got)
	}
	change(w, grace, func(u *v1alpha1.User) { u.Spec.State = v1alpha1.UserActive })
	w.waitReady(grace)

	// Deleted, it is deactivated; the account is used again by a resource with its address.
	w.delete(grace)
	w.waitGone(grace)
	again := w.user("again")
	again.Spec.Email, again.Spec.State, again.Spec.DeletionPolicy = "gh@corp.example", v1alpha1.UserDeactivated, v1alpha1.UserRetain
	w.create(again)
	w.waitReady(again)
	if again.Status.ID != grace.Status.ID {
		t.Errorf("ID %s, want %s", again.Status.ID, grace.Status.ID)
	}
	change(w, again, func(u *v1alpha1.User) { u.Spec.State = v1alpha1.UserActive })
	w.waitReady(again)
	w.delete(again)
	w.waitGone(again)
	if !w.person(eng, again).Active {
		t.Error("an account with Retain was deactivated")
	}
}

// An initial password comes from a Secret, once.
func TestUserHasInitialPassword(t *testing.T) {
	w := newWorld(t, options{})
	eng, grace := w.organization("eng"), w.user("grace")
	grace.Spec.InitialPassword = &v1alpha1.SecretKey{Name: "grace", Key: "password"}
	w.create(eng, grace)
	w.waitForStatus(grace, metav1.ConditionFalse, v1alpha1.ReasonSecretNotFound)
	secret := &corev1.Secret{ObjectMeta: w.meta("grace"), StringData: map[string]string{"pass": "x"}}
	w.create(secret)
	w.waitForStatus(grace, metav1.ConditionFalse, v1alpha1.ReasonSecretKeyMissing)
	secret.StringData = map[string]string{"password": "hamlet"}
	if err := w.client.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if text := w.waitForStatus(grace, metav1.ConditionFalse, v1alpha1.ReasonRefused); !strings.Contains(text, "The password is too weak.") {
		t.Error(text)
	}
	secret.StringData = map[string]string{"password": "winter-pencil-carrot\n"}
	if err := w.client.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.waitReady(grace)
	w.waitReady(eng)
	if !grace.Status.HasPassword || !w.signsIn(eng, "grace@corp.example", "winter-pencil-carrot") {
		t.Error("the password doesn't work")
	}
	w.delete(secret)
	touch(w, grace)
	change(w, grace, func(u *v1alpha1.User) { u.Spec.FullName = new("Grace Holm") })
	w.waitReady(grace) // without the Secret
}

// What an Organization and a User say about a person must go together, and an account is one User's.
func TestUsersAreRefused(t *testing.T) {
	w := newWorld(t, options{})
	eng, ada, grace := w.organization("eng"), w.user("ada"), w.user("grace")
	eng.Spec.UserGroups = []v1alpha1.OrganizationUserGroup{{Name: "ops", Members: []string{"ada@corp.example"}}}
	ada.Spec.Role, grace.Spec.Groups = new(v1alpha1.RoleMember), []string{"ops"}
	w.create(eng, ada, grace)
	w.waitReady(eng)
	refused := func(u *v1alpha1.User, words string) {
		t.Helper()
		if text := w.waitForStatus(u, metav1.ConditionFalse, v1alpha1.ReasonRefused); !strings.Contains(text, words) {
			t.Errorf("got %q, want %q", text, words)
		}
	}
	refused(ada, "names ada@corp.example as an owner: change the role or the state here, or the owners there")
	refused(grace, "lists the members of the user group ops: remove the group here, or the list there")
	change(w, eng, func(o *v1alpha1.Organization) { o.Spec.UserGroups[0].Members = nil })
	w.waitReady(grace)
	change(w, ada, func(u *v1alpha1.User) { u.Spec.Role = nil })
	if text := w.waitForStatus(ada, metav1.ConditionFalse, v1alpha1.ReasonNameTaken); !strings.Contains(text, "The user 'ada@corp.example' already exists") {
		t.Error(text)
	}
	change(w, ada, func(u *v1alpha1.User) { u.Spec.Adopt = true })
	w.waitReady(ada)
	second := w.user("second")
	second.Spec.Email, second.Spec.Adopt = "Ada@corp.example", true
	w.create(second)
	w.waitForStatus(second, metav1.ConditionFalse, v1alpha1.ReasonNameTaken)
	mailed := w.user("mailed")
	mailed.Spec.Announce = true
	w.create(mailed)
	refused(mailed, "This server sends no mail.")
}
