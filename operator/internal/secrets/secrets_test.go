package secrets_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"chatserver.dev/operator/internal/secrets"
)

func TestATokenIsReplacedInThreeSteps(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tokens := secrets.NewTokens("", now)
	first := tokens.Current
	if len(first) < 24 || !tokens.Ends().IsZero() {
		t.Fatalf("the first token is %+v", tokens)
	}
	same, wait := tokens.Next("", 0, now.Add(1000*time.Hour))
	if same != tokens || wait != 0 {
		t.Errorf("a token that nobody wants replaced: %+v, %v", same, wait)
	}
	same, wait = tokens.Next("", 2*time.Hour, now.Add(time.Hour))
	if same != tokens || wait != time.Hour {
		t.Errorf("an hour before its time: %+v, %v", same, wait)
	}
	now = now.Add(2 * time.Hour)
	next, wait := tokens.Next("", 2*time.Hour, now)
	second := next.Other
	if next.Current != first || second == "" || second == first || next.Promoted || wait < 2*time.Minute {
		t.Fatalf("at its time: %+v, %v", next, wait)
	}
	if early, _ := next.Next("another", 0, now.Add(wait-time.Second)); early != next {
		t.Errorf("a step too early: %+v", early)
	}
	now = now.Add(wait)
	promoted, wait := next.Next("", 2*time.Hour, now)
	if promoted.Current != second || promoted.Other != first || !promoted.Promoted || !promoted.Ends().Equal(now.Add(wait)) {
		t.Fatalf("the second step: %+v, %v", promoted, wait)
	}
	now = now.Add(wait)
	alone, wait := promoted.Next("", 2*time.Hour, now)
	if alone.Current != second || alone.Other != "" || alone.Promoted || wait <= 0 || wait > 2*time.Hour {
		t.Fatalf("the third step: %+v, %v", alone, wait)
	}
	again, _ := alone.Next("now", 0, now)
	if again.Other == "" || again.Rotation != "now" || again.Current != second {
		t.Errorf("on request: %+v", again)
	}
	again.Other = ""
	if kept, _ := again.Next("", 0, now); kept != again {
		t.Errorf("after the request is removed: %+v", kept)
	}
	if aged, _ := again.Next("", time.Hour, now.Add(time.Hour)); aged.Other == "" || aged.Rotation != "now" {
		t.Errorf("at its time, after the request is removed: %+v", aged)
	}
}

func TestAFileOfTokens(t *testing.T) {
	tokens := secrets.Tokens{Current: strings.Repeat("a", 24), Other: strings.Repeat("b", 24)}
	back, err := secrets.Tokens{}.Parse(tokens.File())
	if err != nil || back != tokens {
		t.Errorf("%+v, %v", back, err)
	}
	for _, file := range []string{"", "short", "a b c", strings.Repeat("a", 24) + "\nshort"} {
		if _, err := (secrets.Tokens{}).Parse([]byte(file)); err == nil {
			t.Errorf("%q is taken", file)
		}
	}
}

func TestTrialSecretsAreFilledOnce(t *testing.T) {
	made := secrets.Postgres("main-postgres", nil)
	if len(made["password"]) < 20 || string(made["host"]) != "main-postgres" || string(made["port"]) != "5432" ||
		string(made["uri"]) != "postgres://chatserver:"+string(made["password"])+"@main-postgres:5432/chatserver" {
		t.Errorf("%q", made)
	}
	if again := secrets.Postgres("main-postgres", made); !maps.EqualFunc(made, again, func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Errorf("%q became %q", made, again)
	}
	partly := secrets.Redis("main-redis", map[string][]byte{"password": []byte("old"), "mine": []byte("x"), "url": []byte("rediss://elsewhere.test")})
	if string(partly["url"]) != "redis://:old@main-redis:6379" || string(partly["redis.conf"]) != "requirepass old\n" || string(partly["mine"]) != "x" {
		t.Errorf("%q", partly)
	}
	if other := secrets.Redis("main-redis", nil); string(other["password"]) == string(secrets.Redis("main-redis", nil)["password"]) {
		t.Error("two passwords are the same")
	}
}
