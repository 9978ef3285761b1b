package render_test

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/pkg/boot"
)

// pods returns all pod templates, by kind and name.
func pods(t testing.TB, server *v1alpha1.ChatServer) map[string]corev1.PodTemplateSpec {
	t.Helper()
	result := map[string]corev1.PodTemplateSpec{}
	for _, object := range all(t, server, inputsOf(server)) {
		u := unstructured.Unstructured{Object: fields(t, object)}
		switch u.GetKind() {
		case "Deployment", "StatefulSet", "Job":
			result[u.GetKind()+" "+u.GetName()] = into[corev1.PodTemplateSpec](t, at(t, u.Object, "spec", "template"))
		}
	}
	if len(result) < 4 {
		t.Fatalf("there are pods of %v alone", slices.Collect(maps.Keys(result)))
	}
	return result
}

func containers(template corev1.PodTemplateSpec) []corev1.Container {
	return slices.Concat(template.Spec.InitContainers, template.Spec.Containers)
}

// All pods meet Pod Security's restricted level, and further restrictions.
func TestRestricted(t *testing.T) {
	t.Parallel()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, name := range cases(t) {
		if name == "patched" {
			continue // what users add is theirs
		}
		for what, template := range pods(t, load(t, name)) {
			for _, result := range evaluator.EvaluatePod(level, &template.ObjectMeta, &template.Spec) {
				if !result.Allowed {
					t.Errorf("%s: %s: %s: %s", name, what, result.ForbiddenReason, result.ForbiddenDetail)
				}
			}
			if token := template.Spec.AutomountServiceAccountToken; token == nil || *token {
				t.Errorf("%s: %s has a token", name, what)
			}
			if links := template.Spec.EnableServiceLinks; links == nil || *links {
				t.Errorf("%s: %s has a variable for each Service", name, what)
			}
			ours := strings.HasPrefix(what, "Deployment") || strings.HasPrefix(what, "Job")
			if user := template.Spec.SecurityContext.RunAsUser; ours == (user != nil) {
				t.Errorf("%s: %s runs as %v", name, what, user)
			}
			for _, c := range containers(template) {
				if c.SecurityContext.ReadOnlyRootFilesystem == nil || !*c.SecurityContext.ReadOnlyRootFilesystem {
					t.Errorf("%s: %s can write to its root", name, what)
				}
			}
		}
	}
}

// Each volume is mounted, and each mount and each file in a variable belongs to a volume.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, name := range cases(t) {
		for what, template := range pods(t, load(t, name)) {
			volumes := map[string]bool{}
			for _, v := range template.Spec.Volumes {
				volumes[v.Name] = false
			}
			for _, c := range containers(template) {
				places := map[string]bool{}
				for _, m := range c.VolumeMounts {
					if _, ok := volumes[m.Name]; !ok && m.Name != "data" {
						t.Errorf("%s: %s mounts %s, which isn't there", name, what, m.Name)
					}
					volumes[m.Name], places[m.MountPath] = true, true
				}
				for _, e := range c.Env {
					if strings.HasPrefix(e.Value, "/etc/") && !places[path.Dir(e.Value)] || e.Name == "TMPDIR" && !places[e.Value] {
						t.Errorf("%s: %s has no %s at %s", name, what, e.Name, e.Value)
					}
				}
				for _, word := range c.Command {
					if strings.HasPrefix(word, "/etc/") && !places[path.Dir(word)] {
						t.Errorf("%s: %s has no %s", name, what, word)
					}
				}
			}
			for volume, mounted := range volumes {
				if !mounted {
					t.Errorf("%s: %s has the volume %s for nothing", name, what, volume)
				}
			}
		}
	}
	postgres := pods(t, load(t, "smallest"))["StatefulSet main-postgres"].Spec.Containers[0]
	for _, needed := range []string{"/var/run/postgresql", "/tmp", "/var/lib/postgresql/data"} {
		if !slices.ContainsFunc(postgres.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == needed }) {
			t.Errorf("PostgreSQL can't write to %s", needed)
		}
	}
}

