package v1alpha1_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// TestEachRuleRefusesABadObject goes through all rules of all kinds, and finds one that nothing was refused by.
func TestEachRuleRefusesABadObject(t *testing.T) {
	c := newClient(t)
	seen := map[string]bool{}
	refused := func(b bad, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), b.message) {
			t.Errorf("%s with %s: %v; it should be refused with %q", b.kind, b.patch, err, b.message)
		}
		for _, rule := range rules(t)[b.kind] {
			if err != nil && strings.Contains(err.Error(), rule) {
				seen[b.kind+": "+rule] = true
			}
		}
	}
	for _, b := range created() {
		err := c.Create(t.Context(), object(t, b.kind, b.patch), client.DryRunAll)
		if err != nil && (strings.Contains(err.Error(), "conversion") || strings.Contains(err.Error(), "should match")) {
			t.Errorf("%s with %s: people are shown how it is checked: %v", b.kind, b.patch, err)
		}
		refused(b, err)
	}
	for kind := range good() {
		if err := c.Create(t.Context(), object(t, kind, "")); err != nil {
			t.Fatalf("a good %s is refused: %v", kind, err)
		}
	}
	for _, b := range updated() {
		now := object(t, b.kind, "")
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(now), now); err != nil {
			t.Fatal(err)
		}
		changed := object(t, b.kind, b.patch)
		changed.SetResourceVersion(now.GetResourceVersion())
		refused(b, c.Update(t.Context(), changed, client.DryRunAll))
	}
	for _, step := range volumeSteps() {
		err := step.try(t, c)
		if step.message == "" && err != nil {
			t.Errorf("%+v became %+v: %v", step.before, step.after, err)
		} else if step.message != "" {
			refused(bad{"ChatServer", fmt.Sprintf("%+v", step.after), step.message}, err)
		}
	}
	long := object(t, "ChatServer", "")
	long.SetName(strings.Repeat("a", 41))
	refused(bad{"ChatServer", "a long name", "the name of a ChatServer has at most 40 characters"}, c.Create(t.Context(), long, client.DryRunAll))
	dotted := object(t, "ChatServer", "")
	dotted.SetName("1.main")
	refused(bad{"ChatServer", "a name with a dot", "the name of a ChatServer begins with a letter"}, c.Create(t.Context(), dotted, client.DryRunAll))
	for kind, messages := range rules(t) {
		for _, message := range messages {
			if !seen[kind+": "+message] {
				t.Errorf("nothing was refused by a rule of %s: %s", kind, message)
			}
		}
	}
}

// bad is what is refused, with words of the message.
type bad struct{ kind, patch, message string }

