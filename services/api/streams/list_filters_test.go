package streams_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/services/servicetest"
)

// Each filter separately, for each account (rest-api.md, section 3.2).
func TestListFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := w.ann.NewStream("gone", nil)
	w.admin.Do(http.MethodDelete, at("/streams/%d", gone), nil).OK()
	w.bob.NewStream("bobs", params{"invite_only": true})
	w.ann.NewStream("Web", nil)
	w.ann.NewStream("empty", nil)
	w.ann.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": `["empty"]`}).OK()
	w.db.Exec("update streams set is_web_public = true where name = 'Web'")
	w.db.Exec("update streams set is_default = true where name in ('Hall', 'bobs')")
	only := func(name string) params {
		p := params{"include_public": false, "include_subscribed": false}
		if name != "" {
			p[name] = true
		}
		return p
	}
	for _, test := range []struct {
		who  servicetest.Account
		p    params
		want string
	}{
		{w.bob, nil, "Ball Hall Web bobs empty"},
		{w.bob, only(""), ""},
		{w.bob, only("include_public"), "Ball Hall Web empty"},
		{w.bob, only("include_subscribed"), "bobs"},
		{w.bob, only("include_web_public"), "Web"},
		{w.bob, only("include_default"), "Hall bobs"},
		{w.bob, only("include_owner_subscribed"), ""},
		{w.gus, nil, "Hall"},
		{w.gus, only("include_public"), ""},
		{w.gus, only("include_web_public"), "Web"},
		{w.gus, only("include_default"), ""},
		{w.robot, nil, "Ball Hall Web empty"},
		{w.robot, only("include_owner_subscribed"), "bobs"},
		{w.admin, nil, "Ball Hall Web empty"},
		{w.admin, only("include_all_active"), "Ball Hall Web bobs cave empty"},
		{w.owner, only("include_all_active"), "Ball Hall Web bobs cave empty"},
		{w.stranger, only("include_all_active"), ""},
	} {
		reply := struct{ Streams []struct{ Name string } }{}
		test.who.Do(http.MethodGet, "/streams", test.p).OK().Decode(&reply)
		names := []string{}
		for _, s := range reply.Streams {
			names = append(names, s.Name)
		}
		servicetest.Same(t, at("%s %v", test.who.FullName, test.p), test.want, strings.Join(names, " "))
	}
	for _, who := range []servicetest.Account{w.ann, w.gus, w.robot} {
		who.Do(http.MethodGet, "/streams", only("include_all_active")).Fails(400, bad, "User not authorized for this query")
	}
	for _, name := range []string{"include_public", "include_subscribed", "include_web_public", "include_default", "include_owner_subscribed", "include_all_active"} {
		w.ann.Do(http.MethodGet, "/streams", params{name: "yes"}).Fails(400, bad, `Argument "`+name+`" is not valid JSON.`)
	}
}
