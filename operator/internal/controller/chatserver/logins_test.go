package chatserver_test

import (
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// from returns the Secrets from which a container reads variables, each with its keys, and the literal variables.
func from(container corev1.Container) (secrets map[string][]string, literal map[string]string) {
	secrets, literal = map[string][]string{}, map[string]string{}
	for _, variable := range container.Env {
		if source := variable.ValueFrom; source != nil {
			secrets[source.SecretKeyRef.Name] = append(secrets[source.SecretKeyRef.Name], source.SecretKeyRef.Key)
			continue
		}
		literal[variable.Name] = variable.Value
	}
	return secrets, literal
}

// loginsOf returns the Secret of the operator's with a service's login, or an empty text.
func (w *world) loginsOf(component string) string {
	w.t.Helper()
	secrets, _ := from(w.deployment(component).Spec.Template.Spec.Containers[0])
	for name := range secrets {
		if strings.Contains(name, "logins") {
			return name
		}
	}
	return ""
}

func (w *world) logins() v1alpha1.DatabaseLoginsStatus {
	w.t.Helper()
	if logins := w.server().Status.DatabaseLogins; logins != nil {
		return *logins
	}
	return v1alpha1.DatabaseLoginsStatus{}
}

// waiting returns the Job that hasn't ended, or nil if there is none.
func (w *world) waiting() *batchv1.Job {
	w.t.Helper()
	jobs := &batchv1.JobList{}
	if err := w.List(w.t.Context(), jobs, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	for i := range jobs.Items {
		if job := &jobs.Items[i]; len(job.Status.Conditions) == 0 && job.DeletionTimestamp == nil {
			return job
		}
	}
	return nil
}

// The Secret of a bot isn't used as one of the server's own, even if the bot's spec sets their name and labels: the two
// controllers would overwrite each other's contents without end.
func TestASecretOfABotIsNotTheServers(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	secret := &corev1.Secret{ObjectMeta: w.meta("main-logins-b"), StringData: map[string]string{"api-key": "k"}}
	secret.Labels = map[string]string{v1alpha1.LabelManagedBy: v1alpha1.Manager, v1alpha1.LabelInstance: "main"}
	secret.Annotations = map[string]string{v1alpha1.AnnotationCredentialsOf: "Bot/thief"}
	w.create(secret)
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Database.Logins = &v1alpha1.DatabaseLogins{RotationToken: "2"} })
	w.until("it is refused", func() bool { return w.ready(v1alpha1.ReasonSecretNotOurs) })
	w.get("main-logins-b", secret)
	if len(secret.Data) != 1 {
		t.Errorf("it has %d keys now", len(secret.Data))
	}
	if err := w.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("the logins are replaced", func() bool { return w.ready(v1alpha1.ReasonServing) && w.loginsOf("api") == "main-logins-b" })
}

// Only the migration has the owner's password.
func TestServicesHaveLoginsOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	address := &corev1.Secret{}
	w.get("main-database-address", address)
	if got := string(address.Data["url"]); got != "postgres://db.test:6432/chat" {
		t.Errorf("the address is %s", got)
	}
	logins := []string{"service-user", "service-password", "everywhere-user", "everywhere-password"}
	for _, component := range []string{"api", "events", "webhook"} {
		secrets, _ := from(w.deployment(component).Spec.Template.Spec.Containers[0])
		if len(secrets["db"]) > 0 || !slices.Equal(secrets["main-database-address"], []string{"url"}) || !slices.Equal(secrets["main-logins-a"], logins) {
			t.Errorf("%s reads %v", component, secrets)
		}
	}
	job := w.job().Spec.Template.Spec
	for _, container := range append(job.InitContainers, job.Containers...) {
		if secrets, _ := from(container); !slices.Equal(secrets["db"], []string{"url"}) || !slices.Equal(secrets["main-logins-a"], logins) {
			t.Errorf("container %s of the Job reads %v", container.Name, secrets)
		}
	}
	secret := &corev1.Secret{}
	w.get("main-logins-a", secret)
	if got := w.logins(); got.SecretName != "main-logins-a" || len(got.FormerUsers) > 0 ||
		!slices.Equal(got.Users, []string{string(secret.Data["service-user"]), string(secret.Data["everywhere-user"])}) {
		t.Errorf("status %+v", got)
	}

	// Another address is another database, which must have the logins before pods connect to it.
	w.held["jobs"] = true
	db, before := &corev1.Secret{}, w.deployment("api").Generation
	w.get("db", db)
	db.Data["url"] = []byte("host=other.test port=5433 user=u password='it\\'s p' dbname=chat")
	if err := w.Update(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	w.until("a migration looks at it", func() bool { return w.waiting() != nil })
	if w.deployment("api").Generation != before {
		t.Error("pods went there first")
	}
	delete(w.held, "jobs")
	w.until("pods follow", func() bool { return w.deployment("webhook").Generation != before && w.ready(v1alpha1.ReasonServing) })
	if w.get("main-database-address", address); string(address.Data["url"]) != "host=other.test port=5433 dbname=chat" {
		t.Errorf("the address is %s", address.Data["url"])
	}
}

