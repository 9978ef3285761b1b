package tiltcheck_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"chatserver.dev/hack/images/component"
	"chatserver.dev/hack/tiltcheck"
)

const (
	root     = "../.."
	product  = "ghcr.io/chatserver/chatserver"
	registry = "localhost:5001/chatserver"
	kind     = "kind-chatserver" // the context of hack/kind.sh
	node     = "chatserver-test" // the context of hack/cluster
)

// object is a manifest, or a part of one.
type object map[string]any

// at gives what is under these keys, nil if something is missing.
func (o object) at(keys ...string) any {
	var value any = map[string]any(o)
	for _, key := range keys {
		part, _ := value.(map[string]any)
		value = part[key]
	}
	return value
}

func (o object) text(keys ...string) string {
	text, _ := o.at(keys...).(string)
	return text
}

// containers gives those of a workload; nil for anything else.
func (o object) containers() []object {
	all, _ := o.at("spec", "template", "spec", "containers").([]any)
	var containers []object
	for _, c := range all {
		containers = append(containers, object(c.(map[string]any)))
	}
	return containers
}

func parse(t *testing.T, text []byte) []object {
	t.Helper()
	var objects []object
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o map[string]any
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatalf("reading manifests: %v\n%.500s", err, text)
		}
		if o != nil {
			objects = append(objects, o)
		}
	}
}

// command runs a program in the root, and gives what it prints.
func command(t *testing.T, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, problems.String())
	}
	return out
}

// programs gives a folder for PATH with the pinned helm, and a kubectl that prints what it is to apply.
func programs(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	command(t, []string{"GOWORK=off", "CGO_ENABLED=0"}, "go", "build", "-C", "hack/tools/helm", "-trimpath", "-o", filepath.Join(folder, "pinned"), "helm.sh/helm/v3/cmd/helm")
	for name, script := range map[string]string{
		// Without a cluster helm has to be told a version of Kubernetes.
		"helm":    "#!/bin/sh\nexec " + filepath.Join(folder, "pinned") + " \"$@\" --kube-version 1.36.0\n",
		"kubectl": "#!/bin/sh\nexec cat\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// What is applied in a context has images, namespaces, files and names that are there.
func TestTiltfile(t *testing.T) {
	t.Setenv("PATH", programs(t)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, context := range []string{kind, node} {
		t.Run(context, func(t *testing.T) {
			tilt, err := tiltcheck.Execute(root+"/Tiltfile", context)
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{kind, node}; !slices.Equal(tilt.Contexts, want) {
				t.Errorf("it may be used with %q, want %q", tilt.Contexts, want)
			}
			applied := manifests(t, tilt)
			deployed := deploy(t, tilt, context == kind)
			checkBuilds(t, tilt, context == kind)
			checkImages(t, tilt, applied)
			checkNamespaces(t, applied, deployed)
			checkResources(t, tilt, applied, deployed)
		})
	}
}

// manifests gives the objects that Tilt itself applies.
func manifests(t *testing.T, tilt *tiltcheck.Tilt) []object {
	t.Helper()
	var objects []object
	for _, file := range tilt.Files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, parse(t, text)...)
	}
	for _, chart := range tilt.Charts {
		args := []string{"template", chart.Name, chart.Path, "--namespace", chart.Namespace}
		for _, file := range chart.Values {
			args = append(args, "--values", file)
		}
		for _, set := range chart.Set {
			args = append(args, "--set", set)
		}
		objects = append(objects, parse(t, command(t, nil, "helm", args...))...)
	}
	return objects
}

// deploy runs the command that applies the server, and gives its objects.
func deploy(t *testing.T, tilt *tiltcheck.Tilt, pushed bool) []object {
	t.Helper()
	if len(tilt.Deploys) != 1 {
		t.Fatalf("it has the deploys %+v, want one", tilt.Deploys)
	}
	d := tilt.Deploys[0]
	checkPaths(t, d.Deps)
	if want := []string{product + "/api", product + "/events", product + "/webhook"}; !slices.Equal(d.Images, want) {
		t.Errorf("the server has the images %q, want %q", d.Images, want)
	}
	var env []string
	for name, value := range d.Env {
		env = append(env, name+"="+value)
	}
	references, image := []string{"/api:1@sha256:" + strings.Repeat("a", 64), "/events:1@sha256:" + strings.Repeat("b", 64), "/webhook@sha256:" + strings.Repeat("c", 64)}, map[string]any{
		"repository": registry,
		"digests":    map[string]any{"api": "sha256:" + strings.Repeat("a", 64), "events": "sha256:" + strings.Repeat("b", 64), "webhook": "sha256:" + strings.Repeat("c", 64)},
	}
	if !pushed {
		references, image = []string{"/api:tilt-build-1", "/events:tilt-build-2", "/webhook:tilt-build-3"}, nil
	}
	for i, reference := range references {
		env = append(env, "TILT_IMAGE_"+string(rune('0'+i))+"="+registry+reference)
	}
	objects := parse(t, command(t, env, d.Apply[0], d.Apply[1:]...))
	server := find(objects, "ChatServer", "dev")
	if server == nil || find(objects, "Organization", "dev") == nil {
		t.Fatalf("it applies %v, want a ChatServer and an Organization", objects)
	}
	got, _ := server.at("spec", "image").(map[string]any)
	if diff := cmp.Diff(image, got); diff != "" {
		t.Errorf("the server's images (-want +got):\n%s", diff)
	}
	built := regexp.MustCompile(`-version (\S+)`).FindSubmatch(command(t, nil, "make", "-n", "images"))
	if built == nil || string(built[1]) != server.text("spec", "version") {
		t.Errorf("the server has version %s, and the images %q", server.text("spec", "version"), built)
	}
	if host := server.text("spec", "host"); host != "localhost:8080" {
		t.Errorf("the server's host is %s, want the address of the gateway", host)
	}
	return objects
}

func find(objects []object, kind, name string) object {
	for _, o := range objects {
		if o.text("kind") == kind && o.text("metadata", "name") == name {
			return o
		}
	}
	return nil
}

func checkPaths(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			t.Errorf("it depends on something that isn't there: %v", err)
		}
	}
}

