package charts_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/testbed"
)

// TestLint runs `helm lint` for each chart with each values file, and without one.
func TestLint(t *testing.T) {
	t.Parallel()
	lint := func(arguments ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), helm(t), append([]string{"lint", "--strict", "--quiet", "--kube-version", kubernetes}, arguments...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("helm %v: %v\n%s", arguments, err, out)
		}
	}
	lint(filepath.Join(chartsDir, "chatserver"), filepath.Join(chartsDir, "chatserver-operator"))
	for _, v := range allValues(t) {
		lint("--values", v.path, filepath.Join(chartsDir, v.chart))
	}
}

// TestGolden shows the objects for each values file. It leaves out CRDs, which are compared with their files.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, v := range allValues(t) {
		t.Run(v.name(), func(t *testing.T) {
			t.Parallel()
			documents := strings.SplitAfter(string(v.render(t)), "\n---\n")
			documents = slices.DeleteFunc(documents, func(d string) bool {
				return strings.Contains(d, "\nkind: CustomResourceDefinition\n")
			})
			testbed.Golden(t, v.name()+".golden.yaml", []byte(strings.Join(documents, "")))
		})
	}
}

// notes renders the notes of a values file's chart, which Helm prints in the end. Helm renders them only with a cluster, so
// they are copied into a ConfigMap of a copy of the chart.
func (v values) notes(t *testing.T, args ...string) string {
	t.Helper()
	folder := edited(t, v.chart, "templates/NOTES.txt", func(notes []byte) []byte {
		return fmt.Appendf(nil, "{{ define \"notes\" }}%s{{ end }}\n%s", notes,
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata: {notes: {{ include \"notes\" . | quote }}}\n")
	})
	if err := os.Rename(folder+"/templates/NOTES.txt", folder+"/templates/notes.yaml"); err != nil {
		t.Fatal(err)
	}
	rendered := decode(t, template(t, folder, append(args, "--values", v.path, "--show-only", "templates/notes.yaml")...))
	if len(rendered) != 1 {
		t.Fatalf("%d objects are rendered", len(rendered))
	}
	notes, ok := rendered[0].(*corev1.ConfigMap)
	if !ok {
		t.Fatalf("%s is rendered", called(rendered[0]))
	}
	return notes.Data["notes"]
}

// TestNotes shows the output of `helm install` for each values file.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, v := range allValues(t) {
		t.Run(v.name(), func(t *testing.T) {
			t.Parallel()
			testbed.Golden(t, v.name()+".notes.golden.txt", []byte(v.notes(t)))
		})
	}
}

// An operator among the servers that it runs is warned of.
func TestNotesOfAnOperatorInAWatchedNamespace(t *testing.T) {
	t.Parallel()
	v := values{"chatserver-operator", filepath.Join(chartsDir, "chatserver-operator", "ci", "namespaced.yaml")}
	if notes := v.notes(t, "--set", "watchNamespaces={team-a,"+namespace+"}"); !strings.Contains(notes, "WARNING: the operator watches its own namespace") {
		t.Error(notes)
	}
}

// After `helm upgrade`, nothing was created.
func TestNotesOfAnUpgrade(t *testing.T) {
	t.Parallel()
	for _, v := range allValues(t) {
		if notes := v.notes(t, "--is-upgrade"); strings.Contains(notes, "has been created") {
			t.Errorf("%s: %s", v.name(), notes)
		}
	}
}

// The labels in selectors. Those of a Deployment can't be changed, so they must never change.
var frozen = []string{"app.kubernetes.io/component", "app.kubernetes.io/instance", "app.kubernetes.io/name"}

// recommended returns the labels that all objects have.
var recommended = append([]string{
	"app.kubernetes.io/managed-by", "app.kubernetes.io/part-of", "app.kubernetes.io/version", "helm.sh/chart",
}, frozen...)

func TestLabels(t *testing.T) {
	t.Parallel()
	for _, v := range allValues(t) {
		t.Run(v.name(), func(t *testing.T) {
			t.Parallel()
			for _, o := range decode(t, v.render(t)) {
				if strings.HasPrefix(o.GetName(), "extra-") {
					continue // belongs to the author of the values
				}
				for _, label := range recommended {
					if o.GetLabels()[label] == "" {
						t.Errorf("%s has no label %s", called(o), label)
					}
				}
				for _, selector := range selectors(o) {
					if got := slices.Sorted(maps.Keys(selector.MatchLabels)); !slices.Equal(got, frozen) || len(selector.MatchExpressions) > 0 {
						t.Errorf("%s selects by %v", called(o), got)
					}
				}
				if d, ok := o.(*appsv1.Deployment); ok {
					checkPodLabels(t, d)
				}
			}
		})
	}
}

// The network policies of servers admit pods with this label, whatever the alias of the chart in another one, which is its name there.
func TestTheOperatorsNameIsTheSameUnderAnAlias(t *testing.T) {
	t.Parallel()
	folder := edited(t, "chatserver-operator", "Chart.yaml", func(text []byte) []byte {
		return bytes.Replace(text, []byte("\nname: chatserver-operator\n"), []byte("\nname: alias\n"), 1)
	})
	for _, o := range decode(t, template(t, folder)) {
		if o.GetLabels()[v1alpha1.LabelName] != v1alpha1.Manager {
			t.Errorf("%s has the labels %v", called(o), o.GetLabels())
		}
		if d, ok := o.(*appsv1.Deployment); ok && d.Spec.Template.Labels[v1alpha1.LabelName] != v1alpha1.Manager {
			t.Errorf("pods have the labels %v", d.Spec.Template.Labels)
		}
	}
}

func checkPodLabels(t *testing.T, d *appsv1.Deployment) {
	t.Helper()
	labels := d.Spec.Template.Labels
	for _, label := range []string{"app.kubernetes.io/version", "helm.sh/chart"} {
		if labels[label] != "" {
			t.Errorf("%s: its pods have the label %s, so each new chart would replace them", called(d), label)
		}
	}
	for key, value := range d.Spec.Selector.MatchLabels {
		if labels[key] != value {
			t.Errorf("%s selects %s=%s, and its pods have %q", called(d), key, value, labels[key])
		}
	}
}

// selectors returns the selectors for the operator's own pods.
func selectors(o object) []*metav1.LabelSelector {
	switch o := o.(type) {
	case *appsv1.Deployment:
		all := []*metav1.LabelSelector{o.Spec.Selector}
		for _, spread := range o.Spec.Template.Spec.TopologySpreadConstraints {
			all = append(all, spread.LabelSelector)
		}
		return all
	case *policyv1.PodDisruptionBudget:
		return []*metav1.LabelSelector{o.Spec.Selector}
	case *corev1.Service:
		return []*metav1.LabelSelector{{MatchLabels: o.Spec.Selector}}
	default:
		return nil
	}
}

// TestRestricted checks that all pods comply with the level restricted of the Pod Security Standards, and with
// further rules.
func TestRestricted(t *testing.T) {
	t.Parallel()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, v := range allValues(t) {
		for _, o := range decode(t, v.render(t)) {
			meta, spec := podOf(o)
			if spec == nil {
				continue
			}
			seen[v.chart]++
			restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
			for _, result := range evaluator.EvaluatePod(restricted, meta, spec) {
				if !result.Allowed {
					t.Errorf("%s: %s: %s: %s", v.name(), called(o), result.ForbiddenReason, result.ForbiddenDetail)
				}
			}
			for _, c := range spec.Containers {
				if c.SecurityContext.ReadOnlyRootFilesystem == nil || !*c.SecurityContext.ReadOnlyRootFilesystem {
					t.Errorf("%s: %s can write to its root", v.name(), called(o))
				}
				if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
					t.Errorf("%s: %s has no bounds", v.name(), called(o))
				}
			}
			if _, isTest := o.(*corev1.Pod); isTest && (spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken) {
				t.Errorf("%s: %s has a token", v.name(), called(o))
			}
		}
	}
	if seen["chatserver"] == 0 || seen["chatserver-operator"] == 0 {
		t.Errorf("pods were seen in %v", seen)
	}
}

