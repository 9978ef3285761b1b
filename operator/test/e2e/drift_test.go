//go:build e2e

package e2e_test

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// metric sums the values of a metric of a Service, over those lines that have all of the words.
func metric(t testing.TB, at, name string, words ...string) float64 {
	t.Helper()
	response, err := http.Get("http://" + at + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	sum, lines := 0.0, bufio.NewScanner(response.Body)
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, name+"{") && !strings.HasPrefix(line, name+" ") || !hasAll(line, words) {
			continue
		}
		value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		sum += value
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return sum
}

// operatorMetrics is where the operator's metrics are.
func operatorMetrics(t testing.TB) string {
	t.Helper()
	return address(t, system, deploy+"-metrics")
}

// repairs counts what the operator has reverted in the cluster.
func repairs(t testing.TB, kind string) float64 {
	t.Helper()
	return metric(t, operatorMetrics(t), "chatserver_operator_drift_repairs_total", `chatserver="`+server+`"`, `kind="`+kind+`"`)
}

// TestDriftInCluster changes and deletes what the operator keeps.
func TestDriftInCluster(t *testing.T) {
	long(t)
	install(t)
	image := `.spec.template.spec.containers[0].image`
	right := field(t, chat, "deployment/"+server+"-webhook", image)
	ip := field(t, chat, "service/"+server+"-webhook", ".spec.clusterIP")
	for _, c := range []struct {
		name, kind string
		change     func()
		repaired   func() error
	}{
		{"image", "Deployment", func() {
			patch(t, chat, "deployment/"+server+"-webhook", `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":1}}}}`)
		}, func() error {
			return is(field(t, chat, "deployment/"+server+"-webhook", ".spec.template.spec.terminationGracePeriodSeconds"), "75")
		}},
		{"scale", "Deployment", func() {
			kubectl(t, "scale", "-n", chat, "deployment/"+server+"-webhook", "--replicas=0")
		}, func() error { return is(field(t, chat, "deployment/"+server+"-webhook", ".spec.replicas"), "2") }},
		{"label", "Service", func() {
			kubectl(t, "label", "-n", chat, "service/"+server+"-api", "app.kubernetes.io/part-of=mine", "--overwrite")
		}, func() error {
			return is(field(t, chat, "service/"+server+"-api", `.metadata.labels.app\.kubernetes\.io/part-of`), "chatserver")
		}},
		{"variable", "Deployment", func() {
			kubectl(t, "set", "env", "-n", chat, "deployment/"+server+"-webhook", "EXTRA=1")
		}, func() error {
			return is(field(t, chat, "deployment/"+server+"-webhook", `.spec.template.spec.containers[0].env[?(@.name=="EXTRA")].value`), "")
		}},
		{"deleted", "Service", func() {
			kubectl(t, "delete", "-n", chat, "service/"+server+"-webhook")
		}, func() error {
			now := field(t, chat, "service/"+server+"-webhook", ".spec.clusterIP")
			if now == "" || now == ip {
				return errors.New("the Service isn't back")
			}
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ready(t, chat, "chatserver/"+server)
			before := repairs(t, c.kind)
			c.change()
			eventually(t, 30*time.Second, func() (err error) { // an object that isn't there fails kubectl
				if _, missing := try("get", "-n", chat, "service/"+server+"-webhook"); missing != nil {
					return missing
				}
				return c.repaired()
			})
			eventually(t, 10*time.Second, func() error {
				if now := repairs(t, c.kind); now <= before {
					return fmt.Errorf("%v repairs of a %s are counted, and %v were before", now, c.kind, before)
				}
				return nil
			})
		})
	}
	if got := field(t, chat, "deployment/"+server+"-webhook", image); got != right {
		t.Errorf("the image is %s, and was %s", got, right)
	}
	says(t, chat, "chatserver/"+server, "DriftRepaired", "DriftRepaired")
	kubectl(t, "rollout", "status", "-n", chat, "deployment/"+server+"-webhook", "--timeout=3m")
	ready(t, chat, "chatserver/"+server)
}

func is(got, want string) error {
	if got != want {
		return fmt.Errorf("it is %q, and has to be %q", got, want)
	}
	return nil
}

// TestDriftInServer changes inside of the server what the operator keeps there, as people can by its interface.
func TestDriftInServer(t *testing.T) {
	long(t)
	install(t)
	bot := streamAndBots(t, "drifting", 1)[0]
	api, ada := address(t, chat, server+"-api"), accountIn(t, chat, server+"-owner")
	count := func(kind string) float64 {
		return metric(t, operatorMetrics(t), "chatserver_operator_guest_repairs_total", `kind="`+kind+`"`)
	}
	subscribed := func() error {
		answer := struct {
			Subscriptions []struct {
				Name string `json:"name"`
			} `json:"subscriptions"`
		}{}
		call(t, api, bot, http.MethodGet, "/users/me/subscriptions", nil, &answer)
		for _, s := range answer.Subscriptions {
			if s.Name == "drifting" {
				return nil
			}
		}
		return fmt.Errorf("subscribed to %v", answer.Subscriptions)
	}
	for _, c := range []struct {
		name, kind string
		change     func()
	}{
		{"subscription", "Bot", func() {
			call(t, api, bot, http.MethodDelete, "/users/me/subscriptions", form{"subscriptions": `["drifting"]`}, nil)
		}},
		{"name", "Stream", func() {
			id := field(t, chat, "stream/drifting", ".status.id")
			call(t, api, ada, http.MethodPatch, "/streams/"+id, form{"new_name": `"strange"`}, nil)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := count(c.kind)
			c.change()
			if subscribed() == nil {
				t.Fatal("nothing is changed")
			}
			eventually(t, 90*time.Second, subscribed)
			eventually(t, 10*time.Second, func() error {
				if now := count(c.kind); now <= before {
					return fmt.Errorf("%v repairs are counted, and %v were before", now, before)
				}
				return nil
			})
			ready(t, chat, "stream/drifting", "bot/drifting-0")
		})
	}
	t.Run("key", func(t *testing.T) {
		lines := strings.Fields(secret(t, chat, server+"-admin", "tokens"))
		if _, err := adminOf(t, lines[0]).Bots(chat+"/"+server).RevokeKey(t.Context(), chat+"/drifting-0"); err != nil {
			t.Fatal(err)
		}
		eventually(t, 30*time.Second, func() error { // pods remember for a moment who has which key
			return is(strconv.Itoa(statusFor(t, api, bot)), "401")
		})
		eventually(t, 90*time.Second, func() error {
			renewed := accountIn(t, chat, "drifting-0")
			if renewed == bot { // which a pod that remembers it would accept
				return errors.New("the Secret has the revoked key")
			}
			return is(strconv.Itoa(statusFor(t, api, renewed)), "200")
		})
	})
}