// checkBuilds looks whether each component is built, by a command that is there, and anew for each change of its code.
func checkBuilds(t *testing.T, tilt *tiltcheck.Tilt, pushed bool) {
	t.Helper()
	components := map[string]component.Component{}
	for _, c := range component.All() {
		components[product+"/"+c.Name] = c
	}
	for _, build := range tilt.Builds {
		c, ok := components[build.Image]
		if !ok {
			t.Errorf("it builds %s, which `make images` doesn't know", build.Image)
			continue
		}
		delete(components, build.Image)
		if want := []string{"hack/tilt/build", c.Name}; !slices.Equal(build.Command, want) {
			t.Errorf("%s is built by %q, want %q", c.Name, build.Command, want)
		}
		output, repository := "", ""
		if pushed {
			output, repository = ".local/tilt/"+c.Name+".ref", registry
		}
		if build.Output != output || build.Unpushed == pushed || build.Env["REPOSITORY"] != repository {
			t.Errorf("%s has the reference in %q, is unpushed: %v, and goes to %q", c.Name, build.Output, build.Unpushed, build.Env["REPOSITORY"])
		}
		checkPaths(t, append(build.Deps, build.Command[0]))
		checkDeps(t, c, build.Deps)
	}
	if len(components) > 0 {
		t.Errorf("it doesn't build %q", slices.Sorted(maps.Keys(components)))
	}
}

// checkDeps looks whether the folders have all packages of this repository that the program is made of.
func checkDeps(t *testing.T, c component.Component, deps []string) {
	t.Helper()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"GOWORK=off", "GOOS=linux", "CGO_ENABLED=0"}
	folders := command(t, env, "go", "list", "-C", c.Module, "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}", c.Program)
	own := 0
	for folder := range strings.FieldsSeq(string(folders)) {
		path, err := filepath.Rel(top, folder)
		if err != nil || strings.HasPrefix(path, "..") {
			continue
		}
		own++
		if !slices.ContainsFunc(deps, func(dep string) bool { return strings.HasPrefix(path+"/", dep+"/") }) {
			t.Errorf("a change in %s doesn't build %s anew: its deps are %q", path, c.Name, deps)
		}
	}
	if own == 0 {
		t.Errorf("%s has no package of this repository:\n%s", c.Name, folders)
	}
}

