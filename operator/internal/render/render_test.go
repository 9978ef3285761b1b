package render_test

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/pkg/testbed"
)

// Golden files show a server's objects, and changes that would replace pods.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range cases(t) {
		server := load(t, name)
		got := encode(t, all(t, server, inputsOf(server)))
		testbed.Golden(t, name+".golden.yaml", got)
		defaulted := stored(t, server)
		if diff := cmp.Diff(string(got), string(encode(t, all(t, defaulted, inputsOf(defaulted))))); diff != "" {
			t.Errorf("%s: the schema's defaults (+) aren't those of rendering (-):\n%s", name, diff)
		}
	}
}

func TestRenderingIsPure(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short")
	}
	t.Parallel()
	for _, name := range cases(t) {
		server := stored(t, load(t, name))
		in := inputsOf(server)
		server.Spec.Monitoring.Labels = map[string]string{"release": "prometheus"}
		before, inBefore := server.DeepCopy(), inputsOf(server)
		objects := all(t, server, in)
		first := encode(t, objects)
		if !bytes.Equal(first, encode(t, all(t, server, in))) {
			t.Errorf("%s is rendered in two ways", name)
		}
		for _, object := range objects {
			spoil(reflect.ValueOf(object), map[uintptr]bool{})
		}
		if !reflect.DeepEqual(before, server) || !reflect.DeepEqual(inBefore, in) {
			t.Errorf("%s: rendered objects share memory with what they were rendered from:\n%s", name, cmp.Diff(before, server))
		}
		if !bytes.Equal(first, encode(t, all(t, server, in))) {
			t.Errorf("%s: rendered objects share memory with those rendered later", name)
		}
	}
}

// spoil changes all reachable maps and slices.
func spoil(v reflect.Value, seen map[uintptr]bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || (v.Kind() == reflect.Pointer && seen[v.Pointer()]) {
			return
		}
		if v.Kind() == reflect.Pointer {
			seen[v.Pointer()] = true
		}
		spoil(v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoil(v.Field(i), seen)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), seen)
			if v.Index(i).CanSet() && v.Index(i).Kind() == reflect.String {
				v.Index(i).SetString("spoilt")
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			spoil(v.MapIndex(key), seen)
			v.SetMapIndex(key, reflect.Zero(v.Type().Elem()))
		}
	default:
		if v.CanSet() && v.Kind() == reflect.String {
			v.SetString("spoilt")
		}
	}
}

// Every object has the labels, the owner, and a namespace.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, name := range cases(t) {
		server := load(t, name)
		names := map[string]bool{}
		for _, object := range all(t, server, inputsOf(server)) {
			u := unstructured.Unstructured{Object: fields(t, object)}
			what := u.GetKind() + " " + u.GetName()
			if names[what] {
				t.Errorf("%s: there are two of %s", name, what)
			}
			names[what] = true
			if u.GetNamespace() != server.Namespace || (u.GetName() != server.Name && !strings.HasPrefix(u.GetName(), server.Name+"-")) {
				t.Errorf("%s: %s is in namespace %q", name, what, u.GetNamespace())
			}
			for label, value := range map[string]string{
				"app.kubernetes.io/name": "chatserver", "app.kubernetes.io/instance": server.Name, "app.kubernetes.io/part-of": "chatserver",
				"app.kubernetes.io/managed-by": "chatserver-operator", "app.kubernetes.io/version": server.Spec.Version,
			} {
				if u.GetLabels()[label] != value {
					t.Errorf("%s: %s has %s: %q", name, what, label, u.GetLabels()[label])
				}
			}
			owners := u.GetOwnerReferences()
			if u.GetKind() == "Cluster" { // it holds data
				if len(owners) > 0 {
					t.Errorf("%s: %s would go with its server", name, what)
				}
				continue
			}
			if len(owners) != 1 || owners[0].UID != server.UID || owners[0].Kind != "ChatServer" || owners[0].APIVersion != "chatserver.dev/v1alpha1" {
				t.Errorf("%s: %s has the owners %v", name, what, owners)
			}
		}
	}
}

