package chatserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/push"
)

// provided returns a server with mail, a bucket and an identity provider, whose Secrets exist.
func (w *world) provided() *v1alpha1.ChatServer {
	w.t.Helper()
	w.create(&corev1.Secret{ObjectMeta: w.meta("smtp"), StringData: map[string]string{"username": "chat", "password": "p"}})
	w.create(&corev1.Secret{ObjectMeta: w.meta("s3"), StringData: map[string]string{"access-key": "a", "secret-key": "b"}})
	w.create(&corev1.Secret{ObjectMeta: w.meta("login"), StringData: map[string]string{"secret": "quiet"}})
	server := w.minimal()
	server.Spec.Mail = &v1alpha1.Mail{Host: "smtp.test", From: "chat@chat.test", LoginSecretRef: &v1alpha1.LoginSecret{Name: "smtp"}}
	server.Spec.Files = &v1alpha1.Files{S3: &v1alpha1.S3{Endpoint: "https://s3.test", Bucket: "chat", SecretRef: &v1alpha1.S3Secret{Name: "s3"}}}
	server.Spec.IdentityProviders = []v1alpha1.IdentityProvider{{
		Slot: "idp_1", Issuer: "https://login.test", ClientID: "chat", ClientSecretRef: &v1alpha1.SecretKey{Name: "login", Key: "secret"}, DisplayName: "Staff",
	}}
	return server
}

// says waits until a server is stalled for a reason, with a message that has some words.
func (w *world) says(reason string, words ...string) {
	w.t.Helper()
	w.until("it says "+reason, func() bool {
		c, detail := w.condition("Stalled"), w.condition(v1alpha1.ConditionDependenciesReady)
		if c.Status != "True" || c.Reason != reason || detail.Reason != reason || detail.Status != "False" || !w.ready(reason) {
			return false
		}
		for _, word := range words {
			if !strings.Contains(c.Message, word) {
				return false
			}
		}
		return true
	})
}

// A missing Secret of a setting is reported like that of a database, and running pods stay. A change of the Secret
// replaces the pods of the services that read it.
func TestSecretsOfSettings(t *testing.T) {
	w := newWorld(t)
	w.install(w.provided())
	for _, c := range []struct{ secret, key string }{{"smtp", "password"}, {"s3", "secret-key"}, {"login", "secret"}} {
		w.quiet()
		before, others := w.deployment("api").Generation, w.deployment("events").Generation
		secret := &corev1.Secret{}
		w.get(c.secret, secret)
		data := secret.Data
		if err := w.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		w.says(v1alpha1.ReasonSecretNotFound, "Secret "+c.secret, "0.1.0 is still serving")
		delete(data, c.key)
		data["other"] = []byte("x")
		w.create(&corev1.Secret{ObjectMeta: w.meta(c.secret), Data: data})
		w.says(v1alpha1.ReasonSecretKeyMissing, "Secret "+c.secret, "key "+c.key)
		if got := w.deployment("api").Generation; got != before {
			t.Errorf("%s: the Deployment was changed meanwhile", c.secret)
		}
		w.get(c.secret, secret)
		secret.Data[c.key] = []byte("another")
		if err := w.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		w.until("pods are replaced", func() bool { return w.deployment("api").Generation == before+1 && w.ready(v1alpha1.ReasonServing) })
		w.quiet()
		if w.deployment("events").Generation != others {
			t.Errorf("%s: the pods of events were replaced, too", c.secret)
		}
	}
	if got := w.repairs(); got != 0 {
		t.Errorf("%v repairs were counted", got)
	}
}

// The key for browser notifications is created once, and kept while they are disabled.
func TestKeyOfWebPush(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.WebPush = &v1alpha1.WebPush{}
	w.install(server)
	key := func() string {
		t.Helper()
		secret := &corev1.Secret{}
		w.get("main-web-push", secret)
		return string(secret.Data["private-key"])
	}
	made := key()
	if config := (push.Config{Key: made}); made == "" || config.Check() != nil {
		t.Errorf("the operator made %q", made)
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.WebPush = nil })
	w.until("it serves without", func() bool {
		return w.ready(v1alpha1.ReasonServing) && !strings.Contains(fmt.Sprint(w.deployment("api").Spec.Template.Spec.Containers[0].Env), "WEB_PUSH")
	})
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.WebPush = &v1alpha1.WebPush{Content: v1alpha1.Disabled} })
	w.until("it serves with it again", func() bool {
		return w.ready(v1alpha1.ReasonServing) && strings.Contains(fmt.Sprint(w.deployment("api").Spec.Template.Spec.Containers[0].Env), "WEB_PUSH_CONTENT")
	})
	if again := key(); again != made {
		t.Error("there is another key")
	}
}

