package render_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"chatserver.dev/operator/internal/render"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	server := load(t, "patched")
	template := func(component render.Component) corev1.PodTemplateSpec {
		return into[corev1.PodTemplateSpec](t, at(t, fields(t, workload(t, server, inputsOf(server), component)), "spec", "template"))
	}
	api := template(render.API)
	main := api.Spec.Containers[slices.IndexFunc(api.Spec.Containers, func(c corev1.Container) bool { return c.Name == "api" })]
	value := func(name string) string {
		i := slices.IndexFunc(main.Env, func(e corev1.EnvVar) bool { return e.Name == name })
		if i < 0 {
			return "nothing"
		}
		return main.Env[i].Value
	}
	if value("LOG_FORMAT") != "text" || value("EXTRA") != "1" || value("LOG_LEVEL") != "info" || main.StartupProbe.FailureThreshold != 600 ||
		main.StartupProbe.HTTPGet == nil || main.LivenessProbe != nil || len(api.Spec.Containers) != 2 || len(api.Spec.Tolerations) != 1 ||
		api.Labels["team"] != "chat" || api.Labels["app.kubernetes.io/name"] != "chatserver" || api.Annotations["chatserver.dev/inputs"] == "" {
		t.Errorf("%+v", api)
	}
	events := template(render.Events)
	if len(events.Spec.TopologySpreadConstraints) != 1 || len(events.Spec.Volumes) != 1 || len(events.Spec.Containers[0].VolumeMounts) != 1 {
		t.Errorf("%+v", events)
	}
}

func TestPatchesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ patch, want string }{
		{`[]`, "must be an object"},
		{`null`, "must be an object"},
		{`"spec"`, "must be an object"},
		{`{"spec":{"containers":[{"name":"api","image":"other"}]}}`, "changes the image of container api"},
		{`{"spec":{"containers":[{"name":"api","image":null}]}}`, "changes the image of container api"},
		{`{"spec":{"containers":[{"name":"api","$patch":"delete"}]}}`, "removes container api"},
		{`{"spec":{"containers":[{"$patch":"replace"},{"name":"sidecar","image":"x"}]}}`, "removes container api"},
		{`{"spec":{"containers":[{"name":"api","$patch":"replace"}]}}`, "removes container api"},
		{`{"spec":{"containers":[{"name":"api","ports":[{"containerPort":8080,"$patch":"delete"}]}]}}`, "changes port http of container api"},
		{`{"spec":{"containers":[{"name":"api","ports":[{"containerPort":8443,"name":"other"}]}]}}`, "changes port admin of container api"},
		{`{"spec":{"containers":[{"name":"api","ports":[{"containerPort":9090,"protocol":"UDP"}]}]}}`, "changes port metrics of container api"},
		{`{"spec":{"containers":[{"image":"x"}]}}`, "name"}, // strategic merge wants the key
		{`{"metadata":{"labels":{"app.kubernetes.io/instance":"other"}}}`, "changes the label app.kubernetes.io/instance"},
		{`{"metadata":{"labels":null}}`, "changes the label"},
		{`{"metadata":{"annotations":{"chatserver.dev/inputs":null}}}`, "changes the annotation chatserver.dev/inputs"},
		{`{"spec":null}`, "removes metadata or spec"},
		{`{"metadata":null}`, "removes metadata or spec"},
		{`{"spec":{"contaners":[]}}`, `unknown field "spec.contaners"`},
		{`{"spec":{"a":1,"b":2}}`, `unknown field "spec.a"`},
		{`{"kind":"Pod"}`, `unknown field "kind"`},
		{`{"spec":{"containers":[{"name":"api","command":"sh"}]}}`, "command"},
		{`{"spec":{"terminationGracePeriodSeconds":"long"}}`, "terminationGracePeriodSeconds"},
		{`{"spec":{"$patch":"sometimes"}}`, "strategic merge patch"},
	} {
		server := load(t, "smallest")
		server.Spec.API.PodTemplate = &runtime.RawExtension{Raw: []byte(c.patch)}
		object, err := render.Workload(server, inputsOf(server), render.API)
		var wrong *render.PatchError
		if !errors.As(err, &wrong) || object != nil || wrong.Component != render.API || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "spec.api.podTemplate ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.patch, err, c.want)
		}
	}
}

func TestPatchOfTheMigration(t *testing.T) {
	t.Parallel()
	for _, patch := range []string{
		`{"spec":{"containers":[{"name":"migrate","image":"x"}]}}`, `{"spec":{"initContainers":[{"name":"preflight","$patch":"delete"}]}}`,
	} {
		server := load(t, "smallest")
		server.Spec.Upgrade.PodTemplate = &runtime.RawExtension{Raw: []byte(patch)}
		_, err := render.Migration(server, inputsOf(server))
		var wrong *render.PatchError
		if !errors.As(err, &wrong) || wrong.Component != render.Migrate || !strings.HasPrefix(err.Error(), "spec.upgrade.podTemplate ") {
			t.Errorf("%s: %v", patch, err)
		}
	}
}

// Every patch results either in an error or in a Deployment that works like the one without it.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"spec":{"containers":[{"name":"api","env":[{"name":"A","$patch":"delete"}]}]}}`, `{"$patch":"replace","spec":{}}`,
		`{"spec":{"$setElementOrder/containers":[{"name":"api"}]}}`, `{"spec":{"$retainKeys":["containers"]}}`,
		`{"spec":{"$deleteFromPrimitiveList/x":["a"]}}`, `{"metadata":{"labels":{"$patch":"delete"}}}`, `{"spec":{"containers":{"a":1}}}`,
		`{"spec":{"containers":[null]}}`, `{"spec":{"containers":[{"name":"api"},{"name":"api"}]}}`,
		`{"spec":{"containers":[{"name":[]}]}}`,
		`{"spec":{"containers":[{"name":"api","ports":[{"name":"http"}]}]}}`, `{"spec":{"volumes":[{"name":"admin","$patch":"delete"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		server := load(t, "smallest")
		server.Spec.API.PodTemplate = &runtime.RawExtension{Raw: patch}
		object, err := render.Workload(server, inputsOf(server), render.API)
		if err != nil {
			var wrong *render.PatchError
			if !errors.As(err, &wrong) || wrong.Reason == "" {
				t.Errorf("%q: %v", patch, err)
			}
			return
		}
		template := into[corev1.PodTemplateSpec](t, at(t, fields(t, object), "spec", "template"))
		i := slices.IndexFunc(template.Spec.Containers, func(c corev1.Container) bool { return c.Name == "api" })
		if i < 0 || template.Spec.Containers[i].Image != "ghcr.io/chatserver/chatserver/api:0.1.0" || len(template.Spec.Containers[i].Ports) < 3 ||
			template.Labels["app.kubernetes.io/component"] != "api" {
			t.Errorf("%q: %+v", patch, template)
		}
	})
}
