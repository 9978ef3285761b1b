package systemtest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/testbed"
)

// TestSmoke runs the command of `helm test` against three services, as in a cluster: each has its own address, and
// requests have the site's name in the header Host.
func TestSmoke(t *testing.T) {
	t.Parallel()
	servers := StartServers(t)
	const token, site = "the-one-admin-token-of-all", "EXTERNAL_HOST=chat.localhost"
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := testbed.FreeAddr(t)
	api := servers.Start(t, "api", site, "ADMIN_ADDR="+addr, "ADMIN_TOKEN_FILE="+tokens)
	events, webhook := servers.Start(t, "events", site), servers.Start(t, "webhook", site)

	admin := adminCommand{t, []string{"ADMIN_ADDR=" + addr, "ADMIN_TOKEN=" + token}}
	admin.works("", "organization", "put", "main", "--subdomain", "corp", "--name", "Works")
	admin.works("", "stream", "put", "main", "test", "--name", "main-helm-test", "--private")
	admin.works("", "stream", "put", "main", "open", "--name", "open")
	bot := func(name string, args ...string) []string {
		made := adminapi.Ensured[adminapi.Bot]{}
		printed := admin.works("", append([]string{"bot", "put", "main", name, "--short-name", name, "--full-name", name, "-o", "json"}, args...)...)
		if err := json.Unmarshal([]byte(printed), &made); err != nil {
			t.Fatal(err)
		}
		return []string{"EMAIL=" + made.State.Email, "API_KEY=" + made.Secret.APIKey}
	}
	hook := adminapi.Ensured[adminapi.Webhook]{}
	printed := admin.works("", "webhook", "put", "main", "hook", "--short-name", "hook", "--full-name", "hook",
		"--integration", "helloworld", "--stream", "main-helm-test", "-o", "json")
	if err := json.Unmarshal([]byte(printed), &hook); err != nil {
		t.Fatal(err)
	}
	base := append(bot("helm-test", "--subscriptions", "main-helm-test"), "WEBHOOK_KEY="+hook.Secret.APIKey, "SITE=http://corp.chat.localhost", "STREAM=main-helm-test",
		"API_URL="+api.URL(), "EVENTS_URL="+events.URL(), "WEBHOOK_URL="+webhook.URL())
	smoke := func(env ...string) (printed string, err error) {
		p := NewProcess(t, "api", append(base, env...)...)
		p.Launch("smoke")
		err = p.Wait()
		return p.Log(), err
	}

	if got, err := smoke(); err != nil || strings.Count(got, "ok: ") != 5 {
		t.Errorf("%v, printed %q", err, got)
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"SITE="}, `variable "SITE" should not be empty`},
		{[]string{"WEBHOOK_KEY="}, `variable "WEBHOOK_KEY" should not be empty`},
		{[]string{"SITE=chat"}, `SITE: "chat" is not an address`},
		{[]string{"API_KEY=" + strings.Repeat("a", 32)}, "create an event queue: the response is 401: "},
		{[]string{"SITE=http://chat.localhost"}, "create an event queue: the response is 4"},
		{[]string{"API_URL=http://127.0.0.1:1", "TIMEOUT=1s"}, "send a message and get its event: no success in time: "},
		{[]string{"WEBHOOK_URL=" + api.URL()}, "call an incoming webhook and get the event of its message: the response is 404: "},
		{[]string{"STREAM=open", "TIMEOUT=2s"}, `is helm-test-bot@chat.localhost subscribed to "open"?`},
		{append(bot("stranger"), "TIMEOUT=1s"), "send a message and get its event: the response is 400: "},
		{[]string{"STREAM=missing"}, "send a message and get its event: the response is 400: "},
	} {
		got, err := smoke(c.env...)
		if err == nil || !strings.Contains(got, c.want) {
			t.Errorf("%v: %v, printed %q, want %q", c.env, err, got, c.want)
		}
	}
}