// A service reads all its variables. A setting with an unknown name would have no effect.
func TestVariablesAreRead(t *testing.T) {
	t.Parallel()
	read := map[string]bool{
		// Variables of libpq, which pgx reads.
		"PGHOST": true, "PGPORT": true, "PGDATABASE": true, "PGUSER": true, "PGPASSWORD": true, "PGSSLMODE": true, "PGSSLROOTCERT": true,
		// Variables of the admin interface in services/admin, which this module can't import.
		"ADMIN_ADDR": true, "ADMIN_TOKEN_FILE": true, "ADMIN_TLS_CERT_FILE": true, "ADMIN_TLS_KEY_FILE": true,
		// Variables for shutdown, and for the connection to Redis.
		"SHUTDOWN_DELAY": true, "REDIS_TOPOLOGY": true, "REDIS_CA_FILE": true,
		// Variables of other packages of services.
		"OUTGOING_WEBHOOK_NETWORKS": true, "WEB_ENABLED": true, "EVENT_LOG_KEEP": true, "EVENT_QUEUES_PER_ACCOUNT": true,
		"LMTP_ADDR": true, "LMTP_TLS_CERT_FILE": true, "LMTP_TLS_KEY_FILE": true, "LMTP_TLS_REQUIRED": true,
		// Variables of the Go runtime.
		"GOMEMLIMIT": true, "TMPDIR": true,
	}
	variables(reflect.TypeFor[boot.Config](), read)
	for _, name := range cases(t) {
		if name == "patched" {
			continue // it has one more
		}
		for what, template := range pods(t, load(t, name)) {
			if strings.HasPrefix(what, "StatefulSet") {
				continue
			}
			for _, c := range containers(template) {
				for _, e := range c.Env {
					if !read[e.Name] {
						t.Errorf("%s: %s is given %s, which nothing reads: boot.Config doesn't have it, and it isn't in the list above", name, what, e.Name)
					}
				}
			}
		}
	}
}

// variables collects the names in the tags of a type's fields.
func variables(of reflect.Type, into map[string]bool) {
	for i := range of.NumField() {
		field := of.Field(i)
		if tag, ok := field.Tag.Lookup("env"); ok {
			name, _, _ := strings.Cut(tag, ",")
			into[name] = true
		} else if field.Type.Kind() == reflect.Struct {
			variables(field.Type, into)
		}
	}
}

