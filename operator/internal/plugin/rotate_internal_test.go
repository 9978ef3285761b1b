package plugin

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestRotateBot(t *testing.T) {
	t.Parallel()
	made := &v1alpha1.Bot{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace(t), Name: "deploy"},
		Spec: v1alpha1.BotSpec{
			OrganizationRef: v1alpha1.Reference{Name: "engineering"}, FullName: "Deploy", Credentials: v1alpha1.Credentials{SecretName: "deploy-key"},
		},
	}
	create(t, made)
	operate(t, made.DeepCopy(), func(b *v1alpha1.Bot) {
		ends := metav1.NewTime(noon.Add(24 * time.Hour))
		b.Status.Credentials = v1alpha1.CredentialsStatus{
			SecretRef: &corev1.LocalObjectReference{Name: "deploy-key"}, PreviousEnds: &ends, RotationToken: b.Spec.Credentials.RotationToken,
		}
	})
	kubectlChat(t, made.Namespace, "rotate", "bot", "deploy").
		wants(t, ExitDone, "has a new key in the Secret deploy-key", "works until 2026-11-21T12:00:00Z (24h0m0s from now)")
	if token := current(t, made).Spec.Credentials.RotationToken; token != "20261120T120000.000000000Z" {
		t.Errorf("token %q", token)
	}
}

func TestRotateServer(t *testing.T) {
	t.Parallel()
	made := server(t, nil)
	operate(t, made.DeepCopy(), func(s *v1alpha1.ChatServer) { s.Status.AdminToken.RotationToken = s.Spec.Secrets.RotationToken })
	kubectlChat(t, made.Namespace, "rotate", "server", "main").wants(t, ExitDone, "has a new key. The previous one no longer works.")
	missing := kubectlChat(t, made.Namespace, "rotate", "server", "none")
	missing.wants(t, ExitFailed, "not found")
	if strings.Contains(missing.err, "note:") {
		t.Errorf("a note on what doesn't happen:\n%s", missing.err)
	}
}

func TestRotateLogins(t *testing.T) {
	t.Parallel()
	made := server(t, nil)
	operate(t, made.DeepCopy(), func(s *v1alpha1.ChatServer) {
		if logins := s.Spec.Database.Logins; logins != nil {
			s.Status.DatabaseLogins = &v1alpha1.DatabaseLoginsStatus{
				SecretName: "main-logins-b", RotationToken: logins.RotationToken,
			}
		}
	})
	kubectlChat(t, made.Namespace, "rotate", "logins", "main").
		wants(t, ExitDone, "has a new key in the Secret main-logins-b. The previous one no longer works.")
}

// Without the refusal, it would wait for a migration that doesn't come.
func TestRotateLoginsAfterARollback(t *testing.T) {
	t.Parallel()
	made := server(t, nil)
	made.Status.Schema = &v1alpha1.SchemaStatus{ServerVersion: "99.0.0"}
	setStatus(t, made)
	kubectlChat(t, made.Namespace, "rotate", "logins", "main").wants(t, ExitFailed, "was rolled back", "set spec.version to 99.0.0 first")
	if current(t, made).Spec.Database.Logins != nil {
		t.Error("the token is set")
	}
}

func TestRotateWebhookOfSleepingServer(t *testing.T) {
	t.Parallel()
	made := &v1alpha1.IncomingWebhook{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace(t), Name: "alerts"},
		Spec: v1alpha1.IncomingWebhookSpec{
			OrganizationRef: v1alpha1.Reference{Name: "engineering"}, Integration: "alertmanager", Stream: new("alerts"),
			Credentials: v1alpha1.Credentials{SecretName: "alerts"},
		},
	}
	create(t, made)
	condition(&made.Status.Conditions, "Ready", v1alpha1.ReasonServerHibernated, "", metav1.ConditionFalse)
	setStatus(t, made)
	kubectlChat(t, made.Namespace, "rotate", "webhook", "alerts").wants(t, ExitNotYet, "its server is paused or hibernated")
	if current(t, made).Spec.Credentials.RotationToken == "" {
		t.Error("the token isn't set")
	}
}

func TestRotateOwner(t *testing.T) {
	t.Parallel()
	made := organization(t, namespace(t))
	in := made.Namespace
	kubectlChat(t, in, "rotate", "owner", "engineering").wants(t, ExitFailed, "name one of them", "ada@corp.example, o'ben@corp.example")
	kubectlChat(t, in, "rotate", "owner", "engineering", "cleo@corp.example").wants(t, ExitFailed, "cleo@corp.example isn't an owner")
	operate(t, made.DeepCopy(), func(o *v1alpha1.Organization) {
		o.Status.Owners = []v1alpha1.OrganizationOwnerStatus{
			{Email: "ada@corp.example"},
			{Email: "o'ben@corp.example", Credentials: v1alpha1.CredentialsStatus{RotationToken: o.Spec.Owners[2].Credentials.RotationToken}},
		}
	})
	kubectlChat(t, in, "rotate", "owner", "engineering", "o'ben@corp.example").wants(t, ExitDone, "Organization "+in+"/engineering has a new key")
	owners := current(t, made).Spec.Owners
	if owners[2].Credentials.RotationToken == "" || owners[1].Credentials.RotationToken != "" || owners[1].FullName != "Ada" || len(owners) != 3 {
		t.Errorf("%+v", owners)
	}
}
