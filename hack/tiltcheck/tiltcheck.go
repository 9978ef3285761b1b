// Package tiltcheck executes the Tiltfile without Tilt, with Tilt's functions replaced by ones that note what they
// are called with. A test compares that with what the repository has.
//
// Functions and their parameters are those of https://docs.tilt.dev/api.html that the Tiltfile uses. Another one is an
// error here: add it.
package tiltcheck

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Tilt is what a Tiltfile asks Tilt to do.
type Tilt struct {
	Contexts  []string // of kubeconfigs that it may be used with
	Builds    []Build
	Files     []string // with manifests to apply
	Charts    []Chart
	Deploys   []Deploy
	Resources []Resource
}

// Build is an image and what builds it.
type Build struct {
	Image    string // without a tag
	Command  []string
	Deps     []string // files and folders that change the image
	Env      map[string]string
	Output   string // file with the reference of what was built; empty: Tilt gives the reference
	Unpushed bool   // Tilt neither pushes the image nor looks for it in Docker
}

// Chart is a chart of Helm and what it is rendered with.
type Chart struct {
	Path, Name, Namespace string
	Values                []string // files
	Set                   []string
}

// Deploy is something that commands apply and delete.
type Deploy struct {
	Name          string
	Apply, Delete []string // commands with their arguments; one element is a line of shell
	Env           map[string]string
	Deps          []string
	Images        []string // the command gets their references as TILT_IMAGE_0, TILT_IMAGE_1 and so on
}

// Resource is how Tilt shows a workload or a Deploy.
type Resource struct {
	Name         string
	PortForwards []string
	Deps         []string // names of resources that have to be ready before
}

// Execute runs a Tiltfile as if the kubeconfig had the context.
func Execute(path, context string) (*Tilt, error) {
	t := &Tilt{}
	functions := starlark.StringDict{
		"k8s_context": starlark.NewBuiltin("k8s_context", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
			return starlark.String(context), starlark.UnpackArgs(b.Name(), args, named)
		}),
	}
	for name, note := range map[string]func(arguments) (starlark.Value, error){
		"allow_k8s_contexts": t.allowContexts,
		"custom_build":       t.customBuild,
		"helm":               t.helm,
		"k8s_custom_deploy":  t.customDeploy,
		"k8s_resource":       t.resource,
		"k8s_yaml":           t.yaml,
	} {
		functions[name] = starlark.NewBuiltin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
			return note(arguments{b.Name(), args, named})
		})
	}
	options := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}
	_, err := starlark.ExecFileOptions(options, &starlark.Thread{Name: path}, path, nil, functions)
	if failure, ok := errors.AsType[*starlark.EvalError](err); ok {
		return nil, fmt.Errorf("executing the Tiltfile: %s", failure.Backtrace())
	}
	if err != nil {
		return nil, fmt.Errorf("executing the Tiltfile: %w", err)
	}
	return t, nil
}

// arguments are those of one call.
type arguments struct {
	function string
	args     starlark.Tuple
	named    []starlark.Tuple
}

// unpack sets the variables, which come after the names of their parameters.
func (a arguments) unpack(pairs ...any) error {
	return starlark.UnpackArgs(a.function, a.args, a.named, pairs...)
}

func (t *Tilt) allowContexts(a arguments) (starlark.Value, error) {
	var contexts list
	err := a.unpack("contexts", &contexts)
	t.Contexts = append(t.Contexts, contexts...)
	return starlark.None, err
}

func (t *Tilt) customBuild(a arguments) (starlark.Value, error) {
	var (
		build                  Build
		command, deps, ignored list
		env                    dictionary
		local, push            bool
	)
	err := a.unpack(
		"ref", &build.Image, "command", &command, "deps", &deps, "disable_push?", &push, "skips_local_docker?", &local,
		"ignore?", &ignored, "outputs_image_ref_to?", &build.Output, "env?", &env,
	)
	build.Command, build.Deps, build.Env, build.Unpushed = command, deps, env, local && push
	t.Builds = append(t.Builds, build)
	return starlark.None, err
}

// rendered is what helm gives and k8s_yaml takes.
type rendered struct {
	starlark.Value
	chart Chart
}

func (*Tilt) helm(a arguments) (starlark.Value, error) {
	var chart Chart
	var values, set list
	err := a.unpack("pathToChartDir", &chart.Path, "name?", &chart.Name, "namespace?", &chart.Namespace, "values?", &values, "set?", &set)
	chart.Values, chart.Set = values, set
	return rendered{starlark.String(chart.Path), chart}, err
}

func (t *Tilt) yaml(a arguments) (starlark.Value, error) {
	var manifests starlark.Value
	if err := a.unpack("yaml", &manifests); err != nil {
		return nil, err
	}
	if r, ok := manifests.(rendered); ok {
		t.Charts = append(t.Charts, r.chart)
		return starlark.None, nil
	}
	var files list
	err := files.Unpack(manifests)
	t.Files = append(t.Files, files...)
	return starlark.None, err
}

func (t *Tilt) customDeploy(a arguments) (starlark.Value, error) {
	var (
		deploy                      Deploy
		apply, remove, deps, images list
		env                         dictionary
	)
	err := a.unpack(
		"name", &deploy.Name, "apply_cmd", &apply, "delete_cmd", &remove, "deps", &deps, "apply_env?", &env, "image_deps?", &images,
	)
	deploy.Apply, deploy.Delete, deploy.Deps, deploy.Env, deploy.Images = apply, remove, deps, env, images
	t.Deploys = append(t.Deploys, deploy)
	return starlark.None, err
}

func (t *Tilt) resource(a arguments) (starlark.Value, error) {
	var (
		resource            Resource
		ports, deps, labels list
		selectors           dictionary
	)
	err := a.unpack(
		"workload", &resource.Name, "port_forwards?", &ports, "extra_pod_selectors?", &selectors, "resource_deps?", &deps, "labels?", &labels,
	)
	resource.PortForwards, resource.Deps = ports, deps
	t.Resources = append(t.Resources, resource)
	return starlark.None, err
}

// list takes a string or a list of them.
type list []string

// Unpack is called by package starlark.
func (l *list) Unpack(value starlark.Value) error {
	if text, ok := starlark.AsString(value); ok {
		*l = list{text}
		return nil
	}
	values, ok := value.(starlark.Iterable)
	if !ok {
		return fmt.Errorf("got %s, want a string or a list of strings", value.Type())
	}
	for value := range starlark.Elements(values) {
		text, ok := starlark.AsString(value)
		if !ok {
			return fmt.Errorf("got a list with %s, want strings", value)
		}
		*l = append(*l, text)
	}
	return nil
}

// dictionary takes a dictionary of strings.
type dictionary map[string]string

// Unpack is called by package starlark.
func (d *dictionary) Unpack(value starlark.Value) error {
	values, ok := value.(*starlark.Dict)
	if !ok {
		return fmt.Errorf("got %s, want a dictionary", value.Type())
	}
	*d = dictionary{}
	for _, pair := range values.Items() {
		name, ok := starlark.AsString(pair[0])
		text, okToo := starlark.AsString(pair[1])
		if !ok || !okToo {
			return fmt.Errorf("got a dictionary with %s: %s, want strings", pair[0], pair[1])
		}
		(*d)[name] = text
	}
	return nil
}