// environmentOf returns the environment of a component's container: values, and secret/key for those from Secrets.
func environmentOf(t testing.TB, server *v1alpha1.ChatServer, component render.Component) map[string]string {
	t.Helper()
	result := map[string]string{}
	for _, e := range pods(t, server)["Deployment "+server.Name+"-"+string(component)].Spec.Containers[0].Env {
		result[e.Name] = e.Value
		if e.ValueFrom != nil {
			result[e.Name] = e.ValueFrom.SecretKeyRef.Name + "/" + e.ValueFrom.SecretKeyRef.Key
		}
	}
	return result
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		component render.Component
		want      map[string]string // an empty value: it isn't given
	}{
		{"smallest", render.API, map[string]string{
			"DATABASE_URL": "", "PGSSLMODE": "disable", "PGSSLROOTCERT": "", "PGHOST": "main-postgres/host", "PGUSER": "", "REDIS_URL": "main-redis/url",
			"REDIS_TOPOLOGY": "single", "ADMIN_ADDR": ":8443", "ADMIN_TOKEN_FILE": "/etc/chatserver/admin/tokens", "ADMIN_TLS_CERT_FILE": "/etc/chatserver/admin/tls.crt",
			"ADMIN_TLS_KEY_FILE": "/etc/chatserver/admin/tls.key", "EXTERNAL_SCHEME": "http", "RATE_LIMIT_PER_USER": "", "IMAGE_PROXY": "", "GOMEMLIMIT": "483183820",
		}},
		{"smallest", render.Events, map[string]string{"ADMIN_ADDR": "", "ADMIN_TOKEN_FILE": "", "ADMIN_TLS_KEY_FILE": ""}},
		{"external", render.Webhook, map[string]string{
			"DATABASE_URL": "", "PGHOST": "postgres/host", "PGUSER": "", "PGDATABASE": "postgres/dbname", "PGPORT": "postgres/port",
			"PGPASSWORD": "", "DATABASE_SERVICE_USER": "ext-logins-a/service-user", "PGSSLMODE": "verify-full", "REDIS_TOPOLOGY": "sentinel", "EXTERNAL_SCHEME": "https",
			"PGSSLROOTCERT": "/etc/chatserver/postgres-ca/ca.crt", "REDIS_CA_FILE": "",
		}},
		{"gateway", render.API, map[string]string{"DATABASE_URL": "", "PGHOST": "main-db-app/host", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/etc/chatserver/postgres-ca/ca.crt"}},
		{"everything", render.Events, map[string]string{"DATABASE_REPLICA_URL": ""}},
		{"everything", render.API, map[string]string{
			"DATABASE_REPLICA_URL": "postgres-replica/uri",
			"PGSSLMODE":            "verify-ca", "REDIS_TOPOLOGY": "cluster", "REDIS_CA_FILE": "/etc/chatserver/redis-ca/ca.crt", "LOG_LEVEL": "debug",
			"RATE_LIMIT_PER_USER": "100/60s", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.monitoring:4318",
			"EXTERNAL_HOST": "chat.corp.example:8443", "GOMEMLIMIT": "283115520",
		}},
		{"everything", render.API, map[string]string{
			"SMTP_URL": "smtps://smtp.corp.example:465", "SMTP_USER": "smtp/user", "SMTP_PASSWORD": "smtp/password", "MAIL_FROM": "chat@corp.example",
			"FILES_S3_ACCESS_KEY": "s3/access-key", "FILES_S3_SECRET_KEY": "s3/secret-key", "FILES_S3_CA_FILE": "/etc/chatserver/files-ca/ca.crt", "TMPDIR": "/tmp",
			"UPLOAD_QUOTA": "10737418240", "IDENTITY_PROVIDERS_FILE": "/etc/chatserver/providers/providers.json", "IMAGE_PROXY_MAX_BYTES": "5242880",
			"WEB_PUSH_SECRET_KEY": "vapid/private", "WEB_PUSH_CONTENT": "false", "WEB_PUSH_NETWORKS": "10.1.0.0/16,10.2.0.0/16",
			"ORGANIZATION_SIGNUP": "true", "OUTGOING_WEBHOOK_NETWORKS": "10.1.0.0/16,fd00:1::/32", "EVENT_LOG_KEEP": "12h0m0s", "RATE_LIMIT_MAIL_TO": "10/24h",
		}},
		// Components don't get secrets that they don't need.
		{"everything", render.Events, map[string]string{
			"SMTP_URL": "smtps://smtp.corp.example:465", "SMTP_USER": "", "SMTP_PASSWORD": "", "FILES_S3_ENDPOINT": "https://s3.corp.example:9000",
			"FILES_S3_BUCKET": "chat", "FILES_S3_ACCESS_KEY": "", "FILES_S3_SECRET_KEY": "", "FILES_S3_CA_FILE": "", "TMPDIR": "",
			"IDENTITY_PROVIDERS_FILE": "/etc/chatserver/providers/providers.json", "MAIL_IN": "*@in.chat.corp.example", "LMTP_ADDR": "", "WEB_PUSH_SECRET_KEY": "",
		}},
		{"everything", render.Webhook, map[string]string{ // mail that comes in has files
			"SMTP_USER": "", "FILES_S3_ACCESS_KEY": "s3/access-key", "FILES_S3_CA_FILE": "/etc/chatserver/files-ca/ca.crt", "TMPDIR": "/tmp",
			"MAIL_IN": "*@in.chat.corp.example", "LMTP_ADDR": ":2424", "RATE_LIMIT_MAIL_IN": "100/1h",
			"LMTP_TLS_CERT_FILE": "/etc/chatserver/mail/tls.crt", "LMTP_TLS_KEY_FILE": "/etc/chatserver/mail/tls.key", "LMTP_TLS_REQUIRED": "true",
		}},
		{"bucket", render.Webhook, map[string]string{"FILES_S3_ACCESS_KEY": "", "TMPDIR": "", "MAIL_IN": "", "LMTP_ADDR": ""}},
		{"bucket", render.API, map[string]string{"SMTP_URL": "smtp://relay.mail.svc:25?tls=none", "FILES_S3_ACCESS_KEY": "", "FILES_S3_PATH_STYLE": "", "TMPDIR": "/tmp"}},
		{"folder", render.API, map[string]string{
			"WEB_PUSH_SECRET_KEY": "main-web-push/private-key", "WEB_PUSH_CONTENT": "", "WEB_PUSH_NETWORKS": "",
			"SMTP_URL": "smtp://[fd00::25]:587", "FILES_DIR": "/var/lib/chatserver/files", "TMPDIR": "",
		}},
		{"folder", render.Events, map[string]string{"FILES_DIR": "/var/lib/chatserver/files"}}, // said, not mounted
		{"smallest", render.API, map[string]string{"SMTP_URL": "", "FILES_DIR": "", "IDENTITY_PROVIDERS_FILE": "", "ORGANIZATION_SIGNUP": "", "TMPDIR": ""}},
		{"everything", render.Events, map[string]string{"GOMEMLIMIT": ""}}, // no limit, so none for the collector
	} {
		got := environmentOf(t, load(t, c.name), c.component)
		for variable, want := range c.want {
			if got[variable] != want {
				t.Errorf("%s: %s has %s=%q, not %q", c.name, c.component, variable, got[variable], want)
			}
		}
	}
}

// No memory limit, however unusual, results in a GOMEMLIMIT that the runtime can't read or that makes it collect
// garbage all the time.
func TestOddLimitsOfMemory(t *testing.T) {
	t.Parallel()
	for limit, want := range map[string]string{"0": "", "9E": "", "1Ki": "921", "-100": "", "1500m": "1"} {
		server := parse(t, `{metadata: {name: main}, spec: {api: {resources: {limits: {memory: "`+limit+`"}}}}}`)
		if got := environmentOf(t, server, render.API)["GOMEMLIMIT"]; got != want {
			t.Errorf("%s: %q", limit, got)
		}
	}
}

// Only pods of api have the volume and secrets for files, and the migration has no secrets of settings.
func TestVolumesOfSettings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"everything/Deployment big-api":       "admin files-ca postgres-ca providers redis-ca tmp",
		"everything/Deployment big-events":    "postgres-ca providers redis-ca",
		"everything/Job big-migrate-7d793037": "postgres-ca redis-ca",
		"bucket/Deployment main-api":          "admin tmp",
		"folder/Deployment main-api":          "admin files tmp",
		"folder/Deployment main-events":       "",
		"smallest/Deployment main-api":        "admin tmp", // exports pack archives
	} {
		server, pod, _ := strings.Cut(name, "/")
		template := pods(t, load(t, server))[pod]
		volumes := []string{}
		for _, v := range template.Spec.Volumes {
			volumes = append(volumes, v.Name)
			if v.Name == "tmp" && (v.EmptyDir == nil || v.EmptyDir.SizeLimit == nil) {
				t.Errorf("%s has a temporary volume without a limit", name)
			}
		}
		slices.Sort(volumes)
		if got := strings.Join(volumes, " "); got != want {
			t.Errorf("%s has the volumes %q, not %q", name, got, want)
		}
		group := template.Spec.SecurityContext.FSGroup
		if wanted := slices.Contains(volumes, "files"); wanted != (group != nil) {
			t.Errorf("%s: the group of its volumes is %v", name, group)
		}
	}
	server := load(t, "folder")
	server.Spec.Files.Folder.FSGroup = new(int64)
	if group := pods(t, server)["Deployment main-api"].Spec.SecurityContext.FSGroup; group != nil {
		t.Errorf("the group is %d, though the spec leaves it to the cluster", *group)
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	images := map[string]string{}
	for what, template := range pods(t, load(t, "everything")) {
		images[what] = template.Spec.Containers[0].Image
	}
	want := map[string]string{
		"Deployment big-api": "registry.corp.example/chat/api:1.4.2-rc.1",
		"Deployment big-events": "registry.corp.example/chat/events:1.4.2-rc.1@sha256:" +
			"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"Deployment big-webhook":   "registry.corp.example/chat/webhook:1.4.2-rc.1",
		"Job big-migrate-7d793037": "registry.corp.example/chat/api:1.4.2-rc.1",
	}
	if !maps.Equal(images, want) {
		t.Errorf("%v", images)
	}
}

