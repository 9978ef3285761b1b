package charts_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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
	"chatserver.dev/pkg/testbed"
)

const (
	chartsDir = "../../charts"
	release   = "main"
	namespace = "chat"
	// The version that charts are rendered for without a cluster.
	kubernetes = "1.36.0"
)

// helm returns the path of the pinned Helm, with the name in the Makefile.
func helm(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped in short mode: it needs Helm")
	}
	testbed.Uncached()
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

// render runs `helm template` for a release of the chart in a folder. The error contains the output of Helm.
func render(t *testing.T, release, folder string, args ...string) ([]byte, error) {
	t.Helper()
	errs := bytes.Buffer{}
	cmd := exec.CommandContext(t.Context(), helm(t), append([]string{
		"template", release, folder, "--namespace", namespace, "--kube-version", kubernetes,
	}, args...)...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("helm template %s %v: %w\n%s", folder, args, err, errs.String())
	}
	return out, err
}

// template renders the chart in a folder.
func template(t *testing.T, folder string, args ...string) []byte {
	t.Helper()
	out, err := render(t, release, folder, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// edited copies a chart and changes a file of the copy. It returns the copy's folder.
func edited(t *testing.T, chart, file string, edit func(text []byte) []byte) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), chart)
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(chartsDir, chart))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, edit(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// values is a values file of a chart.
type values struct {
	chart string // name
	path  string
}

func (v values) name() string {
	return v.chart + "/" + strings.TrimSuffix(filepath.Base(v.path), ".yaml")
}

func (v values) render(t *testing.T) []byte {
	t.Helper()
	return template(t, filepath.Join(chartsDir, v.chart), "--values", v.path)
}

// allValues returns all values files of both charts.
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

// decode returns the objects in a text. It fails the test for fields that a type doesn't have. It returns objects of
// other kinds than Kubernetes' and this project's as they are.
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

// called returns an object's kind and name, for messages.
func called(o object) string { return o.GetObjectKind().GroupVersionKind().Kind + " " + o.GetName() }
