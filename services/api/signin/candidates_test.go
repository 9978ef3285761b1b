package signin_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestCandidates(t *testing.T) {
	t.Parallel()
	l := newLocalRun(t)
	ann := l.Person("Ann", actor.Owner)
	l.Person("Mia", actor.Member)
	l.Person("Gus", actor.Guest)
	gone := l.Person("Gone", actor.Member)
	l.Bot("Robot", actor.GenericBot, ann)
	rival := l.NewOrg("rival")
	l.Account(rival, user.Draft{FullName: "Sly", Role: actor.Member})
	l.sql.Exec(`update users set active = false where user_id = $1`, gone.ID)

	list := func(host string) (int, map[string]any) { return l.do(http.MethodGet, "/dev_list_users", host, nil) }
	one := func(name string) any {
		return map[string]any{"email": name + "@chat.example", "realm_uri": "https://chat.example"}
	}
	status, reply := list(servicetest.Host)
	want := map[string]any{"result": "success", "msg": "", "direct_admins": []any{one("ann")}, "direct_users": []any{one("mia"), one("gus")}}
	if diff := cmp.Diff(want, reply); status != 200 || diff != "" {
		t.Errorf("%d (-want +got):\n%s", status, diff)
	}
	for _, c := range []struct {
		sql, host string
		status    int
		msg       string
	}{
		{`select`, "nobody." + servicetest.Host, 400, "Invalid subdomain"},
		{`select`, "evil.test", 400, "Invalid subdomain"},
		{`update organizations set deactivated = true`, servicetest.Host, 403, "This organization has been deactivated."},
		{`update organizations set settings = '{"authentication_methods": {"Email": true}}'`, servicetest.Host, 400, "DevAuthBackend not enabled."},
	} {
		l.sql.Exec(c.sql)
		if status, reply := list(c.host); status != c.status || reply["msg"] != c.msg {
			t.Errorf("%s: %d %v, want %d %q", c.sql, status, reply, c.status, c.msg)
		}
	}
}