// Pods wait for others to become ready, and aren't restarted for them.
func TestOnlyReadinessDependsOnOthers(t *testing.T) {
	t.Parallel()
	for what, template := range pods(t, load(t, "external")) {
		if !strings.HasPrefix(what, "Deployment") {
			continue
		}
		c := template.Spec.Containers[0]
		if startup, live, ready := c.StartupProbe.HTTPGet.Path, c.LivenessProbe.HTTPGet.Path, c.ReadinessProbe.HTTPGet.Path; startup != "/healthz" || live != "/healthz" || ready != "/readyz" {
			t.Errorf("%s: the probes of start, life and readiness ask %s, %s and %s", what, startup, live, ready)
		}
	}
}

// A change of an object in a podTemplate, or of a Secret that one service reads, replaces only the pods of that service.
func TestHashesAreByService(t *testing.T) {
	t.Parallel()
	server := load(t, "smallest")
	annotation := func(in inputs.Inputs, component string) string {
		object := found(t, all(t, server, in), "Deployment", "main-"+component)
		return into[appsv1.Deployment](t, object).Spec.Template.Annotations["chatserver.dev/inputs"]
	}
	before := inputsOf(server)
	api, events := annotation(before, "api"), annotation(before, "events")
	seen := []string{api}
	for what, change := range map[string]func(*inputs.Inputs){
		"an object in a podTemplate": func(in *inputs.Inputs) { in.Templates = map[string]string{"api": "1"} },
		"a Secret of its own":        func(in *inputs.Inputs) { in.Own = map[string]string{"api": "2"} },
	} {
		after := inputsOf(server)
		change(&after)
		if got := annotation(after, "api"); slices.Contains(seen, got) || annotation(after, "events") != events {
			t.Errorf("with %s: api %s, events %s; before %s and %s", what, got, annotation(after, "events"), api, events)
		} else {
			seen = append(seen, got)
		}
	}
}

