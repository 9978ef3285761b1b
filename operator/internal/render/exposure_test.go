package render_test

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
)

// ways returns the routes of an Ingress or an HTTPRoute: "host kind path service".
func ways(t testing.TB, object map[string]any) []string {
	t.Helper()
	var result []string
	if object["kind"] == "Ingress" {
		for _, rule := range into[networkingv1.Ingress](t, object).Spec.Rules {
			for _, p := range rule.HTTP.Paths {
				result = append(result, fmt.Sprint(rule.Host, " ", strings.TrimPrefix(string(*p.PathType), "Path"), " ", p.Path, " ", p.Backend.Service.Name))
			}
		}
		return result
	}
	type route struct {
		Matches     []struct{ Path struct{ Type, Value string } }
		BackendRefs []struct{ Name string }
	}
	for _, host := range at(t, object, "spec", "hostnames").([]any) {
		for _, rule := range at(t, object, "spec", "rules").([]any) {
			delete(rule.(map[string]any), "timeouts")
			r := into[route](t, map[string]any{"matches": rule.(map[string]any)["matches"], "backendRefs": strip(rule)})
			result = append(result, fmt.Sprint(host, " ", strings.TrimPrefix(r.Matches[0].Path.Type, "Path"), " ", r.Matches[0].Path.Value, " ", r.BackendRefs[0].Name))
		}
	}
	return result
}

// strip returns the names of a rule's backends.
func strip(rule any) []any {
	var names []any
	for _, backend := range rule.(map[string]any)["backendRefs"].([]any) {
		names = append(names, map[string]any{"name": backend.(map[string]any)["name"]})
	}
	return names
}

// An Ingress and an HTTPRoute send the same requests to the same services.
func TestWaysIn(t *testing.T) {
	t.Parallel()
	var want []string
	for _, host := range []string{"chat.corp.example", "*.chat.corp.example"} {
		want = append(want, host+" Exact /api/v1/register main-events", host+" Exact /api/v1/events main-events",
			host+" Prefix /api/v1/external/ main-webhook", host+" Prefix / main-api")
	}
	for name, kind := range map[string]string{"ingress": "Ingress", "gateway": "HTTPRoute"} {
		server := load(t, name)
		server.Spec.Host = "chat.corp.example:8443" // a port is no part of a host there
		object := found(t, all(t, server, inputsOf(server)), kind, "main")
		if object == nil {
			t.Fatalf("there is no %s", kind)
		}
		if diff := cmp.Diff(want, ways(t, object)); diff != "" {
			t.Errorf("%s:\n%s", kind, diff)
		}
	}
}

// The object that terminates TLS and the Certificate name the same Secret.
func TestCertificate(t *testing.T) {
	t.Parallel()
	server := load(t, "ingress")
	objects := all(t, server, inputsOf(server))
	secret := at(t, found(t, objects, "Certificate", "main"), "spec", "secretName")
	tls := into[networkingv1.Ingress](t, found(t, objects, "Ingress", "main")).Spec.TLS
	if len(tls) != 1 || tls[0].SecretName != secret || secret != "main-tls" || len(tls[0].Hosts) != 2 {
		t.Errorf("%v, %v", tls, secret)
	}
	server.Spec.Exposure.TLS = nil
	objects = all(t, server, inputsOf(server))
	if c := found(t, objects, "Certificate", "main"); c != nil || into[networkingv1.Ingress](t, found(t, objects, "Ingress", "main")).Spec.TLS != nil {
		t.Errorf("TLS is somebody else's, and there is %v", c)
	}
}