// New logins are created, then pods get them, then the former ones are locked. Further rotations alternate between two
// names.
func TestLoginsAreReplacedWithoutAGap(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	for _, turn := range []struct{ token, before, after string }{{"1", "main-logins-a", "main-logins-b"}, {"2", "main-logins-b", "main-logins-a"}} {
		former := w.logins().Users
		w.held["jobs"] = true
		w.change(func(s *v1alpha1.ChatServer) {
			s.Spec.Database.Logins = &v1alpha1.DatabaseLogins{RotationToken: turn.token}
		})
		w.until("a migration makes others", func() bool { return w.waiting() != nil })
		secrets, literal := from(w.waiting().Spec.Template.Spec.Containers[0])
		if len(secrets[turn.after]) != 4 || literal["DATABASE_FORMER_USERS"] != "" {
			t.Errorf("it reads %v and locks %s", secrets, literal["DATABASE_FORMER_USERS"])
		}
		if w.loginsOf("api") != turn.before || !w.exists(turn.before, &corev1.Secret{}) {
			t.Error("pods can't start with the logins before")
		}
		// A terminating pod still uses the previous logins.
		ending := "ending-" + turn.token
		w.pod(ending, podLabels("events"), corev1.ContainerStatus{Name: "events"})
		pod := &corev1.Pod{}
		w.get(ending, pod)
		pod.Finalizers = []string{"test/held"}
		if err := w.Update(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		if err := w.Delete(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		delete(w.held, "jobs")
		w.until("pods have them", func() bool { return w.loginsOf("webhook") == turn.after && w.ready(v1alpha1.ReasonServing) })
		w.held["jobs"] = true
		w.quiet()
		if got := w.logins(); got.FormerUnused || !slices.Equal(got.FormerUsers, former) || got.RotationToken == turn.token || w.waiting() != nil || !w.exists(turn.before, &corev1.Secret{}) {
			t.Errorf("status %+v", got)
		}
		w.get(ending, pod)
		pod.Finalizers = nil
		if err := w.Update(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		w.until("a migration locks the former ones", func() bool { return w.waiting() != nil })
		if secrets, literal := from(w.waiting().Spec.Template.Spec.Containers[0]); len(secrets[turn.after]) != 4 || literal["DATABASE_FORMER_USERS"] != strings.Join(former, ",") {
			t.Errorf("it reads %v and locks %s, want %v", secrets, literal["DATABASE_FORMER_USERS"], former)
		}
		if w.exists(turn.before, &corev1.Secret{}) {
			t.Error("the Secret before is still there")
		}
		delete(w.held, "jobs")
		w.until("it is done", func() bool { return w.logins().RotationToken == turn.token && w.ready(v1alpha1.ReasonServing) })
		w.quiet()
		if w.waiting() != nil || slices.Equal(w.logins().Users, former) || w.loginsOf("api") != turn.after {
			t.Errorf("status %+v", w.logins())
		}
	}
}

// After a rollback no migration runs, so new logins are created once the version of the schema is back. Until then the condition
// says so.
func TestLoginsAreReplacedAfterARollback(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	to := func(version string) {
		t.Helper()
		w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = version })
		w.until(version+" serves", func() bool { return w.ready(v1alpha1.ReasonServing) && w.server().Status.Version == version })
	}
	to("0.2.0")
	to("0.1.0")
	const advice = "set spec.version to that"
	if c := w.condition(v1alpha1.ConditionMigrationsApplied); strings.Contains(c.Message, advice) {
		t.Errorf("nobody asked for new logins: %s", c.Message)
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Database.Logins = &v1alpha1.DatabaseLogins{RotationToken: "1"} })
	w.until("it says what to do", func() bool {
		c := w.condition(v1alpha1.ConditionMigrationsApplied)
		return strings.Contains(c.Message, "version 0.2.0") && strings.Contains(c.Message, advice)
	})
	to("0.2.0")
	w.until("they are replaced", func() bool { return w.logins().RotationToken == "1" && w.loginsOf("api") == "main-logins-b" })
	w.until("it says no more", func() bool {
		return !strings.Contains(w.condition(v1alpha1.ConditionMigrationsApplied).Message, advice)
	})
}

