package charts_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chatserver.dev/operator/api/v1alpha1"
)

const (
	// The chart chatserver requires an owner.
	owner  = "organization.spec.owners[0].email=ada@corp.example"
	long   = "a-name-for-a-release-that-is-longer-than-forty"
	digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// TestValues shows the effects of values that no file in a folder ci sets.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, chart string
		set         []string
		has, lacks  []string // parts of the rendered text
	}{
		{
			"pods are spread as the values say", "chatserver-operator",
			[]string{"replicas=2", "topologySpreadConstraints[0].topologyKey=rack"},
			[]string{"topologySpreadConstraints:\n        - topologyKey: rack\n"},
			[]string{"topology.kubernetes.io/zone"},
		},
		{
			"an existing ServiceAccount is used", "chatserver-operator",
			[]string{"serviceAccount.create=false", "serviceAccount.name=theirs"},
			[]string{"serviceAccountName: \"theirs\"\n", "- kind: ServiceAccount\n    name: \"theirs\"\n"},
			[]string{"\nkind: ServiceAccount\n"},
		},
		{
			"all images come from one registry", "chatserver-operator",
			[]string{"global.imageRegistry=mirror.example", "image.tag=1.2.3"},
			[]string{
				"image: mirror.example/chatserver/chatserver/operator:1.2.3\n", "-repository=mirror.example/chatserver/chatserver\n",
				"-redis-image=mirror.example/library/redis:7.2\n",
			},
			[]string{"ghcr.io", "docker.io"},
		},
		{
			// An upgrade of the chart replaces trial databases, whose files another major version can't use.
			"trial databases keep their major version", "chatserver-operator", nil,
			[]string{"-postgres-image=docker.io/library/postgres:17\n"},
			nil,
		},
		{
			"servers and their trial dependencies have images of their own", "chatserver-operator",
			[]string{
				"serverImages.registry=a.example", "trialImages.postgres.registry=b.example", "trialImages.postgres.digest=" + digest,
				"trialImages.redis.registry=c.example", "trialImages.redis.repository=own/cache", "trialImages.redis.digest=" + digest,
			},
			[]string{
				"-repository=a.example/chatserver/chatserver\n", "-postgres-image=b.example/library/postgres@" + digest + "\n",
				"-redis-image=c.example/own/cache@" + digest + "\n",
			},
			nil,
		},
		{
			"a digest wins over a tag", "chatserver-operator",
			[]string{"image.tag=1.2.3", "image.digest=" + digest},
			[]string{"image: ghcr.io/chatserver/chatserver/operator@" + digest + "\n"},
			nil,
		},
		{
			"labels don't hide the operator's pods", "chatserver-operator",
			[]string{`commonLabels.app\.kubernetes\.io/instance=other`, `podLabels.app\.kubernetes\.io/component=other`},
			nil,
			[]string{": other\n"},
		},
		{
			// The operator refuses those that are its own.
			"the operator gets labels for what it creates", "chatserver",
			[]string{owner, `commonLabels.corp\.example/team=chat`, `commonLabels.app\.kubernetes\.io/part-of=other`, `server.spec.commonLabels.corp\.example/cost=a`},
			[]string{"  commonLabels:\n    corp.example/cost: a\n    corp.example/team: chat\n"},
			[]string{": other\n"},
		},
		{
			"two releases in a namespace don't wait for each other", "chatserver-operator",
			[]string{"fullnameOverride=other"},
			[]string{"- -lease=other\n", "resourceNames: [\"other\"]\n"},
			nil,
		},
		{
			"there is no policy", "chatserver-operator",
			[]string{"networkPolicy.enabled=false"},
			[]string{"kind: Deployment\n"},
			[]string{"kind: NetworkPolicy\n"},
		},
		{
			"roles are part of no role of the cluster", "chatserver-operator",
			[]string{"rbac.people.aggregate=false"},
			[]string{"name: main-chatserver-operator-view\n"},
			[]string{"aggregate-to"},
		},
		{
			"there are no roles", "chatserver-operator",
			[]string{"rbac.create=false", "rbac.people.create=false"},
			[]string{"kind: Deployment\n"},
			[]string{"Role\n", "RoleBinding\n"},
		},
		{
			"there is no web client", "chatserver",
			[]string{owner, "web.enabled=false"},
			[]string{"  web:\n    enabled: false\n"},
			nil,
		},
		{
			"a server of another version", "chatserver",
			[]string{owner, "server.spec.version=1.4.1"},
			[]string{"version: 1.4.1\n", "image: ghcr.io/chatserver/chatserver/api:1.4.1\n"},
			nil,
		},
		{
			"the test has the server's images", "chatserver",
			[]string{owner, "server.spec.version=1.4.2", "server.spec.image.repository=mirror.example/chat", "server.spec.image.pullSecrets[0].name=registry"},
			[]string{"image: mirror.example/chat/api:1.4.2\n", "  imagePullSecrets:\n    - name: registry\n  containers:\n"},
			nil,
		},
		{
			"the test's image comes from the registry of all", "chatserver",
			[]string{owner, "server.spec.version=1.4.2", "global.imageRegistry=mirror.example"},
			[]string{"image: mirror.example/chatserver/chatserver/api:1.4.2\n"},
			nil,
		},
		{
			"there is no test", "chatserver",
			[]string{owner, "tests.enabled=false"},
			[]string{"kind: Organization\n"},
			[]string{"helm.sh/hook", "kind: Bot\n", "kind: Pod\n"},
		},
		{
			"pod templates have all fields", "chatserver",
			[]string{owner, "server.spec.api.podTemplate.spec.hostAliases[0].ip=10.0.0.1", "server.spec.api.podTemplate.spec.hostAliases[0].hostnames={db}"},
			[]string{"ip: 10.0.0.1\n"},
			nil,
		},
		{
			"quantities are numbers or text", "chatserver",
			[]string{owner, "server.spec.api.resources.limits.cpu=2", "server.spec.api.resources.limits.memory=1Gi"},
			[]string{"cpu: 2\n", "memory: 1Gi\n"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := render(t, release, filepath.Join(chartsDir, c.chart), sets(c.set)...)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range c.has {
				if !strings.Contains(string(out), part) {
					t.Errorf("%q is missing in\n%s", part, out)
				}
			}
			for _, part := range c.lacks {
				if strings.Contains(string(out), part) {
					t.Errorf("%q is in\n%s", part, out)
				}
			}
		})
	}
}

