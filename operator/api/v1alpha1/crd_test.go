package v1alpha1_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-logr/logr"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/testcluster"
)

var cluster *testcluster.Cluster

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	testcluster.Main(m, func(c *testcluster.Cluster) { cluster = c })
}

// good are specs with as much in them as goes together.
func good() map[string]string {
	const credentials = `credentials: {secretName: key, labels: {a: b}, rotationToken: "1", rotateAfter: 48h, gracePeriod: 24h}`
	return map[string]string{
		"ChatServer": `
version: 1.4.2
image: {repository: registry.test/chat, digests: {api: "sha256:` + strings.Repeat("0", 64) + `"}, pullPolicy: Always, pullSecrets: [{name: mirror}]}
host: chat.test:8443
database: {mode: External, external: {secretRef: {name: db, key: uri}, tlsMode: verify-ca, caSecretRef: {name: db, key: ca}}, logins: {secretName: logins}}
cache: {mode: External, external: {secretRef: {name: redis, key: url}, topology: Sentinel, caSecretRef: {name: redis, key: ca}}}
exposure: {ingress: {className: nginx, annotations: {a: b}}, tls: {secretName: tls}}
api: {replicas: 3, resources: {requests: {cpu: 100m}, limits: {memory: 1Gi}}, podTemplate: {spec: {nodeSelector: {a: b}}}}
events: {autoscaling: {minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 50}}
mail: {host: smtp.test, port: 2525, from: chat@chat.test, loginSecretRef: {name: smtp}}
mailIn: {addresses: "chat+*@chat.test", from: [{podSelector: {matchLabels: {app: postfix}}}], fromNetworks: [10.1.0.0/16], rateLimit: 100/1h}
webPush: {secretRef: {name: vapid, key: private}, content: Disabled, networks: [10.1.0.0/16]}
files: {s3: {endpoint: "https://s3.test", bucket: chat, secretRef: {name: s3}, caSecretRef: {name: s3, key: ca}}, organizationQuota: 10Gi, temporarySize: 64Mi}
identityProviders:
- {slot: idp_1, issuer: "https://login.test/realms/staff", clientID: chat, clientSecretRef: {name: login, key: secret}, displayName: Staff, groupsClaim: groups,
   roles: {"*": Member, admins: Administrator}, organizations: ["", eng]}
- {slot: idp_3, issuer: "https://other.test", clientID: chat, displayName: Other}
settings: {logLevel: debug, rateLimitPerUser: 200/60s, traceEndpoint: "http://traces.test:4318", imageProxyMaxSize: 5Mi, jitsiServerURL: "https://calls.test/jitsi", organizationSignup: Enabled,
  outgoingWebhookNetworks: [10.1.0.0/16, "fd00:1::/32"], trustedProxies: [100.64.0.0/10], rateLimits: {mailTo: 10/24h}, maxStreams: 100, eventLogKeep: 12h}
allowedNamespaces: {from: Selector, selector: {matchLabels: {a: b}}}
secrets: {rotationToken: "1", rotateAfter: 720h}
upgrade: {migrationTimeout: 10m, progressDeadline: 5m}
monitoring: {serviceMonitor: true, rules: true, labels: {a: b}}
commonLabels: {team: chat, corp.example/cost-center: "42"}
commonAnnotations: {corp.example/owner: "Ada, Grace"}
networkPolicy: Disabled
state: Hibernated
deletionPolicy: Delete`,
		"Organization": `
serverRef: {name: main, namespace: chat}
name: Engineering
subdomain: eng
owners: [{email: ada@corp.test, fullName: Ada, ` + credentials + `}]
join: {inviteRequired: true, restrictedToDomains: true, invitedBy: Administrators, waitingPeriodDays: 3}
limits: {messageRetentionDays: 365, uploadQuota: 10Gi}
permissions: {createStreams: FullMembers, createBots: WebhooksOnly, seeAddresses: Nobody, privateMessages: false}
messages: {editing: true, editLimitSeconds: 0}
defaults: {language: de}
mail: {digests: true, digestDay: Friday}
userGroups: [{name: ops, description: On call, members: [ada@corp.test], adopt: true}, {name: desk}]
domains: [{domain: corp.test}, {domain: lab.corp.test, allowSubdomains: true}]
linkifiers: [{pattern: "#(?P<id>[0-9]+)", urlFormat: "https://tracker.test/%(id)s"}]
allowedNamespaces: {from: All}`,
		"Stream":          "{organizationRef: {name: eng}, name: alerts, privacy: Private, sharedHistory: false, default: false}",
		"User":            "{organizationRef: {name: eng}, email: grace@corp.test, fullName: Grace, role: Owner, state: Deactivated, groups: [desk], initialPassword: {name: grace, key: password}, adopt: true}",
		"Bot":             "{organizationRef: {name: eng}, shortName: deploy, fullName: Deploy bot, owner: ada@corp.test, subscriptions: [alerts], " + credentials + "}",
		"IncomingWebhook": "{organizationRef: {name: eng}, shortName: am, integration: alertmanager, stream: alerts, topic: production, owner: ada@corp.test, " + credentials + "}",
	}
}