// A full Redis refuses writes, and isn't killed: half of its memory is for data.
func TestTrialRedisHasRoomForARewrite(t *testing.T) {
	t.Parallel()
	server := load(t, "smallest")
	set := into[appsv1.StatefulSet](t, found(t, all(t, server, inputsOf(server)), "StatefulSet", "main-redis"))
	container := set.Spec.Template.Spec.Containers[0]
	i := slices.Index(container.Args, "--maxmemory")
	if i < 0 || container.Args[i+1] != strconv.FormatInt(container.Resources.Limits.Memory().Value()/2, 10) || !slices.Contains(container.Args, "noeviction") {
		t.Errorf("limit %s, arguments %v", container.Resources.Limits.Memory(), container.Args)
	}
}

// The Service's port leads to the port at which pods serve the admin interface over TLS.
func TestAdmin(t *testing.T) {
	t.Parallel()
	server := load(t, "smallest")
	in := inputsOf(server)
	pod := into[appsv1.Deployment](t, fields(t, workload(t, server, in, render.API))).Spec.Template.Spec
	files := []string(nil)
	for _, v := range pod.Volumes {
		if v.Secret != nil && v.Secret.SecretName == "main-admin" {
			for _, item := range v.Secret.Items {
				files = append(files, item.Path)
			}
		}
	}
	if !slices.Equal(files, []string{"tokens", "tls.crt", "tls.key"}) {
		t.Errorf("files %v", files)
	}
	service := into[corev1.Service](t, found(t, all(t, server, in), "Service", "main-admin")).Spec
	if len(service.Ports) != 1 || service.Ports[0].Port != render.AdminPort {
		t.Fatalf("ports %+v", service.Ports)
	}
	if !slices.ContainsFunc(pod.Containers[0].Ports, func(own corev1.ContainerPort) bool {
		return own.Name == service.Ports[0].TargetPort.StrVal && own.ContainerPort == render.AdminPort
	}) {
		t.Errorf("the Service leads to port %s, pods have %+v", service.Ports[0].TargetPort.StrVal, pod.Containers[0].Ports)
	}
}
