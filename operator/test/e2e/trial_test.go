//go:build e2e

package e2e_test

import (
	"fmt"
	"testing"
)

// trial returns a small server with PostgreSQL and Redis of its own.
func trial(name, version string) string {
	return fmt.Sprintf(`
apiVersion: chatserver.dev/v1alpha1
kind: ChatServer
metadata: {name: %s}
spec:
  version: %s
  host: %[1]s.localhost
  database: {mode: Ephemeral}
  cache: {mode: Ephemeral}
  api: {replicas: 1}
  events: {replicas: 1}
  webhook: {replicas: 1}
  allowedNamespaces: {from: All}
`, name, version)
}

// organization returns the organization org of a server that may be in another namespace.
func organization(server, namespace string) string {
	return fmt.Sprintf(`
apiVersion: chatserver.dev/v1alpha1
kind: Organization
metadata: {name: org}
spec:
  serverRef: {name: %s, namespace: %s}
  name: Org
  owners: [{email: %s, credentials: {secretName: org-owner}}]
  allowedNamespaces: {from: All}
`, server, namespace, owner)
}

// guests returns a stream, a bot and a webhook of an organization that may be in another namespace.
func guests(organization, namespace string) string {
	return fmt.Sprintf(`
apiVersion: chatserver.dev/v1alpha1
kind: Stream
metadata: {name: news}
spec:
  organizationRef: {name: %[1]s, namespace: %[2]s}
  name: news
---
apiVersion: chatserver.dev/v1alpha1
kind: Bot
metadata: {name: crier}
spec:
  organizationRef: {name: %[1]s, namespace: %[2]s}
  fullName: Crier
  subscriptions: [news]
  credentials: {secretName: crier, gracePeriod: 10s}
---
apiVersion: chatserver.dev/v1alpha1
kind: IncomingWebhook
metadata: {name: hook}
spec:
  organizationRef: {name: %[1]s, namespace: %[2]s}
  integration: helloworld
  stream: news
  credentials: {secretName: hook}
`, organization, namespace)
}

// startTrial starts a server with everything in it in its own namespace.
func startTrial(t *testing.T, name, version string) {
	t.Helper()
	makeNamespace(t, name)
	apply(t, name, trial(name, version)+"---"+organization(name, name)+"---"+guests("org", name))
}

// trialWithGuests has a server with everything in it in its own namespace, which goes with the test.
func trialWithGuests(t *testing.T, name, version string) {
	t.Helper()
	startTrial(t, name, version)
	deleteWith(t, name)
	ready(t, name, "chatserver/"+name, "organization/org", "stream/news", "bot/crier", "incomingwebhook/hook")
}