// created are refused from the start.
func created() []bad {
	list := []bad{
		{"ChatServer", `commonLabels: {"corp.example/": x}`, "the key of a label is a name such as team"},
		{"ChatServer", `commonLabels: {team: "a b"}`, "the value of a label has letters and digits"},
		{"ChatServer", `commonLabels: {app.kubernetes.io/name: x}`, "labels of app.kubernetes.io and chatserver.dev are the operator's own"},
		{"ChatServer", `commonLabels: {chatserver.dev/x: x}`, "labels of app.kubernetes.io and chatserver.dev are the operator's own"},
		{"ChatServer", `commonAnnotations: {"a b": x}`, "the key of an annotation is a name such as owner"},
		{"ChatServer", `commonAnnotations: {chatserver.dev/applied: x}`, "annotations of chatserver.dev are the operator's own"},
		{"ChatServer", `commonAnnotations: {owner: "` + strings.Repeat("a", 4097) + `"}`, "may not be more than 4096 bytes"},
		{"ChatServer", `image: {digests: {server: "sha256:0"}}`, "digests have the keys api, events and webhook"},
		{"ChatServer", `image: {repository: "https://registry.test/chat"}`, "repository is a registry and a path in lower case"},
		{"ChatServer", `image: {repository: "registry.test/chat:1.4.2"}`, "repository is a registry and a path in lower case"},
		{"ChatServer", `image: {pullSecrets: [{name: a}, {name: a}]}`, "Duplicate value"},
		{"ChatServer", `image: {pullSecrets: [{name: ""}]}`, "spec.image.pullSecrets[0].name"},
		{"ChatServer", `image: {pullSecrets: [{}]}`, "spec.image.pullSecrets[0].name"},
		{"ChatServer", `cache: {mode: Ephemeral, external: null, ephemeral: {image: "redis 7"}}`, "the name of an image has a registry"},
		{"ChatServer", `cache: {mode: Ephemeral, external: null, ephemeral: {image: "https://registry.test/redis:7"}}`, "the name of an image has a registry"},
		{"ChatServer", `cache: {external: {secretRef: {name: Redis}}}`, "a name has lower-case letters"},
		{"ChatServer", `cache: {external: {secretRef: {name: ` + strings.Repeat("a", 254) + `}}}`, "may not be more than 253 bytes"},
		{"ChatServer", `cache: {external: {secretRef: {key: "a b"}}}`, "a key of a Secret has letters"},
		{"ChatServer", `database: {external: {secretRef: {key: uri, keys: {}}}}`, "secretRef has either key"},
		{"ChatServer", `database: {external: {secretRef: {key: null}}}`, "secretRef has either key"},
		{"ChatServer", `database: {mode: Ephemeral}`, "external belongs to mode: External"},
		{"ChatServer", `database: {external: null}`, "external belongs to mode: External"},
		{"ChatServer", `database: {cloudNativePG: {}}`, "cloudNativePG belongs to mode: CloudNativePG"},
		{"ChatServer", `database: {ephemeral: {}}`, "spec.database: Invalid value: ephemeral belongs to mode: Ephemeral"},
		{"ChatServer", `database: {mode: Ephemeral, external: null}`, "logins.secretName belongs to mode: External"},
		{"ChatServer", `database: {logins: {rotationToken: "1"}}`, "rotationToken replaces the operator's own logins"},
		{"ChatServer", `database: {logins: {secretName: ""}}`, "spec.database.logins.secretName"},
		{"ChatServer", `cache: {mode: Ephemeral}`, "external belongs to mode: External"},
		{"ChatServer", `cache: {ephemeral: {}}`, "ephemeral belongs to mode: Ephemeral"},
		{"ChatServer", `cache: {ephemeral: {storageSize: -1Gi}}`, "storageSize isn't negative: 1Gi"},
		{"ChatServer", `database: {ephemeral: {storageSize: -1Gi}}`, "storageSize isn't negative: 1Gi"},
		{"ChatServer", `database: {cloudNativePG: {storageSize: -1Gi}}`, "storageSize isn't negative: 20Gi"},
		{"ChatServer", `exposure: {tls: {issuerRef: {name: acme}}}`, "tls has either secretName"},
		{"ChatServer", `exposure: {gateway: {parentRef: {name: public}}}`, "ingress and gateway are mutually exclusive"},
		{"ChatServer", `exposure: {scheme: http}`, "tls needs scheme: https"},
		{"ChatServer", `exposure: {ingress: null}`, "tls needs ingress or gateway"},
		{"ChatServer", `events: {autoscaling: {minReplicas: 6}}`, "minReplicas must not exceed maxReplicas"},
		{"ChatServer", `upgrade: {migrationTimeout: 9s}`, "migrationTimeout must be at least 10s"},
		{"ChatServer", `upgrade: {progressDeadline: 29s}`, "progressDeadline must be at least 30s"},
		{"ChatServer", `events: {resources: {requests: {memory: 1Gi}}}`, "autoscaling needs resources.requests.cpu"},
		{"ChatServer", `secrets: {rotateAfter: 59m}`, "rotateAfter must be at least 1h"},
		{"ChatServer", `secrets: {rotateAfter: 90d}`, "there are no days: 90 days are 2160h"},
		{"ChatServer", `upgrade: {migrationTimeout: soon}`, `spec.upgrade.migrationTimeout: Invalid value: "soon": a duration is written in hours`},
		{"ChatServer", `upgrade: {progressDeadline: "5"}`, `spec.upgrade.progressDeadline: Invalid value: "5": a duration is written in hours`},
		{"ChatServer", `monitoring: {metricsFrom: [{}]}`, "namespaceSelector or podSelector is needed"},
		{"ChatServer", `allowedNamespaces: {selector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}`, "Exists and DoesNotExist have none"},
		{"ChatServer", `allowedNamespaces: {selector: {matchExpressions: [{key: a b, operator: Exists}]}}`, "the key of a label is"},
		{"ChatServer", `allowedNamespaces: {selector: {matchLabels: {a/b/c: d}}}`, "the key of a label is"},
		{"ChatServer", `allowedNamespaces: {selector: {matchLabels: {a: b c}}}`, "the value of a label has"},
		{"ChatServer", `allowedNamespaces: {from: All}`, "selector requires from: Selector"},
		{"ChatServer", `allowedNamespaces: {selector: null}`, "selector requires from: Selector"},
		{"ChatServer", `version: v1`, "version is the version of a release, without a v"},
		{"ChatServer", `version: 1.5.0-01`, "a number in it has no leading zero"},
		{"ChatServer", `version: 1.5.0-rc..1`, "version is the version of a release, without a v"},
		{"ChatServer", `mail: {tlsMode: None}`, "a password isn't sent without TLS"},
		{"ChatServer", `mail: {host: "smtp.test?tls=none"}`, "spec.mail.host: Invalid value: \"smtp.test?tls=none\": host is the name or address of a server"},
		{"ChatServer", `mail: {host: "me@smtp.test"}`, "host is the name or address of a server"},
		{"ChatServer", `mail: {from: "Chat <chat@chat.test>"}`, "from is a mail address without a name"},
		{"ChatServer", `mail: {port: 65536}`, "spec.mail.port"},
		{"ChatServer", `mail: null`, "organizationSignup sends links by mail"},
		{"ChatServer", `files: {folder: {claimName: files}}`, "files are either in s3, a bucket, or in folder, a volume"},
		{"ChatServer", `files: {s3: null}`, "files are either in s3, a bucket, or in folder, a volume"},
		{"ChatServer", `files: {organizationQuota: 0}`, "organizationQuota is more than 0"},
		{"ChatServer", `files: {temporarySize: 63Mi}`, "temporarySize is at least 64Mi"},
		{"ChatServer", `files: {s3: {serviceAccountAnnotations: {a: b}}}`, "secretRef is a key for the bucket"},
		{"ChatServer", `files: {s3: {endpoint: "http://s3.test"}}`, "caSecretRef is for TLS"},
		{"ChatServer", `files: {s3: {endpoint: "https://s3.test/path"}}`, "endpoint is https:// or http:// and a host"},
		{"ChatServer", `files: {s3: {endpoint: "https://key:secret@s3.test"}}`, "endpoint is https:// or http:// and a host"},
		{"ChatServer", `files: {s3: {bucket: "../other"}}`, "bucket has letters, digits"},
		{"ChatServer", `files: {s3: {region: "eu west"}}`, "region has letters, digits and hyphens"},
		{"ChatServer", `files: {s3: null, folder: {claimName: ""}}`, "spec.files.folder.claimName"},
		{"ChatServer", `identityProviders: [{slot: idp_6, issuer: "https://a.test", clientID: a, displayName: A}]`, "spec.identityProviders[0].slot"},
		{"ChatServer", `identityProviders: [{slot: idp_1, issuer: "http://a.test", clientID: a, displayName: A}]`, "issuer begins with https://"},
		{"ChatServer", `identityProviders: [{slot: idp_1, issuer: "https://a.test", clientID: a, displayName: A, roles: {a: Member}}]`, "roles needs groupsClaim"},
		{"ChatServer", `identityProviders: [{slot: idp_1, issuer: "https://a.test", clientID: a, displayName: A, groupsClaim: g, roles: {a: Moderator}}]`, "spec.identityProviders[0].roles"},
		{"ChatServer", `identityProviders: [{slot: idp_1, issuer: "https://a.test", clientID: a, displayName: A, displayIcon: "javascript:alert(1)"}]`, "displayIcon is the address of a picture"},
		{"ChatServer", `identityProviders: [{slot: idp_1, issuer: "https://a.test", clientID: a, displayName: A}, {slot: idp_1, issuer: "https://b.test", clientID: b, displayName: B}]`, "Duplicate value"},
		{"ChatServer", `settings: {outgoingWebhookNetworks: [10.1.0.1]}`, "a network is written as 10.1.0.0/16"},
		{"ChatServer", `webPush: {networks: [10.1.0.1/16]}`, "a network is written as 10.1.0.0/16"},
		{"ChatServer", `settings: {outgoingWebhookNetworks: [10.1.0.1/16]}`, "a network is written as 10.1.0.0/16"},
		{"ChatServer", `settings: {trustedProxies: [100.64.0.1]}`, "a network is written as 10.1.0.0/16"},
		{"ChatServer", `settings: {trustedProxies: [private]}`, "a network is written as 10.1.0.0/16"},
		{"ChatServer", `settings: {trustedProxies: []}`, "spec.settings.trustedProxies"},
		{"ChatServer", `settings: {imageProxyMaxSize: 0}`, "imageProxyMaxSize is more than 0"},
		{"ChatServer", `settings: {eventLogKeep: 1d}`, `eventLogKeep: Invalid value: "1d": a duration is written in hours`},
		{"ChatServer", `settings: {maxStreams: 65536}`, "spec.settings.maxStreams"},
		{"ChatServer", `settings: {rateLimits: {logins: many}}`, "a rate is a number of calls and a period"},
		{"ChatServer", `settings: {rateLimitPerUser: 200/1d}`, "a rate is a number of calls and a period"},
		{"ChatServer", `settings: {jitsiServerURL: "calls.test"}`, "jitsiServerURL is an address"},
		{"ChatServer", `settings: {jitsiServerURL: "https://ann:secret@calls.test"}`, "jitsiServerURL is an address"},
		{"ChatServer", `settings: {traceEndpoint: "traces.test:4318"}`, "traceEndpoint begins with http:// or https://"},
		{"ChatServer", `host: "not a host"`, "host is a name in lower case"},
		{"ChatServer", `host: "chat.test:0"`, "host is a name in lower case"},
		{"ChatServer", `host: "chat.test:65536"`, "host is a name in lower case"},
		{"ChatServer", `host: 192.0.2.1`, "not an IP address"},
		{"ChatServer", `host: "192.0.2.1:8443"`, "not an IP address"},
		{"ChatServer", `mailIn: {from: null, fromNetworks: null}`, "from or fromNetworks is needed"},
		{"ChatServer", `mailIn: {fromNetworks: [10.1.0.1/16]}`, "a network is written as 10.1.0.0/16"},
		{"ChatServer", `mailIn: {addresses: chat@chat.test}`, "addresses is a mail address with one *"},
		{"ChatServer", `mailIn: {addresses: "long-pre*fix-too@chat.test"}`, "addresses has at most 12 characters"},
		{"Organization", `subdomain: "-eng"`, "subdomain has lower-case letters"},
		{"Organization", `owners: [{email: ada}]`, "email is a mail address"},
		{"Organization", `owners: [{email: ada@corp.test}, {email: Ada@corp.test}]`, "an owner is listed twice"},
		{"Organization", `owners: [{email: ada@corp.test, credentials: {secretName: a}}, {email: ben@corp.test, credentials: {secretName: a}}]`, "two owners have the same credentials.secretName"},
		{"Organization", `limits: {messageRetentionDays: 0}`, "messageRetentionDays is -1 (forever) or at least 1"},
		{"Organization", `domains: []`, "restrictedToDomains needs a domain"},
		{"Organization", `domains: [{domain: localhost}]`, "domain is a name in lower case"},
		{"Organization", `domains: [{domain: Corp.test}]`, "domain is a name in lower case"},
		{"Organization", `domains: [{domain: a.test}, {domain: a.test, allowSubdomains: true}]`, "Duplicate value"},
		{"Organization", `linkifiers: [{pattern: "a", urlFormat: "javascript:alert(1)"}]`, "urlFormat begins with http:// or https://"},
		{"Organization", `limits: {uploadQuota: -1}`, "uploadQuota is 0, for no limit"},
		{"Organization", `limits: {uploadQuota: 9Pi}`, "uploadQuota is 0, for no limit"},
		{"Organization", `permissions: {createStreams: Everybody}`, "spec.permissions.createStreams"},
		{"Organization", `mail: {digestDay: Someday}`, "spec.mail.digestDay"},
		{"Organization", `messages: {editLimitSeconds: -1}`, "spec.messages.editLimitSeconds"},
		{"Organization", `allowedNamespaces: {from: Selector, selector: {matchExpressions: [{key: a, operator: NotIn}]}}`, "the operators In and NotIn need values"},
		{"Organization", `allowedNamespaces: {from: Selector, selector: {matchExpressions: [{key: a, operator: Is, values: [b]}]}}`, "Unsupported value"},
		{"Organization", `allowedNamespaces: {from: Selector, selector: {matchLabels: {/a: b}}}`, "the key of a label is"},
		{"Organization", `allowedNamespaces: {from: Selector, selector: {matchExpressions: [{key: a, operator: In, values: [-b]}]}}`, "the value of a label has"},
		{"Organization", `allowedNamespaces: {selector: {}}`, "selector requires from: Selector"},
		{"Stream", `limits: 1`, "unknown field"},
		{"Stream", `privacy: Public`, "sharedHistory: false needs privacy: Private"},
		{"User", `email: "grace @corp.test"`, "email is a mail address"},
		{"User", `fullName: x`, "spec.fullName"},
		{"User", `role: Moderator`, "spec.role"},
		{"User", `initialPassword: {name: Ben, key: password}`, "a name has lower-case letters"},
		{"User", `initialPassword: {name: ben, key: "pass word"}`, "a key of a Secret has letters"},
		{"User", `groups: [desk, desk]`, "Duplicate value"},
		{"User", `announce: true`, "initialPassword and announce exclude each other"},
		{"Organization", `userGroups: [{name: " ops"}]`, "the name of a group is one line"},
		{"Organization", `userGroups: [{name: ops}, {name: ops}]`, "Duplicate value"},
		{"Bot", `shortName: "-x"`, "shortName has lower-case letters"},
		{"IncomingWebhook", `integration: Alertmanager`, "integration is the name of one in the documentation"},
		{"IncomingWebhook", `shortName: "x-"`, "shortName has lower-case letters"},
		{"IncomingWebhook", `{stream: null, topic: null, owner: null}`, "stream or owner is needed"},
		{"IncomingWebhook", `stream: null`, "topic needs stream"},
	}
	for _, kind := range []string{"Bot", "IncomingWebhook", "Organization"} {
		for _, c := range []struct{ credentials, message string }{
			{"{secretName: a, rotateAfter: 24h, gracePeriod: 24h}", "gracePeriod must be shorter than rotateAfter"},
			{"{secretName: a, rotateAfter: 24h}", "gracePeriod must be shorter than rotateAfter"},
			{"{secretName: a, rotateAfter: 59m, gracePeriod: 1m}", "rotateAfter must be at least 1h"},
			{"{secretName: Key}", "a name has lower-case letters"},
			{"{secretName: a, gracePeriod: 721h}", "gracePeriod must be between 0s and 720h"},
			{"{secretName: a, rotateAfter: 90d}", `rotateAfter: Invalid value: "90d": a duration is written in hours`},
			{"{secretName: a, rotateAfter: 99999999999h}", `rotateAfter: Invalid value: "99999999999h": a duration is written in hours`},
			{"{secretName: a, gracePeriod: -1h}", `gracePeriod: Invalid value: "-1h": a duration is written in hours`},
		} {
			patch := "credentials: " + c.credentials
			if kind == "Organization" {
				patch = "owners: [{email: a@b.test, credentials: " + c.credentials + "}]"
			}
			list = append(list, bad{kind, patch, c.message})
		}
	}
	return list
}

