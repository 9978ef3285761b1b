//go:build e2e

package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// TestBadSpecsAreRefused applies what can't be, and reads what the API server says.
func TestBadSpecsAreRefused(t *testing.T) {
	install(t)
	good := trial("refused", version)
	replaced := func(old, by string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("there is no %q to replace", old)
		}
		return strings.Replace(good, old, by, 1)
	}
	for _, c := range []struct{ document, want string }{
		{replaced("database: {mode: Ephemeral}", "database: {mode: External}"), "external belongs to mode: External: set both or leave external out"},
		{replaced("version: "+version, "version: latest"), "spec.version"},
		{replaced("name: refused", "name: Refused.1"), "metadata.name"},
		{replaced("name: refused", "name: r.1"), "begins with a letter and consists of lower-case letters, digits and hyphens, no dots"},
		{replaced("api: {replicas: 1}", "api: {autoscaling: {maxReplicas: 3}, resources: {requests: {memory: 1Mi}}}"), "autoscaling needs resources.requests.cpu: the load is measured against it"},
		{replaced("api: {replicas: 1}", "api: {replica: 1}"), `unknown field "spec.api.replica"`},
		{replaced("cache:", "exposure: {ingress: {}, gateway: {parentRef: {name: g}}}\n  cache:"), "ingress and gateway are mutually exclusive: keep one"},
		{replaced("cache:", "exposure: {tls: {secretName: s}}\n  cache:"), "tls needs ingress or gateway: without them nothing terminates TLS"},
		{strings.Replace(guests("org", chat), "stream: news", "topic: t", 1), "stream or owner is needed: the webhook's messages need a destination"},
		{strings.Replace(organization(server, chat), "owners: [", "owners: [] #", 1), "spec.owners"},
	} {
		_, err := run(c.document+"\n", "kubectl", "apply", "-n", chat, "--dry-run=server", "-f", "-") // other documents are right
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
	for change, want := range map[string]string{
		`{"spec":{"host":"other.localhost"}}`:                                  "host can't be changed: clients and webhooks have it in their addresses; create another ChatServer",
		`{"spec":{"database":{"mode":"CloudNativePG"}}}`:                       "database.mode can't be changed: the data would stay behind; move the data to a new ChatServer",
		`{"spec":{"upgrade":{"progressDeadline":"1s"}}}`:                       "progressDeadline must be at least 30s",
		`{"spec":{"cache":{"external":{"secretRef":{"name":"a","key":"b"}}}}}`: "external belongs to mode: External",
		`{"spec":{"image":{"digests":{"api":"sha256:1"}}}}`:                    "digests have the keys api, events and webhook",
		`{"spec":{"settings":{"rateLimitPerUser":"many"}}}`:                    "spec.settings.rateLimitPerUser",
	} {
		if _, err := try("patch", "-n", chat, "chatserver/"+server, "--type=merge", "-p", change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", change, want, err)
		}
	}
	ready(t, chat, "chatserver/"+server)
}

