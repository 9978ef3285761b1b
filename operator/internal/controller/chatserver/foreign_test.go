package chatserver_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// Fields that others add to the pod template of a Deployment or StatefulSet are removed. Server-side apply alone would
// leave them.
func TestWhatIsAddedToPodsIsRemoved(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	before := w.deployment("webhook").Spec
	for i, c := range []struct{ name, patch, field string }{
		{"a container", `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"evil"}]}}}}`, `spec.template.spec.containers[name="side"]`},
		{"an init container", `{"spec":{"template":{"spec":{"initContainers":[{"name":"first","image":"evil"}]}}}}`, `spec.template.spec.initContainers`},
		{"a variable", `{"spec":{"template":{"spec":{"containers":[{"name":"webhook","env":[{"name":"EXTRA","value":"1"}]}]}}}}`, `[name="webhook"].env[name="EXTRA"]`},
		{"a volume that is mounted", `{"spec":{"template":{"spec":{"volumes":[{"name":"host","hostPath":{"path":"/"}}],` +
			`"containers":[{"name":"webhook","volumeMounts":[{"name":"host","mountPath":"/host"}]}]}}}}`, `and 1 more`},
		{"a right", `{"spec":{"template":{"spec":{"hostNetwork":true,"containers":[{"name":"webhook","resources":{"limits":{"cpu":"1"}}}]}}}}`, `spec.template.spec`},
		{"an image and a container", `{"spec":{"template":{"spec":{"containers":[{"name":"webhook","image":"evil"},{"name":"side","image":"evil"}]}}}}`, `and 1 more`},
		{"a pause of the rollout", `{"spec":{"paused":true}}`, "spec.paused"},
	} {
		w.patch(w.deployment("webhook"), c.patch)
		w.until(c.name+" is removed", func() bool {
			message := w.condition(v1alpha1.ConditionDriftRepaired).Message
			return w.repairs() == float64(i+1) && strings.Contains(message, c.field) && strings.Contains(message, "a-person")
		})
		if diff := cmp.Diff(before, w.deployment("webhook").Spec); diff != "" {
			t.Errorf("%s (-before +after):\n%s", c.name, diff)
		}
	}
	set := &appsv1.StatefulSet{}
	w.get("main-redis", set)
	w.patch(set, `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"evil"}]}}}}`)
	w.until("the trial Redis is alone again", func() bool {
		w.get("main-redis", set)
		return len(set.Spec.Template.Spec.Containers) == 1 && w.repairs() == 8
	})
	w.until("events report it", func() bool { return w.reasons()[v1alpha1.ReasonDriftRepaired] == 8 })
	w.writesNothing()
}

// What others add to Services and NetworkPolicies would open the server to more clients: it is removed. Addresses inside the
// cluster stay, since they are the cluster's own matter.
func TestWhatIsAddedToServicesAndNetworkPoliciesIsRemoved(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	service, policy := func() *corev1.Service {
		s := &corev1.Service{}
		w.get("main-api", s)
		return s
	}, func() *networkingv1.NetworkPolicy {
		p := &networkingv1.NetworkPolicy{}
		w.get("main-postgres", p)
		return p
	}
	w.patch(service(), `{"spec":{"ipFamilyPolicy":"PreferDualStack"}}`)
	w.quiet()
	if got := w.repairs(); got != 0 || *service().Spec.IPFamilyPolicy != corev1.IPFamilyPolicyPreferDualStack {
		t.Errorf("%v repairs, family policy %s", got, *service().Spec.IPFamilyPolicy)
	}
	before, rules := service().Spec, policy().Spec
	for i, c := range []struct {
		object client.Object
		patch  string
		field  string
	}{
		{service(), `{"spec":{"type":"NodePort"}}`, "spec.externalTrafficPolicy and 1 more"},
		{service(), `{"spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local","loadBalancerSourceRanges":["0.0.0.0/0"]}}`, "spec.allocateLoadBalancerNodePorts and 3 more"},
		{service(), `{"spec":{"externalIPs":["192.0.2.1"]}}`, "spec.externalIPs"},
		{service(), `{"spec":{"publishNotReadyAddresses":true}}`, "spec.publishNotReadyAddresses"},
		{service(), `{"spec":{"ports":[{"name":"metrics","port":9090}]}}`, "spec.ports"},
		{service(), `{"spec":{"type":"ExternalName","externalName":"evil.test"}}`, "spec.externalName and 1 more"},
		{policy(), `{"spec":{"egress":[{}]}}`, "spec.egress"},
	} {
		w.patch(c.object, c.patch)
		w.until(c.field+" is removed", func() bool {
			message := w.condition(v1alpha1.ConditionDriftRepaired).Message
			return w.repairs() == float64(i+1) && strings.Contains(message, c.field) && strings.Contains(message, "a-person")
		})
		after := service().Spec
		if after.ClusterIP != before.ClusterIP { // an ExternalName has none
			before.ClusterIP, before.ClusterIPs, before.IPFamilyPolicy = after.ClusterIP, after.ClusterIPs, after.IPFamilyPolicy
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s (-before +after):\n%s", c.patch, diff)
		}
	}
	if diff := cmp.Diff(rules, policy().Spec); diff != "" {
		t.Errorf("the policy (-before +after):\n%s", diff)
	}
	w.writesNothing()
}