// updated are refused as changes of what is there.
func updated() []bad {
	return []bad{
		{"ChatServer", `events: {replicas: 4}`, "replicas has no effect while autoscaling is set"},
		{"ChatServer", `host: other.test`, "host can't be changed"},
		{"ChatServer", `version: 1.5.0`, "version can't be changed while a digest in image.digests stays the same"},
		{"ChatServer", `database: {mode: Ephemeral, external: null}`, "database.mode can't be changed"},
		{"Organization", `serverRef: {name: other}`, "serverRef can't be changed"},
		{"Organization", `serverRef: {namespace: null}`, "serverRef can't be changed"},
		{"Organization", `subdomain: other`, "subdomain can't be changed"},
		{"Organization", `subdomain: null`, "subdomain can't be changed"},
		{"Organization", `owners: [{email: ada@corp.test, credentials: {secretName: other}}]`, "secretName can't be changed"},
		{"Stream", `organizationRef: {name: other}`, "organizationRef can't be changed: a stream"},
		{"User", `organizationRef: {namespace: other}`, "organizationRef can't be changed: an account"},
		{"Bot", `organizationRef: {namespace: other}`, "organizationRef can't be changed: a bot"},
		{"Bot", `shortName: null`, "shortName can't be changed: it is in the bot's address"},
		{"Bot", `credentials: {secretName: other}`, "secretName can't be changed"},
		{"IncomingWebhook", `organizationRef: {name: other}`, "organizationRef can't be changed: a webhook"},
		{"IncomingWebhook", `shortName: other`, "shortName can't be changed: it is in the address"},
		{"IncomingWebhook", `integration: other`, "integration can't be changed"},
		{"IncomingWebhook", `credentials: {secretName: other}`, "secretName can't be changed"},
	}
}