// checkImages looks whether the images of all workloads are built, and where the operator takes others from.
func checkImages(t *testing.T, tilt *tiltcheck.Tilt, applied []object) {
	t.Helper()
	workloads := 0
	for _, o := range applied {
		for _, c := range o.containers() {
			workloads++
			name, _, _ := strings.Cut(c.text("image"), ":")
			if !slices.ContainsFunc(tilt.Builds, func(b tiltcheck.Build) bool { return b.Image == name }) {
				t.Errorf("%s has the image %s, which isn't built", o.text("metadata", "name"), c.text("image"))
			}
		}
	}
	if workloads != 2 {
		t.Errorf("there are %d workloads, want the operator and the gateway", workloads)
	}
	operator := find(applied, "Deployment", "chatserver-operator")
	if operator == nil {
		t.Fatal("there is no operator")
	}
	if args, _ := operator.containers()[0]["args"].([]any); !slices.Contains(args, any("-repository="+product)) {
		t.Errorf("the operator has the arguments %q, want the images' repository %s", args, product)
	}
	for _, definition := range []string{"chatservers", "organizations", "streams", "bots", "incomingwebhooks"} {
		if find(applied, "CustomResourceDefinition", definition+".chatserver.dev") == nil {
			t.Errorf("%s aren't defined", definition)
		}
	}
}

func checkNamespaces(t *testing.T, applied, deployed []object) {
	t.Helper()
	for _, o := range slices.Concat(applied, deployed) {
		if namespace := o.text("metadata", "namespace"); namespace != "" && find(applied, "Namespace", namespace) == nil {
			t.Errorf("%s %s is in the namespace %s, which isn't made", o.text("kind"), o.text("metadata", "name"), namespace)
		}
	}
}

// checkResources looks whether what is configured is there.
func checkResources(t *testing.T, tilt *tiltcheck.Tilt, applied, deployed []object) {
	t.Helper()
	there := func(name string) bool {
		return find(applied, "Deployment", name) != nil || slices.ContainsFunc(tilt.Deploys, func(d tiltcheck.Deploy) bool { return d.Name == name })
	}
	for _, resource := range tilt.Resources {
		for _, name := range append(resource.Deps, resource.Name) {
			if !there(name) {
				t.Errorf("it configures, or waits for, %s, which isn't there", name)
			}
		}
	}
	i := slices.IndexFunc(tilt.Resources, func(r tiltcheck.Resource) bool { return r.Name == "gateway" })
	if i < 0 || !slices.Equal(tilt.Resources[i].PortForwards, []string{"8080:8080"}) {
		t.Errorf("the gateway isn't forwarded to port 8080: %+v", tilt.Resources)
	}
	gateway := find(applied, "Deployment", "gateway").containers()[0]
	if args, _ := gateway["args"].([]any); len(args) != 1 || find(deployed, "ChatServer", args[0].(string)) == nil {
		t.Errorf("the gateway is for %q, which isn't the server", args)
	}
}

// The contexts are those of the clusters that the repository's scripts make.
func TestContexts(t *testing.T) {
	script, err := os.ReadFile(root + "/hack/kind.sh")
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ := strings.Cut(registry, "/")
	_, port, _ := strings.Cut(host, ":")
	for _, want := range []string{"\ncluster=" + strings.TrimPrefix(kind, "kind-") + "\n", "\nport=" + port + "\n"} {
		if !bytes.Contains(script, []byte(want)) {
			t.Errorf("hack/kind.sh lacks %q", want)
		}
	}
}

// A function that Tilt doesn't have, or an argument that isn't its own, is an error that says where.
func TestExecuteFails(t *testing.T) {
	for text, want := range map[string]string{
		"\ncustom_built('a', 'b', [])":            "Tiltfile:2:1: undefined: custom_built",
		"custom_build('a', 'b', dependencies=[])": `unexpected keyword argument "dependencies"`,
		"k8s_yaml(1)":                              "got int, want a string or a list of strings",
		"custom_build('a', [1], [])":               "got a list with 1, want strings",
		"custom_build('a', 'b', [], env=['c'])":    "got list, want a dictionary",
		"custom_build('a', 'b', [], env={'c': 1})": `got a dictionary with "c": 1, want strings`,
	} {
		file := filepath.Join(t.TempDir(), "Tiltfile")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tiltcheck.Execute(file, kind); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", text, err, want)
		}
	}
}