// Selectors never change, since they are immutable in an existing Deployment.
func TestSelectors(t *testing.T) {
	t.Parallel()
	server := load(t, "smallest")
	var selectors []string
	for _, object := range all(t, server, inputsOf(server)) {
		content := fields(t, object)
		u := unstructured.Unstructured{Object: content}
		labels := at(t, content, "spec", "selector")
		switch u.GetKind() {
		case "Deployment", "StatefulSet":
			labels = at(t, content, "spec", "selector", "matchLabels")
			pods := into[corev1.PodTemplateSpec](t, at(t, content, "spec", "template"))
			for label, value := range into[map[string]string](t, labels) {
				if pods.Labels[label] != value {
					t.Errorf("pods of %s lack %s", u.GetName(), label)
				}
			}
		case "Service":
		default:
			continue
		}
		line := []string{u.GetKind(), u.GetName()}
		for _, label := range []string{"name", "instance", "component"} {
			line = append(line, into[map[string]string](t, labels)["app.kubernetes.io/"+label])
		}
		if n := len(into[map[string]string](t, labels)); n != 3 {
			t.Errorf("%v has a selector of %d labels", line, n)
		}
		selectors = append(selectors, strings.Join(line, " "))
	}
	want := []string{
		"Service main-postgres chatserver main postgres", "StatefulSet main-postgres chatserver main postgres",
		"Service main-redis chatserver main redis", "StatefulSet main-redis chatserver main redis",
		"Service main-api chatserver main api", "Service main-events chatserver main events", "Service main-webhook chatserver main webhook",
		"Service main-admin chatserver main api",
		"Deployment main-api chatserver main api", "Deployment main-events chatserver main events", "Deployment main-webhook chatserver main webhook",
	}
	if diff := cmp.Diff(want, selectors); diff != "" {
		t.Error(diff)
	}
}

// Pods are replaced only if an input of theirs changes.
func TestPodsAreReplacedForACause(t *testing.T) {
	t.Parallel()
	template := func(change func(*v1alpha1.ChatServer, *inputs.Inputs)) string {
		server := load(t, "external")
		in := inputsOf(server)
		change(server, &in)
		return string(encode(t, []render.Object{workload(t, server, in, render.API)})[:]) + "\n"
	}
	pods := func(change func(*v1alpha1.ChatServer, *inputs.Inputs)) string {
		_, after, _ := strings.Cut(template(change), "  template:\n")
		return after
	}
	same := pods(func(*v1alpha1.ChatServer, *inputs.Inputs) {})
	for what, c := range map[string]struct {
		change func(*v1alpha1.ChatServer, *inputs.Inputs)
		goes   bool
	}{
		"replicas":    {func(s *v1alpha1.ChatServer, _ *inputs.Inputs) { s.Spec.API.Replicas = new(int32) }, false},
		"hibernation": {func(s *v1alpha1.ChatServer, _ *inputs.Inputs) { s.Spec.State = v1alpha1.StateHibernated }, false},
		"migration":   {func(_ *v1alpha1.ChatServer, in *inputs.Inputs) { in.MigrationSum = "00000000" }, false},
		"kinds":       {func(_ *v1alpha1.ChatServer, in *inputs.Inputs) { in.Served = inputs.Served{} }, false},
		"events": {func(s *v1alpha1.ChatServer, _ *inputs.Inputs) {
			s.Spec.Events.Resources = &v1alpha1.ContainerResources{}
		}, false},
		"trial image": {func(_ *v1alpha1.ChatServer, in *inputs.Inputs) { in.Defaults.PostgresImage = "other" }, false},
		"version":     {func(s *v1alpha1.ChatServer, _ *inputs.Inputs) { s.Spec.Version = "1.4.3" }, true},
		"Secrets":     {func(_ *v1alpha1.ChatServer, in *inputs.Inputs) { in.Hash = "other" }, true},
		"log level":   {func(s *v1alpha1.ChatServer, _ *inputs.Inputs) { s.Spec.Settings.LogLevel = "warn" }, true},
	} {
		if goes := pods(c.change) != same; goes != c.goes {
			t.Errorf("%s: pods are replaced: %t", what, goes)
		}
	}
	if same == "" {
		t.Error("there is no pod template")
	}
}