// TestBadReferencesAreSaid refers to what isn't there or doesn't work, and reads in conditions what it is and what to do.
// Pods that run stay.
func TestBadReferencesAreSaid(t *testing.T) {
	install(t)
	t.Parallel()
	const name = "broken" // it uses the database and cache of the lender
	trialWithGuests(t, lender, version)
	namespace(t, name)
	database := fmt.Sprintf("postgres://chatserver:%s@%s/chatserver?sslmode=disable", secret(t, lender, lender+"-postgres", "password"), address(t, lender, lender+"-postgres"))
	cache := fmt.Sprintf("redis://:%s@%s/0", secret(t, lender, lender+"-redis", "password"), address(t, lender, lender+"-redis"))
	set := func(secret, key, value string) {
		t.Helper()
		apply(t, name, fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: %s}\nstringData: {%s: %q}\n", secret, key, value))
	}
	object := "chatserver/" + name
	document := strings.NewReplacer(
		"database: {mode: Ephemeral}", "database: {mode: External, external: {secretRef: {name: db, key: uri}}}",
		"cache: {mode: Ephemeral}", "cache: {mode: External, external: {secretRef: {name: redis, key: url}}}",
		"  webhook: {replicas: 1}", "  webhook: {replicas: 1}\n  upgrade: {progressDeadline: 30s}").Replace(trial(name, version))

	apply(t, name, document)
	says(t, name, object, "DependenciesReady", "SecretNotFound", "db")
	set("db", "url", database)
	says(t, name, object, "DependenciesReady", "SecretKeyMissing", "db", "uri")
	set("db", "uri", "not an address")
	set("redis", "url", cache)
	says(t, name, object, "DependenciesReady", "SecretInvalid", "db")
	set("db", "uri", "postgres://chatserver:wrong@"+address(t, lender, lender+"-postgres")+"/chatserver?sslmode=disable")
	says(t, name, object, "MigrationsApplied", "PreflightFailed", "password authentication failed")
	set("db", "uri", "postgres://chatserver:wrong@10.255.255.1:5432/chatserver?sslmode=disable&connect_timeout=3")
	says(t, name, object, "MigrationsApplied", "PreflightFailed", "10.255.255.1")
	set("db", "uri", database)
	ready(t, name, object)

	before := serverPods(t, name)
	set("db", "uri", "postgres://chatserver:wrong@"+address(t, lender, lender+"-postgres")+"/chatserver?sslmode=disable")
	says(t, name, object, "Stalled", "PreflightFailed", name+"-migrate-", "password authentication failed", version+" is still serving")
	stillServes(t, name, before, "a wrong password")
	set("db", "uri", database)
	ready(t, name, object)
	if got := serverPods(t, name); len(got) != len(before) {
		t.Errorf("pods were %v and are %v", maps.Keys(before), maps.Keys(got))
	}
}

// TestFailedRolloutsAreSaid changes a server to what can't run, and reads in conditions why and what to do. Pods that
// run stay.
func TestFailedRolloutsAreSaid(t *testing.T) {
	install(t)
	t.Parallel()
	const name, object = "stuck", "chatserver/stuck"
	namespace(t, name)
	apply(t, name, strings.Replace(trial(name, version), "  webhook: {replicas: 1}", "  webhook: {replicas: 1}\n  upgrade: {progressDeadline: 30s}", 1))
	ready(t, name, object)
	before := serverPods(t, name)

	patch(t, name, object, `{"spec":{"version":"0.1.9"}}`)
	says(t, name, object, "Ready", name+"-migrate-", "api:0.1.9", version+" is still serving")
	stillServes(t, name, before, "an image that isn't there")
	patch(t, name, object, `{"spec":{"version":"`+version+`"}}`)
	ready(t, name, object)

	patch(t, name, object, `{"spec":{"events":{"podTemplate":{"spec":{"nodeSelector":{"no":"node"}}}}}}`)
	says(t, name, object, "Stalled", "RolloutFailed", name+"-events", "correct the cause or revert the spec", version+" is still serving")
	stillServes(t, name, before, "pods that find no node")
	kubectl(t, "patch", "-n", name, object, "--type=json", "-p", `[{"op":"remove","path":"/spec/events/podTemplate"}]`)
	ready(t, name, object)
}

// serverPods returns the pods of a server, with their UIDs.
func serverPods(t *testing.T, name string) map[string]string {
	t.Helper()
	return pods(t, name, "-l", "app.kubernetes.io/name=chatserver")
}

// stillServes checks that pods from before are there, and that the server responds, although something is broken.
func stillServes(t *testing.T, name string, before map[string]string, broken string) {
	t.Helper()
	now := serverPods(t, name)
	for pod, uid := range before {
		if now[pod] != uid {
			t.Errorf("%s: pod %s, which ran before, is gone", broken, pod)
		}
	}
	request := &connection{address: address(t, name, name+"-api")}
	defer request.close()
	if err := request.call(account{site: name + ".localhost"}, http.MethodGet, "/server_settings", nil, nil); err != nil && !strings.Contains(err.Error(), "subdomain") {
		t.Errorf("%s: %v", broken, err)
	}
}
