//go:build e2e

package e2e_test

import (
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
)

// example returns the documents of a file in deploy/examples, without those of kinds that this cluster can't have.
func example(t testing.TB, name string, without ...string) string {
	t.Helper()
	text, err := os.ReadFile("deploy/examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	documents := slices.DeleteFunc(strings.Split(string(text), "\n---\n"), func(document string) bool {
		return slices.ContainsFunc(without, func(kind string) bool { return strings.Contains(document, "\nkind: "+kind+"\n") })
	})
	return strings.Join(documents, "\n---\n")
}

// examples applies the examples of an organization and what is in it: three namespaces have a say.
func examples(t *testing.T) {
	t.Helper()
	namespace(t, "team-eng")
	apply(t, "", example(t, "organization.yaml"))
	apply(t, "", example(t, "stream.yaml"))
	apply(t, "", example(t, "user.yaml"))
	apply(t, "", example(t, "bot.yaml", "Pod")) // the Pod's image can't be pulled here
	apply(t, "", example(t, "incomingwebhook.yaml"))
	apply(t, "", example(t, "alertmanager.yaml", "AlertmanagerConfig"))
	t.Cleanup(func() {
		if _, err := try("delete", "namespace", "monitoring", "--wait=false", "--ignore-not-found"); err != nil {
			t.Error(err)
		}
	})
	ready(t, "team-eng", "organization/engineering", "stream/alerts", "stream/post-mortems", "user/grace", "bot/deploy-bot", "incomingwebhook/ci")
	ready(t, "monitoring", "incomingwebhook/alertmanager")
}

// TestOrganizationStreamBotWebhook makes them by the examples, and has Alertmanager's own payload posted to the
// address in the Secret, which Alertmanager's urlSecret would name.
func TestOrganizationStreamBotWebhook(t *testing.T) {
	install(t)
	examples(t)
	api, events := address(t, chat, server+"-api"), address(t, chat, server+"-events")
	bot, ada := accountIn(t, "team-eng", "deploy-bot"), accountIn(t, "team-eng", "ada")
	if bot.site != "eng."+host || ada.email != owner {
		t.Errorf("the bot's site is %s, and the owner %s", bot.site, ada.email)
	}
	q, err := register(events, bot)
	if err != nil {
		t.Fatal(err)
	}
	defer q.close()

	payload, err := os.ReadFile("services/webhook/alertmanager/testdata/firing_defaults.json")
	if err != nil {
		t.Fatal(err)
	}
	postWebhook(t, secret(t, "monitoring", "chat-alerts", "url"), string(payload))
	if got := q.await(t, "FIRING", "NodeDown"); got.Stream != "alerts" {
		t.Errorf("the alert went to %v", got.Stream)
	}
	postWebhook(t, secret(t, "team-eng", "ci-webhook", "url"), `{"featured_title": "Tides", "featured_url": "https://tides.example"}`)
	if got := q.await(t, "Tides"); got.Subject != "builds" {
		t.Errorf("the build went to the topic %q", got.Subject)
	}
	call(t, api, bot, http.MethodPost, "/messages", form{"type": "stream", "to": "alerts", "topic": "deploys", "content": "Version 7 is out."}, nil)
	q.await(t, "Version 7 is out.")
	user := struct {
		IsOwner bool `json:"is_owner"`
	}{}
	call(t, api, ada, http.MethodGet, "/users/me", nil, &user)
	if !user.IsOwner {
		t.Error("the owner isn't an owner")
	}
}

// postWebhook posts to the address in a webhook's Secret, as an ingress would have it reach the webhook Service.
func postWebhook(t testing.TB, at, body string) {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	c := &connection{address: address(t, chat, server+"-webhook")}
	defer c.close()
	if err := c.post(account{site: u.Host}, http.MethodPost, u.RequestURI(), "application/json", body, nil); err != nil {
		t.Fatal(err)
	}
}
