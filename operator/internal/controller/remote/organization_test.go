package remote_test

import (
	"encoding/json"
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
	w.waitReady(eng)
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
	touch(w, eng)
	w.waitForEvent(eng, v1alpha1.ReasonDriftRepaired)
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
	w.waitReady(eng)
	if state, err = w.admin.Organization(t.Context(), w.key(eng)); err != nil || !state.Suspended {
		t.Errorf("%v, %+v", err, state)
	}
}

// Each field sets what it is named after in the server, and lists are the whole lists.
func TestSettingsOfAnOrganization(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	text := `{"join": {"inviteRequired": false, "invitedBy": "Administrators", "restrictedToDomains": true, "disposableAddresses": true, "waitingPeriodDays": 3, "welcomeMail": false},
		"limits": {"uploadQuota": "1Gi"},
		"permissions": {"createStreams": "FullMembers", "inviteToStreams": "Administrators", "createBots": "WebhooksOnly", "editUserGroups": "Administrators",
			"addEmoji": "Administrators", "seeAddresses": "Administrators", "privateMessages": false, "changeNames": false, "changeAddresses": false, "changeAvatars": true},
		"messages": {"editing": false, "editLimitSeconds": 0, "deleting": true, "deleteLimitSeconds": 60, "editingTopicsOfOthers": false, "editHistory": false,
			"topicsRequired": true, "imagePreviews": false},
		"defaults": {"language": "de", "twentyFourHourTime": true},
		"mail": {"messageContent": false, "digests": true, "digestDay": "Sunday"},
		"domains": [{"domain": "corp.example", "allowSubdomains": true}],
		"linkifiers": [{"pattern": "#(?P<id>[0-9]+)", "urlFormat": "https://tracker.example/%(id)s"}],
		"settings": {"create_stream_policy": 2, "third_party_avatars": true}}`
	if err := json.Unmarshal([]byte(text), &eng.Spec); err != nil {
		t.Fatal(err)
	}
	w.create(eng)
	w.waitReady(eng)
	want := map[string]any{
		"invite_required": false, "invite_by_admins_only": true, "emails_restricted_to_domains": true, "disallow_disposable_email_addresses": false,
		"waiting_period_threshold": 3.0, "send_welcome_emails": false, "upload_quota": float64(1 << 30),
		"create_stream_policy": 3.0, "invite_to_stream_policy": 2.0, "bot_creation_policy": 2.0, "user_group_edit_policy": 2.0, "add_emoji_by_admins_only": true,
		"email_address_visibility": 3.0, "private_message_policy": 2.0, "name_changes_disabled": true, "email_changes_disabled": true,
		"avatar_changes_disabled": false, "allow_message_editing": false, "message_content_edit_limit_seconds": 0.0, "allow_message_deleting": true,
		"message_content_delete_limit_seconds": 60.0, "allow_community_topic_editing": false, "allow_edit_history": false, "mandatory_topics": true,
		"inline_image_preview": false, "default_language": "de", "default_twenty_four_hour_time": true,
		"message_content_allowed_in_email_notifications": false, "digest_emails_enabled": true, "digest_weekday": 6.0, "third_party_avatars": true,
	}
	check := func() {
		t.Helper()
		state, err := w.admin.Organization(t.Context(), w.key(eng))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		for name := range want {
			got[name] = state.Settings[name]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("settings (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]adminapi.Domain{{Domain: "corp.example", AllowSubdomains: true}}, state.Domains); diff != "" {
			t.Errorf("domains (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]adminapi.Linkifier{{Pattern: "#(?P<id>[0-9]+)", URLFormat: "https://tracker.example/%(id)s"}}, state.Linkifiers); diff != "" {
			t.Errorf("linkifiers (-want +got):\n%s", diff)
		}
	}
	check()
	// What people add to a list is drift.
	_, err := w.admin.PutOrganization(t.Context(), w.key(eng), adminapi.OrganizationSpec{
		Domains: []adminapi.Domain{{Domain: "corp.example"}, {Domain: "other.example"}}, Linkifiers: []adminapi.Linkifier{},
		Settings: map[string]any{"create_stream_policy": 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	touch(w, eng)
	w.waitForEvent(eng, v1alpha1.ReasonDriftRepaired)
	check()

	// A list that is removed from the spec is no longer managed.
	change(w, eng, func(o *v1alpha1.Organization) { o.Spec.Domains, o.Spec.Linkifiers = nil, nil })
	w.waitReady(eng)
	check()
	change(w, eng, func(o *v1alpha1.Organization) {
		o.Spec.Linkifiers = []v1alpha1.OrganizationLinkifier{{Pattern: "(", URLFormat: "https://a.example/%(id)s"}}
	})
	if text := w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonRefused); !strings.Contains(text, "Invalid filter pattern") {
		t.Error(text)
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
	w.waitReady(eng)
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
	w.waitReady(eng)
	bob, err := w.admin.Owners(w.key(eng)).Get(t.Context(), "bob@corp.example")
	if err != nil || bob.FullName != "Robert" {
		t.Errorf("%v, %+v", err, bob)
	}
	// Ada's Secret goes with her credentials, her key stays hers.
	err = w.client.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "ada"}, &corev1.Secret{})
	if !apierrors.IsNotFound(err) || !w.keyWorks(ada) {
		t.Errorf("%v, works: %v", err, w.keyWorks(ada))
	}
}

func TestOrganizationOfAScriptIsNotAdopted(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	made, err := w.admin.PutOrganization(t.Context(), w.namespace, adminapi.OrganizationSpec{Subdomain: new("kept" + eng.Spec.Subdomain), Name: new("Kept")})
	if err != nil {
		t.Fatal(err)
	}
	eng.Spec.Subdomain = made.State.Subdomain
	w.create(eng)
	if text := w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonNameTaken); !strings.HasSuffix(text, "Only an administrator of the server can hand it over to this namespace") {
		t.Error(text)
	}
	if diff := cmp.Diff([]string{v1alpha1.ConditionStalled}, trueConditions(eng)); diff != "" {
		t.Error(diff)
	}
	change(w, eng, func(o *v1alpha1.Organization) { o.Spec.Adopt = true })
	if text := w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonNameTaken); !strings.Contains(text, "managed under the key '"+w.namespace+"'") {
		t.Error(text)
	}
}

func TestOrganizationIsDeletedOrRetained(t *testing.T) {
	w := newWorld(t, options{})
	kept, lost := w.organization("kept"), w.organization("lost")
	lost.Spec.DeletionPolicy = v1alpha1.OrganizationDelete
	w.create(kept, lost)
	w.waitReady(kept, lost)
	id := kept.Status.ID
	w.delete(kept)
	w.delete(lost)
	w.waitGone(kept)
	w.waitGone(lost)
	if _, err := w.admin.Organization(t.Context(), w.key(kept)); err != nil {
		t.Error(err)
	}
	if state, err := w.admin.Organization(t.Context(), w.key(lost)); err == nil {
		t.Errorf("it is still there: %+v", state)
	}
	// The one that was kept is taken up again by an object of its name.
	again := w.organization("kept")
	w.create(again)
	w.waitReady(again)
	if again.Status.ID != id {
		t.Errorf("it is number %s, and was %s", again.Status.ID, id)
	}
}
