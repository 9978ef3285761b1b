package chatserver_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// full returns a server with an object of each kind.
func (w *world) full() *v1alpha1.ChatServer {
	w.t.Helper()
	server := w.minimal()
	server.Spec.Database = v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral}
	server.Spec.Cache = v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral}
	server.Spec.Exposure = &v1alpha1.Exposure{Scheme: "http", Ingress: &v1alpha1.IngressExposure{ClassName: "nginx"}}
	server.Spec.Events.Autoscaling = &v1alpha1.Autoscaling{MinReplicas: 3, MaxReplicas: 9}
	return server
}

func TestAPassThatFindsAllInPlaceWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	before, n := w.versions(), w.writes.count()
	for range 5 {
		w.touch()
		time.Sleep(100 * time.Millisecond)
	}
	w.quiet()
	if calls := w.writes.since(n); len(calls) > 0 {
		t.Errorf("%d writes, such as %s", len(calls), calls[0])
	}
	after := w.versions()
	delete(before, "Service/main-api") // the one that was touched
	delete(after, "Service/main-api")
	if !maps.Equal(before, after) {
		t.Errorf("versions before %v, after %v", before, after)
	}
	if len(before) < 20 {
		t.Errorf("there are only %d objects: %v", len(before), before)
	}

	w.stop()
	w.start()
	time.Sleep(500 * time.Millisecond)
	w.quiet()
	if calls := w.writes.since(0); len(calls) > 0 {
		t.Errorf("a new operator made %d writes, such as %s", len(calls), calls[0])
	}
	after = w.versions()
	delete(after, "Service/main-api")
	if !maps.Equal(before, after) {
		t.Errorf("versions before %v, after another start %v", before, after)
	}
}

// touch makes the operator reconcile the server again, without a relevant change.
func (w *world) touch() {
	w.t.Helper()
	service := &corev1.Service{}
	w.get("main-api", service)
	before := service.DeepCopy()
	service.Annotations["test/touched"] = time.Now().String()
	if err := w.Patch(w.t.Context(), service, client.MergeFrom(before)); err != nil {
		w.t.Fatal(err)
	}
}