// No service has the owner's user or password.
func TestOwnersPasswordIsTheMigrationsAlone(t *testing.T) {
	t.Parallel()
	for _, name := range cases(t) {
		server := load(t, name)
		owners := map[string]bool{}
		in := inputsOf(server)
		variables := func(component render.Component) map[string]string {
			found, object := map[string]string{}, fields(t, workload(t, server, in, component))
			for _, variable := range into[appsv1.Deployment](t, object).Spec.Template.Spec.Containers[0].Env {
				if from := variable.ValueFrom; from != nil && from.SecretKeyRef != nil {
					found[variable.Name] = from.SecretKeyRef.Name + "/" + from.SecretKeyRef.Key
				}
			}
			return found
		}
		if key := in.Database.URL; key != nil {
			owners[key.Secret+"/"+key.Key] = true
		} else {
			for _, part := range []string{"user", "password"} {
				owners[in.Database.Parts[part].Secret+"/"+in.Database.Parts[part].Key] = true
			}
		}
		for _, component := range render.Components() {
			got := variables(component)
			for variable, key := range got {
				if owners[key] || variable == "PGUSER" || variable == "PGPASSWORD" {
					t.Errorf("%s: %s has %s of %s", name, component, variable, key)
				}
			}
			if want := server.Name + "-logins-a/everywhere-password"; got["DATABASE_EVERYWHERE_PASSWORD"] != want {
				t.Errorf("%s: %s has %v", name, component, got)
			}
		}
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"smallest": "http://chat.example", "external": "https://chat.corp.example", "everything": "https://chat.corp.example:8443",
	} {
		if got := render.URL(load(t, name)); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestReplicas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]any{
		"smallest": {2., 2., 2.}, "everything": {3., nil, 1.}, "autoscaled": {nil, nil, 0.}, "hibernated": {0., 0., 0.},
	} {
		server := load(t, name)
		objects := all(t, server, inputsOf(server))
		for i, component := range render.Components() {
			deployment := found(t, objects, "Deployment", server.Name+"-"+string(component))
			if got := at(t, deployment, "spec", "replicas"); got != want[i] {
				t.Errorf("%s: %s has %v replicas, not %v", name, component, got, want[i])
			}
		}
		for _, trial := range []string{"postgres", "redis"} {
			if set := found(t, objects, "StatefulSet", server.Name+"-"+trial); set != nil {
				if got, sleeps := at(t, set, "spec", "replicas"), name == "hibernated"; (got == 0.) != sleeps {
					t.Errorf("%s: %s has %v replicas", name, trial, got)
				}
			}
		}
	}
}

