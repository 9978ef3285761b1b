package systemtest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/demo"
)

// adminCommand runs `chatserver admin …` as a process.
type adminCommand struct {
	t   *testing.T
	env []string
}

// run runs the command, and returns its output and whether it succeeded.
func (c adminCommand) run(input string, args ...string) (printed string, ok bool) {
	c.t.Helper()
	out := bytes.Buffer{}
	cmd := exec.CommandContext(c.t.Context(), Binary(c.t, "chatserver"), append([]string{"admin"}, args...)...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.env, strings.NewReader(input), &out, &out
	err := cmd.Run()
	return out.String(), err == nil
}

// works runs a command that must succeed, and returns its output.
func (c adminCommand) works(input string, args ...string) string {
	c.t.Helper()
	printed, ok := c.run(input, args...)
	if !ok {
		c.t.Fatalf("%v: %s", args, printed)
	}
	return printed
}

// TestAdmin creates an organization on an empty database with the command, and uses it.
func TestAdmin(t *testing.T) {
	t.Parallel()
	servers := StartServers(t)
	const first, second = "the-first-admin-token-of-all", "the-second-admin-token-of-all"
	tokens := filepath.Join(t.TempDir(), "tokens")
	keep := func(text string) {
		if err := os.WriteFile(tokens, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep(first + "\n")
	addr := testbed.FreeAddr(t)
	api := servers.Start(t, "api", "ADMIN_ADDR="+addr, "ADMIN_TOKEN_FILE="+tokens, "EXTERNAL_HOST=chat.localhost")
	c := adminCommand{t, []string{"ADMIN_ADDR=" + addr, "ADMIN_TOKEN=" + first}}

	if got := c.works("", "organization", "put", "main", "--subdomain", "", "--name", "Works"); !strings.HasPrefix(got, "created\n") ||
		!strings.Contains(got, "Works") || !strings.Contains(got, "http://chat.localhost") {
		t.Errorf("printed %q", got)
	}
	if got := c.works(`{"name": "Works"}`, "organization", "put", "main", "-f", "-"); !strings.HasPrefix(got, "unchanged\n") {
		t.Errorf("printed %q", got)
	}
	if got := c.works(`{"name": "Works"}`, "organization", "put", "main", "-f", "-", "--name", "Plant", "--settings", `{"mandatory_topics": true}`); !strings.HasPrefix(
		got, "changed: name, mandatory_topics\n") {
		t.Errorf("printed %q", got)
	}
	owner := adminapi.Ensured[adminapi.Owner]{}
	if err := json.Unmarshal([]byte(c.works("", "owner", "put", "main", "ada@corp.example", "--full-name", "Ada", "-o", "json")), &owner); err != nil {
		t.Fatal(err)
	}
	ada := demo.Account{Email: "ada@corp.example", APIKey: owner.Secret.APIKey}
	if me := ask(t.Context(), t, http.MethodGet, api.URL()+"/api/v1/users/me", ada, nil); me["is_owner"] != true || me["full_name"] != "Ada" {
		t.Errorf("the owner is %v", me)
	}
	c.works("", "stream", "put", "main", "alerts", "--name", "alerts", "--default", "--post-policy", "1")
	if got := c.works("", "bot", "put", "main", "deploy", "--short-name", "deploy", "--full-name", "Deploy bot", "--subscriptions", "alerts"); !strings.Contains(got, "api_key") {
		t.Errorf("printed %q", got)
	}
	if got := c.works("", "webhook", "put", "main", "hello", "--short-name", "hello", "--full-name", "Hello", "--integration", "helloworld",
		"--stream", "alerts"); !strings.Contains(got, "http://chat.localhost/api/v1/external/helloworld?api_key=") {
		t.Errorf("printed %q", got)
	}
	if got := c.works("", "status"); !strings.Contains(got, "main") || !strings.Contains(got, "active") {
		t.Errorf("printed %q", got)
	}

	for _, wrong := range []struct {
		args []string
		want string
	}{
		{[]string{"fly"}, `unknown command "admin fly"`},
		{[]string{"stream", "put", "main"}, "stream put needs ORGANIZATION and KEY"},
		{[]string{"stream", "put", "main", "x", "--title", "y"}, "flag provided but not defined: -title"},
		{[]string{"stream", "put", "main", "x", "-f", tokens}, "read the document"},
		{[]string{"stream", "put", "nobody", "x", "--name", "y"}, "There is no organization with the key 'nobody'."},
		{[]string{"stream", "get", "main", "x", "-o", "yaml"}, "-o must be text or json"},
	} {
		if got, ok := c.run("", wrong.args...); ok || !strings.Contains(got, wrong.want) {
			t.Errorf("%v printed %q, want %q", wrong.args, got, wrong.want)
		}
	}

	// During a rotation of tokens, both work; afterwards, only the new one does.
	other := adminCommand{t, []string{"ADMIN_URL=http://" + addr, "ADMIN_TOKEN=" + second}}
	if got, ok := other.run("", "status"); ok || !strings.Contains(got, "token is missing or wrong") {
		t.Errorf("an unknown token: %q", got)
	}
	keep(first + "\n" + second)
	c.works("", "status")
	other.works("", "status")
	keep(second)
	if got, ok := c.run("", "status"); ok {
		t.Errorf("a replaced token: %q", got)
	}
	if got := other.works("", "organization", "delete", "main"); !strings.Contains(got, "done") {
		t.Errorf("printed %q", got)
	}
	if answer := ask(t.Context(), t, http.MethodGet, api.URL()+"/api/v1/users/me", ada, nil); answer["result"] != "error" {
		t.Errorf("the deleted organization's owner is %v", answer)
	}
	eventually(t, api.URL()+"/admin/v1/status", `404 .*`) // the public listener has none of it
	if strings.Contains(api.Log(), first) || strings.Contains(api.Log(), second) {
		t.Error("the log has a token")
	}
}

func TestAdminStartFails(t *testing.T) {
	t.Parallel()
	servers := StartServers(t)
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"ADMIN_ADDR=here"}, `ADMIN_ADDR: \"here\" is not an address`},
		{[]string{"ADMIN_ADDR=127.0.0.1:0"}, "ADMIN_ADDR needs ADMIN_TOKEN"},
		{[]string{"ADMIN_ADDR=:0", "ADMIN_TOKEN=the-first-admin-token-of-all"}, "so it needs TLS: set ADMIN_TLS_CERT_FILE and ADMIN_TLS_KEY_FILE"},
		{[]string{"ADMIN_ADDR=127.0.0.1:0", "ADMIN_TOKEN=short"}, "one or two tokens of at least 24 characters"},
		{[]string{"ADMIN_ADDR=127.0.0.1:0", "ADMIN_TOKEN_FILE=/nowhere"}, "ADMIN_TOKEN_FILE: open /nowhere"},
	} {
		p := NewProcess(t, "api", append(servers.Env(), c.env...)...)
		p.Launch()
		if err := p.Wait(); err == nil || !strings.Contains(strings.ReplaceAll(p.Log(), `"here"`, `\"here\"`), c.want) {
			t.Errorf("%v, printed %q, want %q", err, p.Log(), c.want)
		}
		if strings.Contains(p.Log(), "admin_token=short") {
			t.Errorf("the log has a token: %q", p.Log())
		}
	}
}