// object is a good one with a merge patch on its spec.
func object(t *testing.T, kind, patch string) *unstructured.Unstructured {
	t.Helper()
	spec, err := yaml.YAMLToJSON([]byte(good()[kind]))
	if err != nil {
		t.Fatal(err)
	}
	change, err := yaml.YAMLToJSON([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	if string(change) != "null" {
		if spec, err = jsonpatch.MergePatch(spec, change); err != nil {
			t.Fatal(err)
		}
	}
	fields := map[string]any{}
	if err := json.Unmarshal(spec, &fields); err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{Object: map[string]any{"spec": fields}}
	o.SetGroupVersionKind(v1alpha1.GroupVersion().WithKind(kind))
	o.SetNamespace("default")
	o.SetName(strings.ToLower(kind))
	return o
}

func newClient(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, apiextensionsv1.AddToScheme, autoscalingv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithFieldValidation(c, metav1.FieldValidationStrict)
}

func crds(t *testing.T) map[string]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	found := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, text := range files(t) {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, crd); err != nil {
			t.Fatal(err)
		}
		found[crd.Spec.Names.Kind] = crd
	}
	return found
}

func files(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(testcluster.CRDs(), "*.yaml"))
	if err != nil || len(names) != 6 {
		t.Fatalf("there are %d CRDs, %v", len(names), err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		if all[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestCRDsAreSmall(t *testing.T) {
	for name, text := range files(t) {
		copied, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if len(copied) >= 128<<10 {
			t.Errorf("%s has %d bytes: kubectl apply keeps a copy in an annotation, which has room for 256 KiB of JSON", filepath.Base(name), len(copied))
		}
	}
}

func TestCRDsAreWhatPeopleExpectOfThem(t *testing.T) {
	short := map[string]string{"ChatServer": "chat", "Organization": "chatorg", "Stream": "chatstream", "User": "chatuser", "Bot": "chatbot", "IncomingWebhook": "chathook"}
	names := map[string]string{} // of all kinds; kubectl takes what is also a category for that, and no object's name with it
	for kind, crd := range crds(t) {
		for _, name := range append([]string{crd.Spec.Names.Singular, crd.Spec.Names.Plural}, crd.Spec.Names.ShortNames...) {
			names[name] = kind
		}
	}
	for kind, crd := range crds(t) {
		for _, category := range crd.Spec.Names.Categories {
			if of, taken := names[category]; taken {
				t.Errorf("the category %s of %s is a name of %s", category, kind, of)
			}
		}
		columns := []string(nil)
		for _, column := range crd.Spec.Versions[0].AdditionalPrinterColumns {
			columns = append(columns, column.Name)
		}
		for _, column := range []string{"Ready", "Reason", "Message", "Age"} {
			if !slices.Contains(columns, column) {
				t.Errorf("%s has no column %s: %v", kind, column, columns)
			}
		}
		if names := crd.Spec.Names; !slices.Equal(names.ShortNames, []string{short[kind]}) || !slices.Equal(names.Categories, []string{"chat-all"}) {
			t.Errorf("%s has short names %v and categories %v", kind, names.ShortNames, names.Categories)
		}
		if crd.Spec.Versions[0].Subresources.Status == nil || crd.Spec.Scope != apiextensionsv1.NamespaceScoped {
			t.Errorf("%s: scope %s, status %v", kind, crd.Spec.Scope, crd.Spec.Versions[0].Subresources)
		}
	}
}

// A version goes together with the digests of its images, or without any.
func TestVersionAndDigestsChangeTogether(t *testing.T) {
	c := newClient(t)
	pinned := object(t, "ChatServer", "")
	pinned.SetName("pinned")
	if err := c.Create(t.Context(), pinned); err != nil {
		t.Fatal(err)
	}
	for _, patch := range []string{
		`{"spec":{"version":"1.5.0","image":{"digests":{"api":"sha256:` + strings.Repeat("1", 64) + `"}}}}`,
		`{"spec":{"version":"1.5.0","image":{"digests":null}}}`,
		`{"spec":{"image":{"digests":{"api":"sha256:` + strings.Repeat("1", 64) + `"}}}}`,
	} {
		if err := c.Patch(t.Context(), pinned.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)), client.DryRunAll); err != nil {
			t.Errorf("%s: %v", patch, err)
		}
	}
}

// fields calls a function with the path and schema of each field of each kind.
func fields(t *testing.T, use func(path string, field *apiextensionsv1.JSONSchemaProps)) {
	t.Helper()
	var look func(path string, schema *apiextensionsv1.JSONSchemaProps)
	look = func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		for name, field := range schema.Properties {
			use(path+"."+name, &field)
			look(path+"."+name, &field)
		}
		if schema.Items != nil && schema.Items.Schema != nil {
			look(path, schema.Items.Schema)
		}
		if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
			look(path, schema.AdditionalProperties.Schema)
		}
	}
	for kind, crd := range crds(t) {
		look(kind, crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
	}
}