func TestScaling(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"smallest":   {"PodDisruptionBudget main-api", "PodDisruptionBudget main-events", "PodDisruptionBudget main-webhook"},
		"everything": {"PodDisruptionBudget big-api", "PodDisruptionBudget big-events", "HorizontalPodAutoscaler big-events", "PodDisruptionBudget big-webhook"},
		"autoscaled": {
			"PodDisruptionBudget main-api", "HorizontalPodAutoscaler main-api", "PodDisruptionBudget main-events", "HorizontalPodAutoscaler main-events",
			"PodDisruptionBudget main-webhook",
		},
		"hibernated": nil,
	} {
		server := load(t, name)
		var got []string
		for _, object := range render.Scaling(server) {
			u := unstructured.Unstructured{Object: fields(t, object)}
			got = append(got, u.GetKind()+" "+u.GetName())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A rollout removes no pod before another one is ready, and no deadline is sent that the API server would refuse.
func TestRollout(t *testing.T) {
	t.Parallel()
	server := load(t, "smallest")
	deployment := func() appsv1.Deployment {
		return into[appsv1.Deployment](t, fields(t, workload(t, server, inputsOf(server), render.Events)))
	}
	d := deployment()
	if r := d.Spec.Strategy.RollingUpdate; r.MaxUnavailable.IntValue() != 0 || r.MaxSurge.String() != "25%" || *d.Spec.ProgressDeadlineSeconds != 600 {
		t.Errorf("%v, %d s", r, *d.Spec.ProgressDeadlineSeconds)
	}
	grace := *d.Spec.Template.Spec.TerminationGracePeriodSeconds
	if grace < 5+60 {
		t.Errorf("pods have %d s to end", grace)
	}
	in := inputsOf(server)
	in.FilesOn = inputs.FilesInOnePod
	if s := into[appsv1.Deployment](t, fields(t, workload(t, server, in, render.API))).Spec.Strategy; s.Type != appsv1.RecreateDeploymentStrategyType || s.RollingUpdate != nil {
		t.Errorf("pods that can't share their volume are replaced by %+v", s)
	}
	server = parse(t, `{metadata: {name: main}, spec: {upgrade: {progressDeadline: 1s}}}`)
	if d := deployment(); *d.Spec.ProgressDeadlineSeconds <= d.Spec.MinReadySeconds {
		t.Errorf("the deadline is %d s", *d.Spec.ProgressDeadlineSeconds)
	}
	server = parse(t, `{metadata: {name: main}, spec: {upgrade: {progressDeadline: 2000000h}}}`)
	if d := deployment(); *d.Spec.ProgressDeadlineSeconds != math.MaxInt32 {
		t.Errorf("the deadline is %d s", *d.Spec.ProgressDeadlineSeconds)
	}
}

// Labels and annotations of the spec are on every object, pod and volume claim, and replace none of the operator's own.
func TestCommonMetadata(t *testing.T) {
	t.Parallel()
	for _, name := range cases(t) {
		server := load(t, name)
		server.Spec.CommonLabels = map[string]v1alpha1.LabelValue{"corp.example/team": "chat"}
		server.Spec.CommonAnnotations = map[string]v1alpha1.AnnotationValue{"corp.example/cost": "a b", "external-dns.example/ttl": "1"}
		claims := 0
		for _, object := range all(t, server, inputsOf(server)) {
			u := unstructured.Unstructured{Object: fields(t, object)}
			what := name + ": " + u.GetKind() + " " + u.GetName()
			check := func(where string, metadata map[string]any) {
				t.Helper()
				labels, _, _ := unstructured.NestedStringMap(metadata, "labels")
				annotations, _, _ := unstructured.NestedStringMap(metadata, "annotations")
				if labels["corp.example/team"] != "chat" || annotations["corp.example/cost"] != "a b" {
					t.Errorf("%s: %s has the labels %v and the annotations %v", what, where, labels, annotations)
				}
			}
			part := func(path ...string) map[string]any { return into[map[string]any](t, at(t, u.Object, path...)) }
			check("metadata", part("metadata"))
			switch u.GetKind() {
			case "StatefulSet":
				claims++
				for _, claim := range into[[]map[string]any](t, at(t, u.Object, "spec", "volumeClaimTemplates")) {
					check("volumeClaimTemplates", into[map[string]any](t, claim["metadata"]))
				}
				fallthrough
			case "Deployment", "Job":
				check("template", part("spec", "template", "metadata"))
			case "Cluster":
				check("inheritedMetadata", part("spec", "inheritedMetadata"))
			case "Ingress":
				if ttl := u.GetAnnotations()["external-dns.example/ttl"]; server.Spec.Exposure.Ingress.Annotations["external-dns.example/ttl"] != "" && ttl != "60" {
					t.Errorf("%s: the annotation of exposure.ingress is %q", what, ttl)
				}
			}
		}
		if claims == 0 && name == "smallest" {
			t.Error("there are no volume claims")
		}
	}
}

// A podTemplate may have another value of a common label or annotation.
func TestAPodTemplateReplacesCommonMetadata(t *testing.T) {
	t.Parallel()
	server := load(t, "smallest")
	server.Spec.CommonLabels = map[string]v1alpha1.LabelValue{"team": "chat"}
	server.Spec.CommonAnnotations = map[string]v1alpha1.AnnotationValue{"cost": "1"}
	server.Spec.API.PodTemplate = &runtime.RawExtension{Raw: []byte(`{"metadata":{"labels":{"team":"api"},"annotations":{"cost":null}}}`)}
	template := into[corev1.PodTemplateSpec](t, at(t, fields(t, workload(t, server, inputsOf(server), render.API)), "spec", "template"))
	if _, set := template.Annotations["cost"]; set || template.Labels["team"] != "api" || template.Labels["app.kubernetes.io/component"] != "api" {
		t.Errorf("labels %v, annotations %v", template.Labels, template.Annotations)
	}
}