// Logins whose Secret is lost are replaced by others, so that running pods can use theirs meanwhile.
func TestLostLoginsAreReplaced(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet() // a reconciliation that has read the Secret would write it again
	former := w.logins().Users
	if err := w.Delete(t.Context(), &corev1.Secret{ObjectMeta: w.meta("main-logins-a")}); err != nil {
		t.Fatal(err)
	}
	w.until("there are others, and the lost ones are locked", func() bool {
		got := w.logins()
		return w.ready(v1alpha1.ReasonServing) && got.FormerUnused && w.loginsOf("api") == "main-logins-b" && w.loginsOf("webhook") == "main-logins-b"
	})
	w.quiet()
	if got := w.logins(); !slices.Equal(got.FormerUsers, former) || slices.Equal(got.Users, former) || w.waiting() != nil {
		t.Errorf("status %+v", got)
	}
	if c := w.condition(v1alpha1.ConditionDriftRepaired); !strings.Contains(c.Message, "Secret main-logins-a was deleted") || w.reasons()[v1alpha1.ReasonDriftRepaired] != 1 {
		t.Errorf("DriftRepaired is %+v, events are %v", c, w.reasons())
	}
}

// Logins that users manage are used unchanged, and never locked.
func TestLoginsOfPeople(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.Database.Logins = &v1alpha1.DatabaseLogins{SecretName: "mine"}
	w.create(server)
	w.until("the Secret is missed", func() bool { return w.ready(v1alpha1.ReasonSecretNotFound) })
	if c := w.condition(v1alpha1.ConditionDependenciesReady); !strings.Contains(c.Message, "Secret mine not found") {
		t.Errorf("the message is %q", c.Message)
	}
	mine := &corev1.Secret{ObjectMeta: w.meta("mine"), StringData: map[string]string{"service-user": "s", "service-password": "1", "everywhere-user": "e"}}
	w.create(mine)
	w.until("a key is missed", func() bool { return w.ready(v1alpha1.ReasonSecretKeyMissing) })
	mine.StringData = map[string]string{"everywhere-password": "2"}
	if err := w.Update(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	if w.loginsOf("api") != "" || w.exists("main-logins-a", &corev1.Secret{}) {
		t.Error("the operator made logins")
	}
	if secrets, _ := from(w.deployment("api").Spec.Template.Spec.Containers[0]); len(secrets["mine"]) != 4 || len(secrets["db"]) > 0 {
		t.Errorf("api reads %v", secrets)
	}
	w.create(&corev1.Secret{ObjectMeta: w.meta("other"), StringData: map[string]string{
		"service-user": "s2", "service-password": "1", "everywhere-user": "e2", "everywhere-password": "2",
	}})
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Database.Logins.SecretName = "other" })
	w.until("pods have the others", func() bool {
		secrets, _ := from(w.deployment("webhook").Spec.Template.Spec.Containers[0])
		return len(secrets["other"]) == 4 && w.ready(v1alpha1.ReasonServing)
	})
	w.quiet()
	if got := w.logins(); len(got.FormerUsers) > 0 || !slices.Equal(got.Users, []string{"s2", "e2"}) {
		t.Errorf("status %+v", got)
	}
}