// kubectl explain says of each field what it is.
func TestFieldsAreExplained(t *testing.T) {
	fields(t, func(path string, field *apiextensionsv1.JSONSchemaProps) {
		if field.Description == "" && !strings.HasSuffix(path, ".metadata") {
			t.Errorf("%s has no description", path)
		}
	})
}

// Several managers may apply an object, so each list says whether they share it. A reference belongs to one of them as a whole, as in
// Kubernetes' own kinds: otherwise the name of one manager could end up with the key of another. Not so where a field of it has a
// default: the API server would report a conflict even between managers that apply the same.
func TestManagersShareFields(t *testing.T) {
	fields(t, func(path string, field *apiextensionsv1.JSONSchemaProps) {
		if field.Type == "array" && field.XListType == nil {
			t.Errorf("the list %s has no type", path)
		}
		if !strings.HasSuffix(path, "Ref") || !strings.Contains(path, ".spec.") {
			return
		}
		text, err := json.Marshal(field.Properties)
		if err != nil {
			t.Fatal(err)
		}
		atomic, defaults := field.XMapType != nil && *field.XMapType == "atomic", strings.Contains(string(text), `"default":`)
		if atomic == defaults {
			t.Errorf("the reference %s is atomic: %t; it has defaults: %t", path, atomic, defaults)
		}
	})
}

// Argo CD compares lists as a whole: with a default in an item, an object would never be in sync with its manifest.
func TestItemsOfListsHaveNoDefaults(t *testing.T) {
	fields(t, func(path string, field *apiextensionsv1.JSONSchemaProps) {
		text, err := json.Marshal(field.Items)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(path, ".spec.") && strings.Contains(string(text), `"default":`) {
			t.Errorf("the list %s has items with defaults", path)
		}
	})
}