// TestWrongValues shows the errors of Helm for invalid values.
func TestWrongValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chart string
		set   []string
		want  string // a regular expression
	}{
		{"chatserver-operator", []string{"serviceAccount.create=false"}, "serviceAccount.name is missing"},
		{"chatserver-operator", []string{"metrics.service=false", "metrics.serviceMonitor.enabled=true"}, "needs metrics.service=true"},
		{"chatserver-operator", []string{"replica=2"}, "additional properties 'replica' not allowed"},
		{"chatserver-operator", []string{"watchNamespaces={team a}"}, "at '/watchNamespaces/0'"},
		{"chatserver-operator", []string{"image.digest=sha256:short"}, "at '/image/digest'"},
		{"chatserver-operator", []string{"logLevel=loud"}, "at '/logLevel'"},
		{"chatserver-operator", []string{"image.tag=1.4 2"}, "at '/image/tag': '1.4 2' does not match pattern"},
		{"chatserver-operator", []string{"image.registry=https://registry.corp.example"}, "at '/image/registry': 'https://registry.corp.example' does not match pattern"},
		{"chatserver-operator", []string{"serverImages.repository="}, "at '/serverImages/repository': '' does not match pattern"},
		{"chatserver-operator", []string{"global.imageRegistry=registry.corp.example/"}, "at '/global/imageRegistry': 'registry.corp.example/' does not match pattern"},
		{"chatserver", []string{owner, "global.imageRegistry=https://registry.corp.example"}, "at '/global/imageRegistry': 'https://registry.corp.example' does not match pattern"},
		{"chatserver-operator", []string{"trialImages.redis.tag=redis:7"}, "at '/trialImages/redis/tag': 'redis:7' does not match pattern"},
		{"chatserver-operator", []string{"fullnameOverride=Chat_Operator"}, "at '/fullnameOverride': 'Chat_Operator' does not match pattern"},
		{"chatserver-operator", []string{"extraEnv[0].name=GOGC,extraEnv[0].value=50"}, "at '/extraEnv/0/value': got number, want string"},
		// Without ports, the rule would allow connections to all ports.
		{"chatserver-operator", []string{"networkPolicy.restrictEgress=true", "networkPolicy.apiServerPorts=null"}, "at '/networkPolicy': missing property 'apiServerPorts'"},
		{"chatserver-operator", []string{"networkPolicy.restrictEgress=true", "networkPolicy.apiServerPorts={0}"}, "at '/networkPolicy/apiServerPorts/0'"},
		{"chatserver-operator", []string{"networkPolicy=null"}, "missing property 'networkPolicy'"},
		{"chatserver-operator", []string{"metrics=null"}, "missing property 'metrics'"},
		{"chatserver-operator", []string{"image=null"}, "missing property 'image'"},
		{"chatserver", nil, "organization.spec.owners is empty.*--set"},
		{"chatserver", []string{owner, "web=null"}, "missing property 'web'"},
		{"chatserver", []string{owner, "server.spec.database=null"}, "at '/server/spec': missing property 'database'"},
		{"chatserver", []string{owner, "nameOverride=" + long}, "at '/nameOverride': maxLength"},
		{"chatserver", []string{owner, "server.spec.databse.mode=External"}, "additional properties 'databse' not allowed"},
		{
			"chatserver",
			[]string{owner, "organization.spec.limits.retention=3"},
			"at '/organization/spec/limits': additional properties 'retention' not allowed",
		},
		{"chatserver", []string{owner, "server.spec.cache.mode=Memory"}, "at '/server/spec/cache/mode'"},
		{"chatserver", []string{owner, "server.spec.host=192.0.2.1/chat"}, "at '/server/spec/host': '192.0.2.1/chat' does not match pattern"},
		{"chatserver", []string{owner, "organization.spec.serverRef.name=other"}, "additional properties 'serverRef' not allowed"},
		{"chatserver", []string{"organization.spec.owners[0].fullName=Ada"}, "at '/organization/spec/owners/0': missing property 'email'"},
	} {
		out, err := render(t, release, filepath.Join(chartsDir, c.chart), sets(c.set)...)
		if err == nil {
			t.Errorf("%s with %q renders\n%s", c.chart, c.set, out)
		} else if !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s with %q: %v, want %q", c.chart, c.set, err, c.want)
		}
	}
}

