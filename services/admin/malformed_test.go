package admin_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
)

// Whatever is in a path or a document, it is never the server's fault.
func TestMalformedText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	base := "/admin/v1/organizations/"
	mine := base + "team%2Fengineering"
	for _, path := range []string{
		"GET " + base + "%FF", "GET " + base + "%00", "DELETE " + base + "%FF", "PUT " + base + "%FF", "GET " + mine + "/streams/%FF", "DELETE " + mine + "/streams/%00",
		"GET " + mine + "/owners/%FF", "GET " + mine + "/owners/a%00@corp.example", "DELETE " + mine + "/identity-links/%FF", "PUT " + mine + "/owners/a%FF@corp.example",
		"POST " + mine + "/bots/%FF/api-key", "DELETE " + mine + "/users/%FF",
	} {
		var method, at string
		fmt.Sscan(path, &method, &at)
		if status, code, msg := w.raw(method, at, ""); status != 400 && status != 404 {
			t.Errorf("%s: %d %s %s", path, status, code, msg)
		}
	}
	for path, bodies := range map[string][]string{
		"/bots/b":    {`{"short_name":"b","full_name":"B\u0000b"}`, `{"short_name":"b","full_name":"Bb","owner":"a\u0000@corp.example"}`, `{"short_name":"b","full_name":"Bb","subscriptions":["\u0000"]}`, `{"adopt_from":"\u0000"}`},
		"/streams/s": {`{"name":"a\u0000"}`, `{"name":"a","description":"\u0000"}`, `{"adopt_from":"\u0000"}`},
		"/users/u":   {`{"email":"a\u0000@corp.example"}`, `{"email":"b@corp.example","full_name":"a\u0000b"}`, `{"email":"b@corp.example","groups":["\u0000"]}`},
		"/webhooks/w": {
			`{"short_name":"w","full_name":"Ww","integration":"helloworld","topic":"\u0000"}`, `{"short_name":"w","full_name":"Ww","integration":"helloworld","stream":"\u0000"}`,
		},
		"": {
			`{"name":"a\u0000"}`, `{"description":"a\u0000"}`, `{"owners":["a\u0000@corp.example"]}`, `{"domains":[{"domain":"a\u0000"}]}`, `{"linkifiers":[{"pattern":"\u0000","url_format":"https://a.example"}]}`,
			`{"user_groups":[{"name":"a\u0000"}]}`, `{"user_groups":[{"name":"a","description":"\u0000"}]}`, `{"user_groups":[{"name":"a","members":["\u0000"]}]}`,
			`{"settings":{"default_language":"\u0000"}}`, `{"settings":{"\u0000":1}}`,
		},
	} {
		for _, body := range bodies {
			if status, code, msg := w.raw("PUT", mine+path, body); status != 400 && status != 200 {
				t.Errorf("%s %s: %d %s %s", path, body, status, code, msg)
			}
		}
	}
	for _, body := range []string{`{"subdomain":"\u0000","name":"a"}`, `{"subdomain":"\u0000","adopt":true}`, `{"adopt_from":"\u0000"}`} {
		if status, code, msg := w.raw("PUT", base+"x", body); status != 400 && status != 404 {
			t.Errorf("%s: %d %s %s", body, status, code, msg)
		}
	}
	if diff := cmp.Diff([]string{key}, storetest.Values[string](w.sql(), "select external_key from organizations where external_key is not null")); diff != "" {
		t.Error(diff)
	}
}