func TestDefaultsComeFromTheServer(t *testing.T) {
	c := newClient(t)
	server := &v1alpha1.ChatServer{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "defaults"},
		Spec: v1alpha1.ChatServerSpec{
			Version: "1.0.0", Host: "chat.test",
			Database: v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral}, Cache: v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral},
		},
	}
	if err := c.Create(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	s := server.Spec
	got := fmt.Sprintln(s.State, s.DeletionPolicy, s.NetworkPolicy, s.Image.PullPolicy, s.AllowedNamespaces.From, s.Settings.LogLevel, s.Settings.ImageProxy, s.Settings.OrganizationSignup, *s.Web.Enabled,
		s.Upgrade.MigrationTimeout.Duration, s.Upgrade.ProgressDeadline.Duration)
	if want := "Running Retain Enabled IfNotPresent Same info Enabled Disabled true 30m0s 10m0s\n"; got != want {
		t.Errorf("defaults are %q, want %q", got, want)
	}
	if server.Generation != 1 {
		t.Errorf("generation %d", server.Generation)
	}
}

// Without a condition, kstatus would take an object that no operator has seen for one that is ready.
func TestNewObjectsArePending(t *testing.T) {
	c := newClient(t)
	for kind := range good() {
		o := object(t, kind, "{}")
		o.SetName("pending-" + o.GetName())
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			t.Fatal(err)
		}
		conditions, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
		if err != nil || len(conditions) != 1 {
			t.Fatalf("%s: conditions %v, %v", kind, conditions, err)
		}
		ready := conditions[0].(map[string]any)
		if ready["type"] != v1alpha1.ConditionReady || ready["status"] != "Unknown" || ready["reason"] != v1alpha1.ReasonPending {
			t.Errorf("%s: %v", kind, ready)
		}
	}
}

// Also one whose spec says no number.
func TestAServerIsScaledLikeADeployment(t *testing.T) {
	c := newClient(t)
	server := &v1alpha1.ChatServer{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "scaled"},
		Spec: v1alpha1.ChatServerSpec{
			Version: "1.0.0", Host: "chat.test",
			Database: v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral}, Cache: v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral},
		},
	}
	if err := c.Create(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	server.Status.API = v1alpha1.ComponentStatus{Replicas: 2, ReadyReplicas: 2, Selector: "a=b"}
	if err := c.Status().Update(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	scale := &autoscalingv1.Scale{}
	if err := c.SubResource("scale").Get(t.Context(), server, scale); err != nil {
		t.Fatal(err)
	}
	if scale.Spec.Replicas != 2 || scale.Status.Replicas != 2 || scale.Status.Selector != "a=b" {
		t.Errorf("scale %+v", scale)
	}
	scale.Spec.Replicas = 5
	if err := c.SubResource("scale").Update(t.Context(), server, client.WithSubResourceBody(scale)); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(server), server); err != nil {
		t.Fatal(err)
	}
	if server.Spec.API.Replicas == nil || *server.Spec.API.Replicas != 5 {
		t.Errorf("replicas %v", server.Spec.API.Replicas)
	}

	// What an autoscaler decides isn't scaled without a word.
	server.Spec.API.Autoscaling = &v1alpha1.Autoscaling{MinReplicas: 2, MaxReplicas: 9}
	if err := c.Update(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	if err := c.SubResource("scale").Get(t.Context(), server, scale); err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 3
	err := c.SubResource("scale").Update(t.Context(), server, client.WithSubResourceBody(scale))
	if err == nil || !strings.Contains(err.Error(), "replicas has no effect while autoscaling is set") {
		t.Errorf("a number that has no effect is taken: %v", err)
	}

	// But it can be taken out of a manifest, which sets the default.
	server.Spec.API.Replicas = nil
	if err := c.Update(t.Context(), server); err != nil {
		t.Error(err)
	}
}