// A kind that the cluster doesn't serve can't be applied.
func TestKindsThatAreNotServed(t *testing.T) {
	t.Parallel()
	foreign := []string{"Cluster", "HTTPRoute", "Certificate", "ServiceMonitor", "PrometheusRule"}
	seen := map[string]bool{}
	for _, name := range cases(t) {
		server := load(t, name)
		in := inputsOf(server)
		for _, object := range all(t, server, in) {
			seen[(&unstructured.Unstructured{Object: fields(t, object)}).GetKind()] = true
		}
		in.Served = inputs.Served{}
		for _, object := range all(t, server, in) {
			if kind := (&unstructured.Unstructured{Object: fields(t, object)}).GetKind(); slices.Contains(foreign, kind) {
				t.Errorf("%s: there is a %s", name, kind)
			}
		}
	}
	for _, kind := range foreign {
		if !seen[kind] {
			t.Errorf("no server has a %s", kind)
		}
	}
}

// outlets returns the permitted destinations of a component's pods: "labels:port", with * for all.
func outlets(t testing.TB, server *v1alpha1.ChatServer, in inputs.Inputs, component render.Component) []string {
	t.Helper()
	object := found(t, render.NetworkPolicies(server, in), "NetworkPolicy", server.Name+"-"+string(component))
	if object == nil {
		t.Fatalf("%s has no NetworkPolicy", component)
	}
	var result []string
	for _, rule := range into[networkingv1.NetworkPolicy](t, object).Spec.Egress {
		to := "*"
		if len(rule.To) > 0 {
			if block := rule.To[0].IPBlock; block != nil {
				to = block.CIDR
			} else {
				labels := rule.To[0].PodSelector.MatchLabels
				to = labels["app.kubernetes.io/component"] + labels["cnpg.io/cluster"]
			}
		}
		for _, port := range rule.Ports {
			number := "*"
			if port.Port != nil {
				number = port.Port.String()
			}
			if number != "53" && number != "5353" {
				result = append(result, net.JoinHostPort(to, number))
			}
		}
	}
	return result
}

func TestOutlets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		endpoint string
		ports    []int32
		want     []string
	}{
		{"smallest", "", nil, []string{"postgres:5432", "redis:6379"}},
		{"gateway", "", nil, []string{"main-db:5432", "redis:6379"}},
		{"external", "", []int32{6380, 6379, 6380}, []string{"*:6432", "*:6379", "*:6380"}},
		{"external", "https://traces.example", nil, []string{"*:6432", "*:*", "*:443"}},
		{"external", "http://traces.example:4318/v1", nil, []string{"*:6432", "*:*", "*:4318"}},
		{"external", "http://[::1", nil, []string{"*:6432", "*:*", "*:*"}},
		{"external", "http://traces.example:99999", nil, []string{"*:6432", "*:*", "*:*"}},
	} {
		server := load(t, c.name)
		server.Spec.Settings.TraceEndpoint, server.Spec.Settings.ImageProxy = c.endpoint, v1alpha1.Disabled
		in := inputsOf(server)
		in.Cache.Ports = c.ports
		for _, component := range append(render.Components(), render.Migrate) {
			if diff := cmp.Diff(c.want, outlets(t, server, in, component)); diff != "" {
				t.Errorf("%s, %s: %s:\n%s", c.name, c.endpoint, component, diff)
			}
		}
	}
}

// Only the service api fetches images, not from private addresses, and only if the image proxy is enabled.
func TestOutletsForImages(t *testing.T) {
	t.Parallel()
	server := load(t, "smallest")
	in := inputsOf(server)
	inside := []string{"postgres:5432", "redis:6379"}
	for _, component := range append(render.Components(), render.Migrate) {
		want := inside
		if component == render.API {
			want = append(slices.Clone(inside), "0.0.0.0/0:80", "0.0.0.0/0:443")
		}
		if diff := cmp.Diff(want, outlets(t, server, in, component)); diff != "" {
			t.Errorf("%s:\n%s", component, diff)
		}
	}
	rules := into[networkingv1.NetworkPolicy](t, found(t, render.NetworkPolicies(server, in), "NetworkPolicy", "main-api")).Spec.Egress
	blocks := rules[len(rules)-1].To
	if len(blocks) != 2 || blocks[1].IPBlock.CIDR != "2000::/3" {
		t.Fatalf("%+v", blocks)
	}
	for _, within := range []string{"10.96.0.1", "172.20.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "127.0.0.1"} {
		if !slices.ContainsFunc(blocks[0].IPBlock.Except, func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(netip.MustParseAddr(within)) }) {
			t.Errorf("there is a way to %s", within)
		}
	}
	server.Spec.Settings.ImageProxy = v1alpha1.Disabled
	if diff := cmp.Diff(inside, outlets(t, server, in, render.API)); diff != "" {
		t.Errorf("without images:\n%s", diff)
	}
	for _, component := range render.Components() {
		if got := environmentOf(t, server, component)["IMAGE_PROXY"]; got != "false" {
			t.Errorf("%s has IMAGE_PROXY=%q", component, got)
		}
	}
}