// TestLongName uses a release name that is too long for a ChatServer.
func TestLongName(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(chartsDir, "chatserver")
	if _, err := render(t, long, folder, "--set", owner); err == nil || !strings.Contains(err.Error(), "at most 40 characters; set nameOverride") {
		t.Errorf("a release named %s: %v", long, err)
	}
	if _, err := render(t, long, folder, "--set", owner, "--set", "nameOverride=short"); err != nil {
		t.Error(err)
	}
}

// TestNamesWithDots uses a name that a release can have, but neither a Service nor a ChatServer.
func TestNamesWithDots(t *testing.T) {
	t.Parallel()
	out, err := render(t, "my.release", filepath.Join(chartsDir, "chatserver-operator"))
	if err != nil || !strings.Contains(string(out), "  name: my-release-chatserver-operator-metrics\n") {
		t.Errorf("%v: there is no Service", err)
	}
	for _, name := range []string{"my.release", "1st"} {
		_, err = render(t, name, filepath.Join(chartsDir, "chatserver"), "--set", owner)
		if err == nil || !strings.Contains(err.Error(), "begin with a letter") || !strings.Contains(err.Error(), "set nameOverride") {
			t.Errorf("a release named %s: %v", name, err)
		}
	}
}

// TestOddNames uses names that YAML reads as something else than text unless they are quoted. Decoding is strict.
func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"123", "true", "on", "null", "1e3", "0x1f"} {
		for _, c := range []struct {
			chart string
			args  []string
		}{
			{"chatserver-operator", []string{
				"--set-string", "watchNamespaces={" + name + "}", "--set", "replicas=2,metrics.serviceMonitor.enabled=true,networkPolicy.restrictEgress=true",
			}},
			{"chatserver-operator", []string{
				"--set-string", "fullnameOverride=" + name, "--set-string", "serviceAccount.name=" + name, "--set-string", "priorityClassName=" + name,
			}},
			{"chatserver", []string{"--set", owner + ",nameOverride=n"}},
		} {
			out, err := render(t, name, filepath.Join(chartsDir, c.chart), append(c.args, "--namespace", name)...)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, o := range decode(t, out) {
				if instance := o.GetLabels()["app.kubernetes.io/instance"]; instance != name {
					t.Errorf("release %s: %s is of instance %q", name, called(o), instance)
				}
				if namespace := o.GetNamespace(); namespace != name && !strings.HasPrefix(called(o), "Cluster") && !strings.HasPrefix(called(o), "CustomResource") {
					t.Errorf("namespace %s: %s is in %q", name, called(o), namespace)
				}
			}
		}
	}
}

// The names of the test's objects aren't longer than the kinds allow.
func TestLongestName(t *testing.T) {
	t.Parallel()
	release, shortNames := "a"+strings.Repeat("-23456789", 4)+"-ab", []string{}
	for _, o := range decode(t, template(t, filepath.Join(chartsDir, "chatserver"), "--set", owner, "--set", "nameOverride="+release)) {
		if hook, ok := o.(*v1alpha1.IncomingWebhook); ok {
			shortNames = append(shortNames, hook.Spec.ShortName)
		}
	}
	if len(release) != 40 || len(shortNames) != 1 || len(shortNames[0]) > 50 || !strings.HasSuffix(shortNames[0], "-hook") {
		t.Errorf("a release of %d characters has the webhooks %q", len(release), shortNames)
	}
}

// sets returns arguments of Helm that set values.
func sets(values []string) []string {
	var args []string
	for _, value := range values {
		args = append(args, "--set", value)
	}
	return args
}
