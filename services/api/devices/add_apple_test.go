package devices_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

const (
	apple  = "/users/me/apns_device_token"
	google = "/users/me/android_gcm_reg_id"
)

// Tokens belong to an account, are stored once each, and their number is limited.
func TestAddApple(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Guest), w.Person("Bob", actor.Member)
	kept := func(of servicetest.Account) int64 {
		return storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select count(*) from push_tokens where user_id = $1", int64(of.ID))[0]
	}
	ann.Do(http.MethodPost, apple, params{"token": "YXBwbGU=", "appid": "org.example.chat"}).OK()
	ann.Do(http.MethodPost, apple, params{"token": "YXBwbGU="}).OK()
	bob.Do(http.MethodPost, apple, params{"token": "YXBwbGU="}).OK()
	servicetest.Same(t, "the same twice", int64(1), kept(ann))
	for i := range 25 {
		ann.Do(http.MethodPost, apple, params{"token": fmt.Sprintf("%04d", i)}).OK()
	}
	servicetest.Same(t, "the newest", int64(20), kept(ann))
	ann.Do(http.MethodDelete, apple, params{"token": "0004"}).Fails(400, "BAD_REQUEST", "Token does not exist")
	ann.Do(http.MethodDelete, apple, params{"token": "0005"}).OK()
	servicetest.Same(t, "somebody else's", int64(1), kept(bob))
	bob.Do(http.MethodPost, "/users/me/api_key/regenerate", nil).OK()
	servicetest.Same(t, "after the key was replaced", int64(0), kept(bob))

	ann.Do(http.MethodPost, apple, params{"token": ""}).Fails(400, "BAD_REQUEST", "Empty or invalid length token")
	ann.Do(http.MethodPost, apple, params{"token": strings.Repeat("A", 4100)}).Fails(400, "BAD_REQUEST", "Empty or invalid length token")
	ann.Do(http.MethodPost, apple, params{"token": "abcde"}).Fails(400, "BAD_REQUEST", "Invalid APNS token")
	ann.Do(http.MethodPost, apple, nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'token' argument")
	w.Bot("Robot", actor.GenericBot, bob).Do(http.MethodPost, apple, params{"token": "AAAA"}).Fails(400, "", "This endpoint does not accept bot requests.")
}
