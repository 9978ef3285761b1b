//go:build e2e

package e2e_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// operatorValues have the images that were made of Debian's packages, and a short time between comparisons.
const operatorValues = `
trialImages:
  postgres: {registry: chatserver.test, repository: postgres, tag: "15"}
  redis: {registry: chatserver.test, repository: redis, tag: "7"}
resync: 20s
`

// serverValues have what is left to say: traffic of the tests is more than people make.
const serverValues = `
server:
  spec:
    version: ` + version + `
    host: ` + host + `
    settings: {rateLimitPerUser: 100000/1m}
    allowedNamespaces: {from: All}
organization:
  spec:
    owners: [{email: ` + owner + `}]
    allowedNamespaces: {from: All}
`

// values writes a file of values.
func values(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func installOperator(t testing.TB) {
	t.Helper()
	makeNamespace(t, system)
	helm(t, "upgrade", "--install", "operator", "charts/chatserver-operator", "-n", system, "-f", values(t, operatorValues), "--wait", "--timeout=2m")
}

func installServer(t testing.TB) {
	t.Helper()
	makeNamespace(t, chat)
	helm(t, "upgrade", "--install", server, "charts/chatserver", "-n", chat, "-f", values(t, serverValues), "--wait", "--timeout=2m")
}

// installed is done once in a run.
var installed sync.Once

// install sees to it that operator and server are there. A run of all tests then starts the servers of those that run side by
// side: they are ready once the tests that run alone, which leave the machine idle, are over.
func install(t *testing.T) {
	t.Helper()
	t.Cleanup(func() { record(t) })
	installed.Do(func() {
		installOperator(t)
		installServer(t)
		if flag.Lookup("test.run").Value.String() == "" {
			startTrial(t, upgraded, patched)
			startTrial(t, lender, version)
		}
	})
	ready(t, chat, "chatserver/"+server, "organization/"+server)
}

// record writes how everything is into files when the test has failed.
func record(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		return
	}
	folder := filepath.Join(artifacts, t.Name())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Error(err)
		return
	}
	for name, args := range map[string]string{
		"objects.yaml":        "get all,pvc -A -o yaml --show-managed-fields=false",
		"conditions.txt":      "get chatservers,organizations,streams,users,bots,incomingwebhooks -A -o yaml",
		"pods.txt":            "describe pods -A",
		"events.txt":          "get events -A --sort-by=.lastTimestamp",
		"operator.log":        "logs -n " + system + " -l app.kubernetes.io/name=chatserver-operator --tail=-1 --prefix",
		"operator.before.log": "logs -n " + system + " -l app.kubernetes.io/name=chatserver-operator --tail=-1 --prefix --previous",
		"server.log":          "logs -n " + chat + " -l app.kubernetes.io/name=chatserver --tail=-1 --prefix --all-containers --max-log-requests=40",
	} {
		text, err := try(strings.Fields(args)...)
		if err != nil {
			text += "\n" + err.Error()
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	t.Logf("how the cluster was: %s", folder)
}

// TestInstallToReady installs both charts into namespaces that enforce the strictest Pod Security, and has
// the chart's own test use the server.
func TestInstallToReady(t *testing.T) {
	began := time.Now()
	install(t)
	t.Logf("ready after %s", time.Since(began).Round(time.Second))
	for _, name := range []string{system, chat} {
		if got := field(t, name, "namespace/"+name, `.metadata.labels.pod-security\.kubernetes\.io/enforce`); got != "restricted" {
			t.Errorf("Pod Security of %s is %q", name, got)
		}
	}
	logs := helm(t, "test", server, "-n", chat, "--logs", "--timeout=2m")
	for _, step := range []string{"ok: send a message and get its event", "ok: call an incoming webhook and get the event of its message"} {
		if !strings.Contains(logs, step) {
			t.Errorf("helm test didn't say %q:\n%s", step, logs)
		}
	}
	if restarts := field(t, system, "pods", ".items[*].status.containerStatuses[*].restartCount"); strings.Trim(restarts, "0 ") != "" {
		t.Errorf("the operator was restarted: %s", restarts)
	}
	if got := field(t, chat, "chatserver/"+server, ".status.organizations"); got != "1" {
		t.Errorf("status.organizations is %q", got)
	}
}

// TestHelmUpgradeThatChangesNothing upgrades both releases to what they are.
func TestHelmUpgradeThatChangesNothing(t *testing.T) {
	install(t)
	servers, operators := pods(t, chat), pods(t, system)
	written := versions(t, "deployments,statefulsets,services,chatservers")
	installOperator(t)
	installServer(t)
	time.Sleep(3 * time.Second) // a restart that was asked for would have begun
	if got := pods(t, chat); !maps.Equal(got, servers) {
		t.Errorf("pods of the server were %v and are %v", servers, got)
	}
	if got := pods(t, system); !maps.Equal(got, operators) {
		t.Errorf("pods of the operator were %v and are %v", operators, got)
	}
	if got := versions(t, "deployments,statefulsets,services,chatservers"); !maps.Equal(got, written) {
		t.Errorf("versions of objects were %v and are %v", written, got)
	}
}