// rules are the messages of each kind's rules. One without a message, which would say nothing to people, is
// found here, too.
func rules(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for kind, crd := range crds(t) {
		messages := map[string]bool{}
		var walk func(apiextensionsv1.JSONSchemaProps)
		walk = func(p apiextensionsv1.JSONSchemaProps) {
			for _, rule := range p.XValidations {
				if rule.Message == "" {
					t.Errorf("a rule of %s has no message: %s", kind, rule.Rule)
				}
				messages[rule.Message] = true
			}
			for _, below := range p.Properties {
				walk(below)
			}
			if p.Items != nil && p.Items.Schema != nil {
				walk(*p.Items.Schema)
			}
			if p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
				walk(*p.AdditionalProperties.Schema)
			}
		}
		walk(*crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
		found[kind] = slices.Sorted(maps.Keys(messages))
	}
	return found
}

// volumeStep changes what a server says of its volumes. Its message is empty where it may.
type volumeStep struct {
	before, after v1alpha1.ChatServerSpec
	message       string
}

func (s volumeStep) try(t *testing.T, c client.Client) error {
	t.Helper()
	server := &v1alpha1.ChatServer{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "volumes-"}, Spec: s.before}
	if err := c.Create(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	server.Spec.Database, server.Spec.Cache = s.after.Database, s.after.Cache
	return c.Update(t.Context(), server)
}