func TestDriftOfEachKindIsReverted(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	for _, c := range []struct {
		name    string
		object  client.Object
		change  func(client.Object)
		right   func(client.Object) bool
		field   string
		removed bool
	}{
		{
			"main-api", &appsv1.Deployment{},
			func(o client.Object) { o.(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Image = "evil" },
			func(o client.Object) bool {
				return strings.HasPrefix(o.(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Image, "registry.test/")
			},
			"image", false,
		},
		{
			"main-webhook", &appsv1.Deployment{},
			func(o client.Object) { o.(*appsv1.Deployment).Spec.Replicas = ptr.To[int32](7) },
			func(o client.Object) bool { return *o.(*appsv1.Deployment).Spec.Replicas == 2 }, "spec.replicas", false,
		},
		{
			"main-postgres", &appsv1.StatefulSet{},
			func(o client.Object) { o.(*appsv1.StatefulSet).Spec.Replicas = ptr.To[int32](0) },
			func(o client.Object) bool { return *o.(*appsv1.StatefulSet).Spec.Replicas == 1 }, "spec.replicas", false,
		},
		{
			"main-api", &corev1.Service{},
			func(o client.Object) { o.(*corev1.Service).Spec.Ports[0].Port = 81 },
			func(o client.Object) bool {
				return o.(*corev1.Service).Spec.Ports[0].Port == 80 && len(o.(*corev1.Service).Spec.Ports) == 1
			}, "spec.ports", false,
		},
		{
			"main-api", &corev1.ServiceAccount{},
			func(o client.Object) { o.(*corev1.ServiceAccount).AutomountServiceAccountToken = ptr.To(true) },
			func(o client.Object) bool { return !*o.(*corev1.ServiceAccount).AutomountServiceAccountToken }, "automountServiceAccountToken", false,
		},
		{
			"main", &networkingv1.Ingress{},
			func(o client.Object) { o.(*networkingv1.Ingress).Spec.Rules[0].Host = "evil.test" },
			func(o client.Object) bool { return o.(*networkingv1.Ingress).Spec.Rules[0].Host == "chat.test" }, "spec.rules", false,
		},
		{
			"main-api", &policyv1.PodDisruptionBudget{},
			func(o client.Object) { o.(*policyv1.PodDisruptionBudget).Spec.MaxUnavailable.IntVal = 2 },
			func(o client.Object) bool { return o.(*policyv1.PodDisruptionBudget).Spec.MaxUnavailable.IntVal == 1 }, "spec.maxUnavailable", false,
		},
		{
			"main-api", &policyv1.PodDisruptionBudget{},
			func(o client.Object) {
				budget := o.(*policyv1.PodDisruptionBudget)
				budget.Spec.MaxUnavailable, budget.Spec.MinAvailable = nil, ptr.To(intstr.FromInt32(2))
			},
			func(o client.Object) bool {
				budget := o.(*policyv1.PodDisruptionBudget)
				return budget.Spec.MinAvailable == nil && budget.Spec.MaxUnavailable.IntVal == 1
			}, "spec.maxUnavailable and 1 more", true,
		},
		{
			"main-events", &autoscalingv2.HorizontalPodAutoscaler{},
			func(o client.Object) { o.(*autoscalingv2.HorizontalPodAutoscaler).Spec.MaxReplicas = 99 },
			func(o client.Object) bool { return o.(*autoscalingv2.HorizontalPodAutoscaler).Spec.MaxReplicas == 9 }, "spec.maxReplicas", false,
		},
		{
			"main-api", &networkingv1.NetworkPolicy{},
			func(o client.Object) { o.(*networkingv1.NetworkPolicy).Spec.Ingress = nil },
			func(o client.Object) bool { return len(o.(*networkingv1.NetworkPolicy).Spec.Ingress) > 0 }, "spec.ingress", true,
		},
		{
			"main-events", &corev1.Service{},
			func(o client.Object) { o.SetLabels(map[string]string{"mine": "now"}) },
			func(o client.Object) bool {
				return o.GetLabels()["app.kubernetes.io/instance"] == "main" && o.GetLabels()["mine"] == "now"
			}, "metadata.labels", false,
		},
		{
			"main-webhook", &corev1.Service{},
			func(o client.Object) { o.SetOwnerReferences(nil) },
			func(o client.Object) bool { return len(o.GetOwnerReferences()) == 1 }, "metadata.ownerReferences", true,
		},
	} {
		w.get(c.name, c.object)
		before := c.object.DeepCopyObject().(client.Object)
		c.change(c.object)
		if err := w.Patch(t.Context(), c.object, client.MergeFrom(before), client.FieldOwner("a-person")); err != nil {
			t.Fatal(err)
		}
		w.until(c.field+" is right again", func() bool {
			w.get(c.name, c.object)
			return c.right(c.object) && w.condition(v1alpha1.ConditionDriftRepaired).Status == "True" &&
				strings.Contains(w.condition(v1alpha1.ConditionDriftRepaired).Message, c.field)
		})
		manager := "a-person"
		if c.removed {
			manager = "somebody" // the API server doesn't record who removed a field
		}
		if message := w.condition(v1alpha1.ConditionDriftRepaired).Message; !strings.Contains(message, manager) {
			t.Errorf("%s: the condition says %q", c.field, message)
		}
		w.until("it serves again", func() bool { return w.ready(v1alpha1.ReasonServing) })
	}
	w.quiet()
	if n, err := testutil.GatherAndCount(w.registry, "chatserver_operator_drift_repairs_total"); err != nil || n != 8 {
		t.Errorf("%d kinds were counted, %v", n, err)
	}
	if got := w.repairs(); got != 12 {
		t.Errorf("%v repairs were counted", got)
	}
	if n := w.reasons()[v1alpha1.ReasonDriftRepaired]; n != 12 {
		t.Errorf("%d events of repairs", n)
	}
}

// repairs returns the sum of the metric.
func (w *world) repairs() float64 {
	w.t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	sum := 0.0
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			sum += metric.GetCounter().GetValue()
		}
	}
	return sum
}