// Metrics are open to Prometheus, or to the clients that the spec names, the admin interface only to the operator, and
// trial databases only to the server's own pods.
func TestInlets(t *testing.T) {
	t.Parallel()
	server := load(t, "smallest")
	objects := all(t, server, inputsOf(server))
	policy := func(component string) networkingv1.NetworkPolicySpec {
		return into[networkingv1.NetworkPolicy](t, found(t, objects, "NetworkPolicy", "main-"+component)).Spec
	}
	for _, component := range []string{"api", "events", "webhook"} {
		for _, rule := range policy(component).Ingress {
			for _, port := range rule.Ports {
				switch port.Port.IntValue() {
				case 8080:
					if len(rule.From) != 0 {
						t.Errorf("%s isn't for everybody: %+v", component, rule)
					}
				case 9090:
					if len(rule.Ports) != 1 || len(rule.From) != 1 || rule.From[0].PodSelector.MatchLabels["app.kubernetes.io/name"] != "prometheus" ||
						rule.From[0].NamespaceSelector == nil {
						t.Errorf("%s: metrics are for %+v", component, rule)
					}
				case render.AdminPort:
					if component != "api" || len(rule.From) != 1 || rule.From[0].PodSelector.MatchLabels["app.kubernetes.io/name"] != "chatserver-operator" ||
						rule.From[0].NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] != "chatserver-system" {
						t.Errorf("%s: %+v", component, rule)
					}
				default:
					t.Errorf("%s allows ingress to %v", component, port.Port)
				}
			}
		}
	}
	if n := len(policy("api").Ingress); n != 3 {
		t.Errorf("api has %d rules", n)
	}
	if n := len(policy("migrate").Ingress); n != 0 {
		t.Errorf("the migration allows ingress by %d rules", n)
	}
	for _, trial := range []string{"postgres", "redis"} {
		p := policy(trial)
		if len(p.Ingress) != 1 || len(p.Ingress[0].From) != 1 || len(p.Egress) != 0 || len(p.PolicyTypes) != 2 {
			t.Fatalf("%s: %+v", trial, p)
		}
		from := p.Ingress[0].From[0].PodSelector
		if from.MatchLabels["app.kubernetes.io/instance"] != "main" || len(from.MatchExpressions[0].Values) != 4 || p.Ingress[0].From[0].NamespaceSelector != nil {
			t.Errorf("%s: %+v", trial, from)
		}
	}
	// An operator that runs outside of the cluster has no namespace.
	in := inputsOf(server)
	in.Defaults.Namespace = ""
	api := into[networkingv1.NetworkPolicy](t, found(t, all(t, server, in), "NetworkPolicy", "main-api")).Spec.Ingress
	if from := api[len(api)-1].From[0]; from.NamespaceSelector == nil || len(from.NamespaceSelector.MatchLabels) != 0 {
		t.Errorf("the admin interface is for %+v", from)
	}
	server.Spec.NetworkPolicy = v1alpha1.Disabled
	for _, object := range all(t, server, inputsOf(server)) {
		if u := (unstructured.Unstructured{Object: fields(t, object)}); u.GetKind() == "NetworkPolicy" {
			t.Errorf("there is a NetworkPolicy %s", u.GetName())
		}
	}
}
