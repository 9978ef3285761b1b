//go:build e2e

package e2e_test

import (
	"strings"
	"testing"
	"time"

	"chatserver.dev/operator/api/v1alpha1"
)

// may reports whether an operator may do something with a resource, or with a part of one, as in pods/exec.
func may(t *testing.T, system, account, verb, resource, namespace string) bool {
	t.Helper()
	resource, part, _ := strings.Cut(resource, "/") // kubectl takes what is behind a slash for a name
	return can(t, verb, resource, "--subresource="+part, "-n", namespace, "--as=system:serviceaccount:"+system+":"+account)
}

// can reports the answer of `kubectl auth can-i`.
func can(t *testing.T, args ...string) bool {
	t.Helper()
	out, err := try(append([]string{"auth", "can-i"}, args...)...)
	if out != "yes" && out != "no" {
		t.Fatal(err)
	}
	return out == "yes"
}

// TestRolesOfAClusterOperator asks what the operator of all namespaces may do.
func TestRolesOfAClusterOperator(t *testing.T) {
	install(t)
	for _, c := range []struct {
		verb, resource string
		want           bool
	}{
		{"create", "deployments.apps", true},
		{"update", "deployments.apps", false}, // patch will do
		{"patch", "secrets", false},
		{"patch", "bots.chatserver.dev/status", true},
		{"delete", "namespaces", false},
		{"create", "clusterroles.rbac.authorization.k8s.io", false},
		{"create", "rolebindings.rbac.authorization.k8s.io", false},
		{"create", "pods/exec", false},
		{"create", "pods", false},
		{"delete", "bots.chatserver.dev", false},
		{"create", "serviceaccounts/token", false},
		{"get", "nodes", false},
	} {
		if got := may(t, system, deploy, c.verb, c.resource, chat); got != c.want {
			t.Errorf("%s %s: %v", c.verb, c.resource, got)
		}
	}
	for _, c := range []struct {
		lease, namespace string
		want             bool
	}{{deploy, system, true}, {"another", system, false}, {deploy, chat, false}} {
		got := can(t, "update", "leases.coordination.k8s.io/"+c.lease, "-n", c.namespace, "--as=system:serviceaccount:"+system+":"+deploy)
		if got != c.want {
			t.Errorf("update lease %s in %s: %v", c.lease, c.namespace, got)
		}
	}
}

// TestOperatorOfSomeNamespaces installs one that may see a single namespace, and works there.
func TestOperatorOfSomeNamespaces(t *testing.T) {
	install(t)
	kubectl(t, "scale", "-n", system, "deployment/"+deploy, "--replicas=0")
	t.Cleanup(func() {
		kubectl(t, "scale", "-n", system, "deployment/"+deploy, "--replicas=1")
		kubectl(t, "rollout", "status", "-n", system, "deployment/"+deploy, "--timeout=1m")
	})
	kubectl(t, "wait", "-n", system, "--for=delete", "pod", "-l", "app.kubernetes.io/name=chatserver-operator", "--timeout=1m")
	const home, seen, unseen, account = "narrow-system", "narrow", "unseen", "narrow-chatserver-operator"
	for _, name := range []string{home, seen, unseen} {
		namespace(t, name)
	}
	helm(t, "upgrade", "--install", "narrow", "charts/chatserver-operator", "-n", home, "-f", values(t, operatorValues),
		"--set", "crds.enabled=false,watchNamespaces={"+seen+"}", "--wait", "--timeout=1m")
	t.Cleanup(func() { helm(t, "uninstall", "narrow", "-n", home, "--wait") })
	apply(t, unseen, organization(server, chat))
	apply(t, seen, trial(seen, version)+"---"+organization(seen, seen)+"---"+guests("org", seen))
	ready(t, seen, "chatserver/"+seen, "organization/org", "stream/news", "bot/crier", "incomingwebhook/hook")

	for _, c := range []struct {
		verb, resource, namespace string
		want                      bool
	}{
		{"create", "deployments.apps", seen, true},
		{"get", "secrets", seen, true},
		{"get", "secrets", chat, false},
		{"list", "secrets", "kube-system", false},
		{"list", "chatservers.chatserver.dev", unseen, false},
		{"get", "namespaces", seen, false},
	} {
		if got := may(t, home, account, c.verb, c.resource, c.namespace); got != c.want {
			t.Errorf("%s %s in %s: %v", c.verb, c.resource, c.namespace, got)
		}
	}
	for _, kind := range []string{"clusterroles", "clusterrolebindings"} {
		if got := kubectl(t, "get", kind, "-o", "name"); strings.Contains(got, account) {
			t.Errorf("there are %s of it: %s", kind, got)
		}
	}
	time.Sleep(2 * time.Second)
	if got := field(t, unseen, "organization/org", ".status.conditions[*].reason"); got != v1alpha1.ReasonPending {
		t.Errorf("the conditions of what it doesn't see: %s", got)
	}
	for _, name := range []string{"bots/crier", "incomingwebhooks/hook", "streams/news", "organizations/org", "chatservers/" + seen} {
		kubectl(t, "delete", "-n", seen, name, "--timeout=1m")
	}
}