// Argo CD may find what belongs to an Application by the label that has the server's name. It leaves what has an owner.
func TestArgoCDDeletesNoSecrets(t *testing.T) {
	const compare, sync = "argocd.argoproj.io/compare-options", "argocd.argoproj.io/sync-options"
	w := newWorld(t)
	w.install(w.full())
	list := &corev1.SecretList{}
	if err := w.List(t.Context(), list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.LabelInstance: "main"}); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, secret := range list.Items {
		if secret.Labels[v1alpha1.LabelManagedBy] != v1alpha1.Manager || len(secret.OwnerReferences) > 0 {
			continue
		}
		found++
		if a := secret.Annotations; a[compare] != "IgnoreExtraneous" || a[sync] != "Prune=false,Delete=false" {
			t.Errorf("Secret %s has the options %q and %q", secret.Name, a[compare], a[sync])
		}
	}
	if found < 4 {
		t.Errorf("%d Secrets have no owner", found)
	}
	w.patch(w.adminSecret(), `{"metadata":{"annotations":{"`+compare+`":null,"`+sync+`":"Prune=confirm"}}}`)
	w.until("an option that is missing is set", func() bool { return w.adminSecret().Annotations[compare] != "" })
	if got := w.adminSecret().Annotations[sync]; got != "Prune=confirm" {
		t.Errorf("an option of somebody else is %q", got)
	}
}

// patch changes an object like a user.
func (w *world) patch(object client.Object, text string) {
	w.t.Helper()
	if err := w.Patch(w.t.Context(), object, client.RawPatch(types.StrategicMergePatchType, []byte(text)), client.FieldOwner("a-person")); err != nil {
		w.t.Fatal(err)
	}
}

func TestFieldsOfOthersStay(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	d := w.deployment("api")
	before := d.DeepCopy()
	d.Spec.Template.Annotations["kubectl.kubernetes.io/restartedAt"] = "now"
	if err := w.Patch(t.Context(), d, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	w.touch()
	w.quiet()
	if got := w.deployment("api").Spec.Template.Annotations["kubectl.kubernetes.io/restartedAt"]; got != "now" {
		t.Errorf("a restart was taken back: %q", got)
	}
	if got := w.repairs(); got != 0 {
		t.Errorf("%v repairs were counted", got)
	}
}

func TestSomebodyElsesObjectIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.create(&corev1.Service{ObjectMeta: w.meta("main-api"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 7}}}})
	w.create(w.minimal())
	w.until("it says so", func() bool { return w.ready(v1alpha1.ReasonNameTaken) })
	service := &corev1.Service{}
	w.get("main-api", service)
	if service.Spec.Ports[0].Port != 7 || len(service.Labels) > 0 {
		t.Errorf("the Service was changed: %+v", service)
	}
	if c := w.condition(v1alpha1.ConditionStalled); c.Status != "True" || !strings.Contains(c.Message, "Service main-api") {
		t.Errorf("condition %+v", c)
	}
	if err := w.Delete(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	w.until("the name is free", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

// An admission policy whose author names no reason refuses as if the object were invalid.
func TestAPolicyIsCorrected(t *testing.T) {
	w := newWorld(t)
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: w.namespace},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.namespace}},
				ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.OperationAll},
					Rule:       admissionv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
				}}},
			},
			Validations: []admissionv1.Validation{{Expression: "false", Message: "no Deployments today"}},
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: w.namespace},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: w.namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
	w.create(policy)
	w.create(binding)
	w.until("the policy is in force", func() bool { return w.Create(t.Context(), w.anyDeployment(), client.DryRunAll) != nil })
	w.create(w.minimal())
	w.until("it says so", func() bool {
		return w.ready(v1alpha1.ReasonRefused) && strings.Contains(w.condition(v1alpha1.ConditionStalled).Message, "no Deployments today")
	})
	if err := w.Delete(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

// anyDeployment returns a Deployment that is valid.
func (w *world) anyDeployment() *appsv1.Deployment {
	labels := map[string]string{"app": "any"}
	return &appsv1.Deployment{ObjectMeta: w.meta("any"), Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "any", Image: "x"}}},
		},
	}}
}
