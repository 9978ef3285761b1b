package organization_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// Effects of settings, with the default and then with a changed value.
func TestSettingsAreEnforced(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	for name, test := range map[string]struct {
		change params
		does   func(w *world) string // returns something that depends on it
		before string
		after  string
	}{
		"name_changes_disabled": {
			params{"name_changes_disabled": true},
			func(w *world) string { return w.body(w.mia, "PATCH", "/settings", params{"full_name": "Maria"}) },
			`{"result":"success","msg":"","full_name":"Maria"}`, `{"result":"success","msg":""}`,
		},
		"allow_message_deleting": {
			params{"allow_message_deleting": true},
			func(w *world) string {
				return w.body(w.mia, "DELETE", fmt.Sprintf("/messages/%d", w.message(w.mia)), nil)
			},
			`You don't have permission to delete this message`, `"success"`,
		},
		"allow_message_editing": {
			params{"allow_message_editing": false},
			func(w *world) string {
				return w.body(w.mia, "PATCH", fmt.Sprintf("/messages/%d", w.message(w.mia)), params{"content": "new"})
			},
			`"success"`, `Your organization has turned off message editing`,
		},
		"allow_community_topic_editing": {
			params{"allow_community_topic_editing": false},
			func(w *world) string {
				return w.body(w.mia, "PATCH", fmt.Sprintf("/messages/%d", w.message(w.ada)), params{"topic": "new"})
			},
			`"success"`, `You don't have permission to edit this message`,
		},
		"allow_edit_history": {
			params{"allow_edit_history": false},
			func(w *world) string {
				return w.body(w.mia, "GET", fmt.Sprintf("/messages/%d/history", w.message(w.mia)), nil)
			},
			`"success"`, `Message edit history is disabled in this organization`,
		},
		"create_stream_policy": {
			params{"create_stream_policy": 2},
			func(w *world) string {
				return w.body(w.mia, "POST", "/users/me/subscriptions", params{"subscriptions": []params{{"name": "club"}}})
			},
			`"success"`, `User cannot create streams.`,
		},
		"invite_to_stream_policy": {
			params{"invite_to_stream_policy": 2},
			func(w *world) string {
				return w.body(w.mia, "POST", "/users/me/subscriptions", params{"subscriptions": []params{{"name": "hall"}}, "principals": []any{w.olga.ID}})
			},
			`"success"`, `Only administrators can modify other users' subscriptions.`,
		},
		"waiting_period_threshold": {
			params{"create_stream_policy": 3, "waiting_period_threshold": "3"},
			func(w *world) string {
				return w.body(w.mia, "POST", "/users/me/subscriptions", params{"subscriptions": []params{{"name": strconv.FormatInt(time.Now().UnixNano(), 10)}}})
			},
			`"success"`, `User cannot create streams.`,
		},
		"waiting_period_threshold of millions of years": {
			params{"create_stream_policy": 3, "waiting_period_threshold": "4294967295"},
			func(w *world) string {
				return w.body(w.mia, "POST", "/users/me/subscriptions", params{"subscriptions": []params{{"name": strconv.FormatInt(time.Now().UnixNano(), 10)}}})
			},
			`"success"`, `User cannot create streams.`,
		},
		"private_message_policy": {
			params{"private_message_policy": 2},
			func(w *world) string {
				return w.body(w.mia, "POST", "/messages", params{"type": "private", "to": []any{w.ada.ID}, "content": "psst"})
			},
			`"success"`, `Private messages are disabled in this organization.`,
		},
		"inline_image_preview": {
			params{"inline_image_preview": false},
			func(w *world) string {
				return w.body(w.mia, "POST", "/messages/render", params{"content": "https://pictures.example/a.png"})
			},
			`message_inline_image`, `<p><a`,
		},
		"default_code_block_language": {
			params{"default_code_block_language": "go"},
			func(w *world) string {
				return w.body(w.mia, "POST", "/messages/render", params{"content": "```\nfunc main() {}\n```"})
			},
			`<pre><span></span><code>func main`, `<span class=`,
		},
		"notifications_stream_id": {
			params{"notifications_stream_id": -1},
			func(w *world) string {
				w.body(w.ada, "POST", "/users/me/subscriptions", params{"subscriptions": []params{{"name": "club"}}, "announce": true})
				w.body(w.ada, "POST", "/users/me/subscriptions", params{"subscriptions": []params{{"name": "den"}}, "announce": true})
				got := w.body(w.mia, "GET", "/messages", params{
					"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": []params{{"operator": "stream", "operand": "hall"}},
				})
				return strconv.FormatBool(strings.Contains(got, "new streams"))
			},
			"true", "false",
		},
		"default_language": {
			params{"default_language": "de"}, newcomer(`"update_display_settings"`, "default_language"), `"en"`, `"de"`,
		},
		"default_twenty_four_hour_time": {
			params{"default_twenty_four_hour_time": true}, newcomer(`"update_display_settings"`, "twenty_four_hour_time"), `false`, `true`,
		},
		"emails_restricted_to_domains": {
			params{"emails_restricted_to_domains": true},
			func(w *world) string { return w.join("new@corp.example") },
			`"success"`, `Email 'new@corp.example' not allowed in this organization`,
		},
		"disallow_disposable_email_addresses": {
			params{"disallow_disposable_email_addresses": false},
			func(w *world) string { return w.join("new@mailinator.com") },
			`Disposable email addresses are not allowed in this organization`, `"success"`,
		},
		"email_address_visibility": {
			params{"email_address_visibility": 4},
			func(w *world) string { return w.body(w.mia, "GET", fmt.Sprintf("/users/%d", w.olga.ID), nil) },
			`"email":"olga@chat.example"`, `"email":"user`,
		},
		"description": {
			params{"description": "**steam**"},
			func(w *world) string { return w.body(w.mia, "GET", "/server_settings", nil) },
			`A place to talk`, `"realm_description":"<p><strong>steam`,
		},
		"name": {
			params{"name": "Mill"}, func(w *world) string { return w.body(w.mia, "GET", "/server_settings", nil) }, `"realm_name":"Plant"`, `"realm_name":"Mill"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain, changed := newWorld(t), newWorld(t)
			for _, w := range []*world{plain, changed} {
				hall := w.stream(w.ada, "hall", false)
				w.stream(w.mia, "hall", false)
				w.edit(w.olga, params{"notifications_stream_id": hall})
			}
			changed.edit(changed.olga, test.change)
			if got := test.does(plain); !strings.Contains(got, test.before) {
				t.Errorf("before: %.600s", got)
			}
			if got := test.does(changed); !strings.Contains(got, test.after) {
				t.Errorf("after: %.600s", got)
			}
		})
	}
}

func (w *world) body(by servicetest.Account, method, path string, p params) string {
	w.T.Helper()
	return by.Do(method, path, p).Body
}

// message sends a message to a public stream.
func (w *world) message(by servicetest.Account) int64 { return by.SendStream("hall", "pumps", "old") }

// join creates an account with an address.
func (w *world) join(email string) string {
	w.T.Helper()
	return w.body(w.ada, http.MethodPost, "/users", params{"email": email, "full_name": "New Person", "password": "correct horse battery"})
}

// newcomer returns data of the initial state of a new account.
func newcomer(selector, key string) func(w *world) string {
	return func(w *world) string {
		w.join("new@corp.example")
		reply := struct {
			APIKey string `json:"api_key"`
		}{}
		w.ada.Do(http.MethodPost, "/fetch_api_key", params{"username": "new@corp.example", "password": "correct horse battery"}).OK().Decode(&reply)
		fresh := w.ada
		fresh.RealEmail, fresh.Key = "new@corp.example", reply.APIKey
		state := map[string]json.RawMessage{}
		fresh.RegisterInto(params{"event_types": "[" + selector + "]"}, &state)
		return string(state[key])
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
