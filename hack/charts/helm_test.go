package charts_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"chatserver.dev/operator/api/v1alpha1"
)

const (
	chartsDir = "../../charts"
	release   = "main"
	namespace = "chat"
)

// helm gives the path of the pinned Helm, as the Makefile names it.
func helm(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("HELM"); path != "" {
		return path
	}
	pins, err := os.ReadFile("../tools/helm/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`helm\.sh/helm/v3 (v\S+)`).FindSubmatch(pins)
	path, err := filepath.Abs("../../.local/bin/helm-" + string(version[1]) + "-" + runtime.Version())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("Helm is missing: `make tools` builds it (%v)", err)
	}
	return path
}

// template renders the chart in a folder.
func template(t *testing.T, folder string, args ...string) []byte {
	t.Helper()
	errs := bytes.Buffer{}
	cmd := exec.CommandContext(t.Context(), helm(t), append([]string{ //nolint:gosec // the test names its own program.
		"template", release, folder, "--namespace", namespace, "--kube-version", "1.36.0",
	}, args...)...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("helm template %s %v: %v\n%s", folder, args, err, errs.String())
	}
	return out
}

// values is a values file of a chart.
type values struct {
	chart string // name
	path  string
}

func (v values) name() string {
	return v.chart + "/" + strings.TrimSuffix(filepath.Base(v.path), ".yaml")
}

func (v values) render(t *testing.T, args ...string) []byte {
	t.Helper()
	return template(t, filepath.Join(chartsDir, v.chart), append([]string{"--values", v.path}, args...)...)
}

// allValues are all values files of both charts.
func allValues(t *testing.T) []values {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(chartsDir, "*", "ci", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("values files: %v, %v", paths, err)
	}
	all := make([]values, len(paths))
	for i, path := range paths {
		all[i] = values{chart: filepath.Base(filepath.Dir(filepath.Dir(path))), path: path}
	}
	return all
}

// object is an object of any kind.
type object interface {
	metav1.Object
	k8sruntime.Object
}

// decode gives the objects of a text. They are read strictly: a field that the type doesn't have fails the
// test. A kind that is neither Kubernetes' own nor ours is given as it is.
func decode(t *testing.T, text []byte) []object {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	for _, add := range []func(*k8sruntime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, rbacv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
		apiextensionsv1.AddToScheme, v1alpha1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	strict := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	objects := []object{}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		decoded, _, err := strict.Decode(document, nil, nil)
		if k8sruntime.IsNotRegisteredError(err) {
			foreign := &unstructured.Unstructured{}
			err = yaml.UnmarshalStrict(document, &foreign.Object)
			decoded = foreign
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		objects = append(objects, decoded.(object)) //nolint:forcetypeassert // no lists are rendered.
	}
}

// called is an object's kind and name, for messages.
func called(o object) string { return o.GetObjectKind().GroupVersionKind().Kind + " " + o.GetName() }
