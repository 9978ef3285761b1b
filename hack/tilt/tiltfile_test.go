// Package tilt_test executes the Tiltfile without Tilt.
package tilt_test

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"chatserver.dev/hack/images/component"
	"chatserver.dev/pkg/testbed"
)

// execute runs the Tiltfile for a cluster, and returns the arguments of all calls by function. Another function or
// parameter of https://docs.tilt.dev/api.html must be added here.
func execute(t *testing.T, context string) map[string][]starlark.StringDict {
	t.Helper()
	calls, functions := map[string][]starlark.StringDict{}, starlark.StringDict{}
	for name, parameters := range map[string]string{
		"k8s_context":        "",
		"allow_k8s_contexts": "contexts",
		"custom_build":       "ref command deps disable_push? skips_local_docker? ignore? outputs_image_ref_to? env?",
		"helm":               "pathToChartDir name? namespace? values? set?",
		"k8s_custom_deploy":  "name apply_cmd delete_cmd deps apply_env? image_deps?",
		"k8s_resource":       "workload port_forwards? extra_pod_selectors? resource_deps? labels?",
		"k8s_yaml":           "yaml",
	} {
		names := strings.Fields(parameters)
		functions[name] = starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
			values, into := make([]starlark.Value, len(names)), []any{}
			for i := range names {
				into = append(into, names[i], &values[i])
			}
			call := starlark.StringDict{}
			err := starlark.UnpackArgs(name, args, named, into...)
			for i := range names {
				call[strings.TrimSuffix(names[i], "?")] = values[i]
			}
			calls[name] = append(calls[name], call)
			return starlark.String(context), err
		})
	}
	if _, err := starlark.ExecFileOptions(&syntax.FileOptions{TopLevelControl: true}, &starlark.Thread{}, "Tiltfile", nil, functions); err != nil {
		t.Fatal(err)
	}
	return calls
}

// texts returns the strings in a list, or the string that a value is.
func texts(value starlark.Value) []string {
	if text, ok := starlark.AsString(value); ok {
		return []string{text}
	}
	var all []string
	if list, ok := value.(*starlark.List); ok {
		for v := range list.Elements() {
			all = append(all, texts(v)...)
		}
	}
	return all
}

// All files in the Tiltfile exist, and each image is built again when one of its packages changes.
func TestTiltfile(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: it builds programs or starts servers")
	}
	testbed.Uncached()
	t.Chdir("../..")
	for _, context := range []string{"kind-chatserver", "chatserver-test"} {
		calls := execute(t, context)
		components := map[string]component.Component{}
		for _, c := range component.All() {
			components["ghcr.io/chatserver/chatserver/"+c.Name] = c
		}
		for _, build := range calls["custom_build"] {
			name, deps := texts(build["ref"])[0], texts(build["deps"])
			c := components[name]
			delete(components, name)
			packages, err := exec.CommandContext(t.Context(), "go", "list", "-C", c.Module, "-deps", c.Program).Output()
			if err != nil {
				t.Fatalf("packages of %s: %v", name, err)
			}
			for imported := range strings.FieldsSeq(string(packages)) {
				path, own := strings.CutPrefix(imported, "chatserver.dev/")
				if own && !slices.ContainsFunc(deps, func(dep string) bool { return strings.HasPrefix(path+"/", dep+"/") }) {
					t.Errorf("a change in %s doesn't build %s again: its deps are %q", path, name, deps)
				}
			}
		}
		if len(components) > 0 {
			t.Errorf("it doesn't build %q", slices.Sorted(maps.Keys(components)))
		}
		for _, call := range slices.Concat(slices.Collect(maps.Values(calls))...) {
			for _, parameter := range []string{"deps", "apply_cmd", "values", "pathToChartDir", "yaml"} {
				for _, path := range texts(call[parameter]) {
					if _, err := os.Stat(path); err != nil && path != context { // returned by helm
						t.Error(err)
					}
				}
			}
		}
	}
}