func podOf(o object) (*metav1.ObjectMeta, *corev1.PodSpec) {
	switch o := o.(type) {
	case *appsv1.Deployment:
		return &o.Spec.Template.ObjectMeta, &o.Spec.Template.Spec
	case *corev1.Pod:
		return &o.ObjectMeta, &o.Spec
	default:
		return nil, nil
	}
}

// TestNewChart renders each values file with another version of the chart. Pods and specs must not change, so that an
// upgrade doesn't replace them without need.
func TestNewChart(t *testing.T) {
	t.Parallel()
	for _, v := range allValues(t) {
		t.Run(v.name(), func(t *testing.T) {
			t.Parallel()
			next := edited(t, v.chart, "Chart.yaml", func(about []byte) []byte {
				return regexp.MustCompile(`(?m)^version: .*`).ReplaceAll(about, []byte("${0}-next"))
			})
			was, got := decode(t, v.render(t)), decode(t, template(t, next, "--values", v.path))
			if len(was) != len(got) {
				t.Fatalf("%d objects became %d", len(was), len(got))
			}
			relabeled := 0
			for i := range was {
				if was[i].GetLabels()["helm.sh/chart"] != got[i].GetLabels()["helm.sh/chart"] {
					relabeled++
				}
				was[i].SetLabels(nil)
				got[i].SetLabels(nil)
			}
			if relabeled == 0 {
				t.Error("the other version is nowhere to be seen")
			}
			if diff := cmp.Diff(was, got); diff != "" {
				t.Errorf("another version of the chart changes more than labels:\n%s", diff)
			}
		})
	}
}

// TestCRDs compares the CRDs of the chart with the generated ones.
func TestCRDs(t *testing.T) {
	t.Parallel()
	rendered := map[string]*apiextensionsv1.CustomResourceDefinition{}
	operator := filepath.Join(chartsDir, "chatserver-operator")
	for _, o := range decode(t, template(t, operator)) {
		if crd, ok := o.(*apiextensionsv1.CustomResourceDefinition); ok {
			rendered[crd.Name] = crd
		}
	}
	files, err := filepath.Glob(filepath.Join(operator, "files", "crds", "*.yaml"))
	if err != nil || len(files) != 6 || len(rendered) != len(files) {
		t.Fatalf("%d CRDs of files %v, %v", len(rendered), files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := decode(t, text)[0].(*apiextensionsv1.CustomResourceDefinition)
		got := rendered[want.Name]
		if got == nil {
			t.Errorf("%s isn't in the chart", want.Name)
			continue
		}
		if got.Annotations["helm.sh/resource-policy"] != "keep" {
			t.Errorf("%s isn't kept when the chart is uninstalled", want.Name)
		}
		delete(got.Annotations, "helm.sh/resource-policy")
		got.Labels = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-file +chart):\n%s", want.Name, diff)
		}
	}
	for _, o := range decode(t, template(t, operator, "--set", "crds.enabled=false")) {
		if _, ok := o.(*apiextensionsv1.CustomResourceDefinition); ok {
			t.Errorf("%s exists with crds.enabled=false", called(o))
		}
	}
}
