package charts_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

// rulesOf returns the rules of a role of either kind.
func rulesOf(o object) []rbacv1.PolicyRule {
	switch o := o.(type) {
	case *rbacv1.ClusterRole:
		return o.Rules
	case *rbacv1.Role:
		return o.Rules
	default:
		return nil
	}
}

// TestRules checks that roles name everything they allow, and that the operator has no dangerous permissions.
func TestRules(t *testing.T) {
	t.Parallel()
	verbs := []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	// Permissions to read logs of pods, to run programs in them, and to grant permissions amount to all permissions.
	never := []string{
		"nodes", "pods/exec", "pods/attach", "pods/portforward", "pods/log", "serviceaccounts/token", "roles", "rolebindings", "clusterroles",
		"clusterrolebindings", "customresourcedefinitions", "validatingwebhookconfigurations", "mutatingwebhookconfigurations",
	}
	for _, v := range allValues(t) {
		if v.chart != "chatserver-operator" {
			continue
		}
		rules := 0
		for _, o := range decode(t, v.render(t)) {
			for _, rule := range rulesOf(o) {
				rules++
				if len(rule.NonResourceURLs) > 0 || slices.Contains(rule.APIGroups, "*") {
					t.Errorf("%s: %s has the rule %v", v.name(), called(o), rule)
				}
				for _, resource := range rule.Resources {
					if strings.Contains(resource, "*") || slices.Contains(never, resource) {
						t.Errorf("%s: %s may %v %s", v.name(), called(o), rule.Verbs, resource)
					}
				}
				people := strings.HasSuffix(o.GetName(), "edit") || strings.HasSuffix(o.GetName(), "admin")
				if !people && slices.Contains(rule.Verbs, "patch") && slices.Contains(rule.Verbs, "update") {
					t.Errorf("%s: %s may both patch and update %v", v.name(), called(o), rule.Resources)
				}
				for _, verb := range rule.Verbs {
					if !slices.Contains(verbs, verb) {
						t.Errorf("%s: %s may %s %v", v.name(), called(o), verb, rule.Resources)
					}
				}
			}
		}
		if rules < 10 {
			t.Errorf("%s has %d rules", v.name(), rules)
		}
	}
}

// rights returns the permissions that rules grant, one by one.
func rights(rules []rbacv1.PolicyRule) map[string]bool {
	all := map[string]bool{}
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all[verb+" "+resource+"."+group] = true
				}
			}
		}
	}
	return all
}

// TestGenerated compares the operator's permissions with those that are generated from its code.
func TestGenerated(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(chartsDir + "/chatserver-operator/files/rbac/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	generated := rights(rulesOf(decode(t, text)[0]))
	inNamespaces := maps.Clone(generated)
	maps.DeleteFunc(inNamespaces, func(right string, _ bool) bool { return strings.HasSuffix(right, " namespaces.") })
	if len(inNamespaces) == len(generated) {
		t.Error("there are no rights for namespaces")
	}
	for file, want := range map[string]map[string]bool{"default": generated, "namespaced": inNamespaces} {
		compared := 0
		for _, o := range decode(t, values{"chatserver-operator", chartsDir + "/chatserver-operator/ci/" + file + ".yaml"}.render(t)) {
			if o.GetName() != "main-chatserver-operator" || rulesOf(o) == nil {
				continue
			}
			compared++
			if diff := cmp.Diff(want, rights(rulesOf(o))); diff != "" {
				t.Errorf("%s: %s (-generated +chart):\n%s", file, called(o), diff)
			}
		}
		if compared == 0 {
			t.Errorf("%s: no role was compared", file)
		}
	}
}

// TestNamespaced finds objects outside of the operator's namespaces and its own.
func TestNamespaced(t *testing.T) {
	t.Parallel()
	v := values{"chatserver-operator", chartsDir + "/chatserver-operator/ci/namespaced.yaml"}
	namespaces := []string{namespace, "team-a", "team-b"}
	roles := map[string]int{}
	for _, o := range decode(t, v.render(t)) {
		if !slices.Contains(namespaces, o.GetNamespace()) {
			t.Errorf("%s is in the namespace %q", called(o), o.GetNamespace())
		}
		if strings.Contains(called(o), "Cluster") {
			t.Errorf("there is a %s", called(o))
		}
		for _, rule := range rulesOf(o) {
			roles[o.GetNamespace()]++
			if slices.Contains(rule.Resources, "namespaces") {
				t.Errorf("%s has a rule for namespaces, which a Role can't grant", called(o))
			}
		}
		if b, ok := o.(*rbacv1.RoleBinding); ok {
			if len(b.Subjects) != 1 || b.Subjects[0].Namespace != namespace || b.Subjects[0].Name != "main-chatserver-operator" {
				t.Errorf("%s in %s binds %v", called(o), o.GetNamespace(), b.Subjects)
			}
		}
	}
	if roles["team-a"] < 10 || roles["team-a"] != roles["team-b"] || roles[namespace] != 3 {
		t.Errorf("rules: %v", roles)
	}
	for _, o := range decode(t, values{v.chart, chartsDir + "/chatserver-operator/ci/default.yaml"}.render(t)) {
		if o.GetNamespace() == "team-a" {
			t.Errorf("%s is in an unknown namespace", called(o))
		}
	}
}