func TestWhatIsDeletedIsRecreated(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	old := w.deployment("events")
	if err := w.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	w.until("there is another Deployment", func() bool {
		d := &appsv1.Deployment{}
		return w.exists("main-events", d) && d.UID != old.UID && w.ready(v1alpha1.ReasonServing) &&
			strings.Contains(w.condition(v1alpha1.ConditionDriftRepaired).Message, "Deployment main-events was deleted")
	})
	if got := w.repairs(); got != 1 {
		t.Errorf("%v repairs were counted", got)
	}
}

// Another controller that undoes each repair doesn't keep the operator busy.
func TestRepairsAreLimited(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	account := &corev1.ServiceAccount{}
	undo := func() {
		if w.get("main-api", account); *account.AutomountServiceAccountToken {
			return
		}
		before := account.DeepCopy()
		account.AutomountServiceAccountToken = ptr.To(true)
		if err := w.Patch(t.Context(), account, client.MergeFrom(before), client.FieldOwner("another-controller")); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	for w.repairs() < 20 && time.Since(began) < patience {
		undo()
	}
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		undo()
	}
	took := time.Since(began)
	if got, most := w.repairs(), 21+took.Seconds()/3; got < 21 || got > most {
		t.Errorf("%v repairs in %s, want 21 to %v", got, took, most)
	}
}

// Objects that are deleted while pods are being replaced are counted and reported, too.
func TestRepairsDuringARolloutAreCounted(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	w.held["main-events"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Settings.LogLevel = "debug" })
	w.until("pods are replaced", func() bool { return w.ready(v1alpha1.ReasonRolloutRunning) })
	if got := w.repairs(); got != 0 {
		t.Fatalf("%v repairs were counted before", got)
	}
	for i, object := range []client.Object{&policyv1.PodDisruptionBudget{}, &networkingv1.NetworkPolicy{}, &corev1.ServiceAccount{}, &appsv1.Deployment{}} {
		w.get("main-events", object)
		uid := object.GetUID()
		if err := w.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		w.until("it is recreated and counted", func() bool {
			return w.exists("main-events", object) && object.GetUID() != uid && w.repairs() == float64(i+1)
		})
	}
	if w.ready(v1alpha1.ReasonServing) {
		t.Error("the rollout ended before the repairs")
	}
	w.until("events report them", func() bool { return w.reasons()[v1alpha1.ReasonDriftRepaired] == 4 })
	delete(w.held, "main-events")
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

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
	probe := w.deploymentOf("probe")
	w.until("the policy is in force", func() bool { return w.Create(t.Context(), probe.DeepCopy(), client.DryRunAll) != nil })
	w.create(w.minimal())
	w.until("it says so", func() bool {
		return w.ready(v1alpha1.ReasonRefused) && strings.Contains(w.condition(v1alpha1.ConditionStalled).Message, "no Deployments today")
	})
	if err := w.Delete(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

// deploymentOf returns a Deployment that is valid.
func (w *world) deploymentOf(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{ObjectMeta: w.meta(name), Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: name, Image: "x"}}},
		},
	}}
}

// writesNothing checks that another pass finds nothing to write.
func (w *world) writesNothing() {
	w.t.Helper()
	w.quiet()
	n := w.writes.count()
	w.touch()
	w.quiet()
	if calls := w.writes.since(n); len(calls) > 0 {
		w.t.Errorf("%d more writes, such as %s", len(calls), calls[0])
	}
}