// Services read identity providers from a Secret, which is restored after changes by others, and deleted with the last
// provider.
func TestProvidersAreInASecret(t *testing.T) {
	w := newWorld(t)
	w.install(w.provided())
	file := func() []provider.Provider {
		t.Helper()
		secret := &corev1.Secret{}
		w.get("main-providers", secret)
		path := filepath.Join(t.TempDir(), "providers.json")
		if err := os.WriteFile(path, secret.Data["providers.json"], 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := provider.Config{File: path}.Load()
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := file(); len(all) != 1 || all[0].Slot != "idp_1" || all[0].ClientSecret != "quiet" || all[0].DisplayName != "Staff" {
		t.Errorf("services read %+v", all)
	}
	secret := &corev1.Secret{}
	w.get("main-providers", secret)
	if public := string(secret.Data["providers-public.json"]); !strings.Contains(public, "Staff") || strings.Contains(public, "quiet") {
		t.Errorf("services other than api read %s", public)
	}
	secret.Data["providers.json"] = []byte("{}")
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("it is written again", func() bool {
		w.get("main-providers", secret)
		return len(secret.Data["providers.json"]) > 2
	})
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.IdentityProviders[0].Roles, s.Spec.IdentityProviders[0].GroupsClaim = map[string]v1alpha1.Role{"a": v1alpha1.RoleOwner}, "groups"
	})
	w.until("it serves with roles", func() bool { return w.ready(v1alpha1.ReasonServing) && len(file()[0].Roles) == 1 })
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.IdentityProviders = nil })
	w.until("the Secret is gone", func() bool { return w.ready(v1alpha1.ReasonServing) && !w.exists("main-providers", &corev1.Secret{}) })
	for _, v := range w.deployment("events").Spec.Template.Spec.Volumes {
		if v.Name == "providers" {
			t.Error("pods still mount it")
		}
	}
	// A Secret that the operator doesn't own isn't changed.
	w.create(&corev1.Secret{ObjectMeta: w.meta("main-providers"), StringData: map[string]string{"mine": "x"}})
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.IdentityProviders = []v1alpha1.IdentityProvider{{Slot: "idp_2", Issuer: "https://login.test", ClientID: "chat", DisplayName: "Staff"}}
	})
	w.until("it says so", func() bool { return w.ready(v1alpha1.ReasonSecretNotOurs) })
	if w.get("main-providers", secret); string(secret.Data["mine"]) != "x" || len(secret.Data) != 1 {
		t.Errorf("the Secret was changed: %v", secret.Data)
	}
}

// A volume that pods on several nodes can't mount at the same time is refused before a pod waits for it.
func TestAVolumeForFilesIsShared(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.Files = &v1alpha1.Files{Folder: &v1alpha1.FilesFolder{ClaimName: "files"}}
	w.create(server)
	w.says(v1alpha1.ReasonClaimNotFound, "PersistentVolumeClaim files")
	claim := func(mode corev1.PersistentVolumeAccessMode) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{ObjectMeta: w.meta("files"), Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{mode},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		}}
	}
	w.create(claim(corev1.ReadWriteOnce))
	w.says(v1alpha1.ReasonClaimNotShared, "PersistentVolumeClaim files", "ReadWriteMany", "spec.api.replicas")
	w.change(func(s *v1alpha1.ChatServer) {
		one := int32(1)
		s.Spec.API.Replicas = &one
	})
	w.until("one pod may have it", func() bool { return w.ready(v1alpha1.ReasonServing) })
	// During a rollout there are two pods, of which the new one has to be where the volume is.
	if a := w.deployment("api").Spec.Template.Spec.Affinity; a == nil || a.PodAffinity == nil || len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) != 1 {
		t.Errorf("a new pod is placed by %v", a)
	}
	if a := w.deployment("webhook").Spec.Template.Spec.Affinity; a != nil {
		t.Errorf("a new pod of webhook is placed by %v", a)
	}
	alone := claim(corev1.ReadWriteOncePod)
	alone.Name = "alone"
	w.create(alone)
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Files.Folder.ClaimName = "alone" })
	w.until("one pod at a time has it", func() bool {
		spec := w.deployment("api").Spec
		return spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType && spec.Template.Spec.Affinity == nil && w.ready(v1alpha1.ReasonServing)
	})
	if s := w.deployment("webhook").Spec.Strategy.Type; s != appsv1.RollingUpdateDeploymentStrategyType {
		t.Errorf("webhook is replaced by %s", s)
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Files.Folder.ClaimName = "files" })
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.API.Autoscaling = &v1alpha1.Autoscaling{MinReplicas: 1, MaxReplicas: 3}
	})
	w.says(v1alpha1.ReasonClaimNotShared, "remove spec.api.autoscaling", "0.1.0 is still serving")
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.API.Autoscaling, s.Spec.MailIn = nil, &v1alpha1.MailIn{Addresses: "*@in.chat.test", FromNetworks: []string{"10.1.0.0/16"}}
	})
	w.says(v1alpha1.ReasonClaimNotShared, "webhook needs it", "remove spec.mailIn")
	old := &corev1.PersistentVolumeClaim{}
	w.get("files", old)
	old.Finalizers = nil // of the controller that protects it, which doesn't run here
	if err := w.Update(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if err := w.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	w.create(claim(corev1.ReadWriteMany))
	w.until("several pods may have this one", func() bool { return w.ready(v1alpha1.ReasonServing) })
	if spec := w.deployment("api").Spec; spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType || spec.Template.Spec.Affinity != nil {
		t.Errorf("pods are replaced by %s and placed by %v", spec.Strategy.Type, spec.Template.Spec.Affinity)
	}
}

// Settings that a server doesn't use leave its objects unchanged, so an upgrade of the operator replaces no pods.
func TestSettingsThatArentThere(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	template := w.deployment("api").Spec.Template
	for _, v := range template.Spec.Containers[0].Env {
		for _, prefix := range []string{"SMTP_", "MAIL_", "FILES_", "IDENTITY_", "ORGANIZATION_", "OUTGOING_", "UPLOAD_", "TMPDIR"} {
			if strings.HasPrefix(v.Name, prefix) {
				t.Errorf("pods have %s=%s", v.Name, v.Value)
			}
		}
	}
	if w.exists("main-providers", &corev1.Secret{}) {
		t.Error("there is a Secret with providers")
	}
}