func volumeSteps() []volumeStep {
	trial := func(class, size string) *v1alpha1.Trial {
		return &v1alpha1.Trial{StorageClass: class, StorageSize: resource.MustParse(size)}
	}
	managed := func(class, size string) *v1alpha1.CloudNativePG {
		return &v1alpha1.CloudNativePG{StorageClass: class, StorageSize: resource.MustParse(size)}
	}
	return []volumeStep{
		{trialSpec(nil, nil), trialSpec(trial("", "1Gi"), trial("", "1Gi")), ""},
		{trialSpec(nil, nil), trialSpec(trial("", "2Gi"), nil), "ephemeral.storageSize can't be changed"},
		{trialSpec(nil, nil), trialSpec(nil, trial("fast", "1Gi")), "ephemeral.storageClass can't be changed"},
		{trialSpec(trial("fast", "1Gi"), nil), trialSpec(nil, nil), "ephemeral.storageClass can't be changed"},
		{trialSpec(nil, trial("", "2Gi")), trialSpec(nil, trial("", "3Gi")), "ephemeral.storageSize can't be changed"},
		{managedSpec(managed("", "20Gi")), managedSpec(managed("", "0.1Ti")), ""},
		{managedSpec(nil), managedSpec(managed("", "30Gi")), ""},
		{managedSpec(managed("", "20Gi")), managedSpec(managed("", "19Gi")), "storageSize can grow, but not shrink"},
		{managedSpec(managed("", "20Gi")), managedSpec(managed("fast", "20Gi")), "cloudNativePG.storageClass can't be changed"},
		{managedSpec(nil), managedSpec(managed("fast", "20Gi")), "cloudNativePG.storageClass can't be changed"},
	}
}

func trialSpec(database, cache *v1alpha1.Trial) v1alpha1.ChatServerSpec {
	return v1alpha1.ChatServerSpec{
		Version: "1.0.0", Host: "chat.test",
		Database: v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral, Ephemeral: database},
		Cache:    v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral, Ephemeral: cache},
	}
}

func managedSpec(database *v1alpha1.CloudNativePG) v1alpha1.ChatServerSpec {
	spec := trialSpec(nil, nil)
	spec.Database = v1alpha1.Database{Mode: v1alpha1.DatabaseCloudNativePG, CloudNativePG: database}
	return spec
}
