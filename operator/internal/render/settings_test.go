package render_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/render"
)

// notInTheSpec returns the variables that no field of a ChatServer sets, with the reasons. A podTemplate can set them.
func notInTheSpec() map[string]string {
	const (
		developed = "for development and tests"
		alone     = "of the program chatserver, which doesn't run here"
		tuned     = "the default is right, or the service is wrong"
	)
	return map[string]string{
		"CHAT_COMPAT": tuned, "CHAT_FAILPOINTS": developed, "MAIL_DIR": developed, "MAIL_PAGE": developed,
		"CHAT_LOCAL_DIR": alone, "CHAT_DEMO": alone,
		"DATABASE_URL": "", "DATABASE_FORMER_USERS": "", "PGUSER": "", "PGPASSWORD": "", // set, by other inputs than those of testdata
		"DATABASE_STATEMENT_TIMEOUT": tuned, "DATABASE_ANSWER_TIMEOUT": tuned, "DATABASE_IDLE_TRANSACTION_TIMEOUT": tuned,
		"LONG_POLLS": tuned, "HTTP_CONNECTIONS": tuned, "PARKED_POLLS": tuned, // they follow from the memory limit
		"ADMIN_TOKEN": "ADMIN_TOKEN_FILE takes its place",
	}
}

// The server "everything" sets all settings, so that other tests see the variables of all of them.
func TestEverythingIsSet(t *testing.T) {
	t.Parallel()
	settings := load(t, "everything").Spec.Settings
	for _, group := range []reflect.Value{reflect.ValueOf(settings), reflect.ValueOf(*settings.RateLimits)} {
		for field, value := range group.Fields() {
			if value.IsZero() {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				t.Errorf("testdata/everything.yaml doesn't set %s, of spec.settings: add it, and run go test with -update", name)
			}
		}
	}
}

// Each variable that services read is set by a field of the spec, or has a reason in notInTheSpec.
func TestConfigurationIsComplete(t *testing.T) {
	t.Parallel()
	set := map[string]bool{}
	for _, name := range cases(t) {
		if name == "patched" {
			continue // what users add is theirs
		}
		for _, template := range pods(t, load(t, name)) {
			for _, c := range containers(template) {
				for _, e := range c.Env {
					set[e.Name] = true
				}
			}
		}
	}
	page, err := os.ReadFile("../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	known := []string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[A-Z0-9_]+`(?:, `[A-Z0-9_]+`)*) \\|").FindAllStringSubmatch(string(page), -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			known = append(known, strings.Trim(name, "`"))
		}
	}
	if len(known) < 50 {
		t.Fatalf("configuration.md has the variables %v alone", known)
	}
	left := notInTheSpec()
	for _, name := range known {
		if _, out := left[name]; !set[name] && !out {
			t.Errorf("no server of testdata sets %s: add it to specVariables in settings.go and its field to everything.yaml, or add it with a reason to notInTheSpec", name)
		}
		if left[name] != "" && set[name] {
			t.Errorf("%s is set, though it is %s", name, left[name])
		}
	}
	for name := range left {
		if !slices.Contains(known, name) {
			t.Errorf("configuration.md has no %s", name)
		}
	}
}

// peers returns the permitted destinations of a component's pods, in the form address:port.
func peers(t *testing.T, server *v1alpha1.ChatServer, component render.Component) []string {
	t.Helper()
	object := found(t, render.NetworkPolicies(server, inputsOf(server)), "NetworkPolicy", server.Name+"-"+string(component))
	result := []string{}
	for _, rule := range into[networkingv1.NetworkPolicy](t, object).Spec.Egress {
		to := []string{}
		for _, peer := range rule.To {
			if peer.IPBlock != nil {
				to = append(to, peer.IPBlock.CIDR)
			}
		}
		ports := []string{}
		for _, port := range rule.Ports {
			if port.Port == nil {
				ports = append(ports, "*")
			} else {
				ports = append(ports, port.Port.String())
			}
		}
		if len(rule.To) > 0 && len(to) == 0 || slices.Contains(ports, "53") {
			continue // a pod of a trial, or a name server
		}
		result = append(result, strings.Join(to, ",")+" "+strings.Join(ports, ","))
	}
	return result
}

// Only pods of api can connect to the destinations in the spec.
func TestOutletsForSettings(t *testing.T) {
	t.Parallel()
	everything := load(t, "everything")
	for _, c := range []struct {
		server    *v1alpha1.ChatServer
		component render.Component
		want      []string
	}{
		{everything, render.API, []string{
			" 6432", " *", " 4318", " 6433", "0.0.0.0/0,2000::/3 80,443", " 465", " 443,8443", "10.1.0.0/16,10.2.0.0/16,fd00:1::/32 *", " 9000",
		}},
		{everything, render.Webhook, []string{" 6432", " *", " 4318", " 9000"}}, // for files in mail
		{everything, render.Events, []string{" 6432", " *", " 4318"}},
		{everything, render.Migrate, []string{" 6432", " *", " 4318"}},
		{load(t, "bucket"), render.API, []string{"0.0.0.0/0,2000::/3 80,443", " 25", " 443", " 443", "169.254.169.254/32,169.254.170.23/32,fd00:ec2::23/128 80"}},
		{load(t, "folder"), render.API, []string{"0.0.0.0/0,2000::/3 80,443", " 587"}},
		{load(t, "folder"), render.Events, []string{}},
	} {
		if diff := cmp.Diff(c.want, peers(t, c.server, c.component)); diff != "" {
			t.Errorf("%s of %s:\n%s", c.component, c.server.Name, diff)
		}
	}
}

// Only api has a cloud identity, and only if the field is set.
func TestIdentityOfPods(t *testing.T) {
	t.Parallel()
	server := load(t, "bucket")
	account := func(component string) map[string]string {
		return into[corev1.ServiceAccount](t, found(t, render.Foundation(server), "ServiceAccount", "main-"+component)).Annotations
	}
	if api, events := account("api"), account("events"); len(api) != 1 || len(events) != 0 {
		t.Errorf("annotations %v of api, %v of events", api, events)
	}
	server.Spec.Files = nil
	if left := account("api"); len(left) != 0 {
		t.Errorf("annotations %v without files", left)
	}
}
