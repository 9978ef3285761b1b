package presence_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/testbed"
)

const (
	active = presence.Active
	idle   = presence.Idle
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

// reports is a store of reports whose errors end the test.
type reports struct {
	*presence.Store
	t     *testing.T
	redis *redis.Client
}

func newReports(t *testing.T) reports {
	t.Helper()
	options, err := redis.ParseURL(testbed.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	return reports{presence.NewStore(client), t, client}
}

func (k reports) report(org id.Org, user id.User, client string, status presence.Status, now time.Time) (news bool) {
	k.t.Helper()
	by, r := presence.Reporter{Org: org, User: user, Client: client}, presence.Report{Status: status, At: now.Unix()}
	news, all, err := k.Report(k.t.Context(), by, r, false)
	if err != nil || len(all) > 0 {
		k.t.Fatal(all, err)
	}
	return news
}

func (k reports) record(user id.User, client string, now time.Time) {
	k.t.Helper()
	by := presence.Reporter{Org: 1, User: user, Client: client}
	if err := k.MarkReported(k.t.Context(), by, presence.Report{At: now.Unix()}); err != nil {
		k.t.Fatal(err)
	}
}

func (k reports) want(org id.Org, now time.Time, want map[id.User]presence.Reports) {
	k.t.Helper()
	all, err := k.All(k.t.Context(), org, now)
	if err != nil {
		k.t.Fatal(err)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		k.t.Errorf("all (-want +got):\n%s", diff)
	}
	for user, reports := range want {
		got, err := k.Of(k.t.Context(), org, user, now)
		if diff := cmp.Diff(reports, got); diff != "" || err != nil {
			k.t.Errorf("user %d: %v (-want +got):\n%s", user, err, diff)
		}
	}
}

// The effects of one client's reports (events.md, section 3.11).
func TestReport(t *testing.T) {
	t.Parallel()
	k := newReports(t)
	for _, c := range []struct {
		name    string
		at      int
		status  presence.Status
		news    bool
		status2 presence.Status // of the next report
		at2     int
	}{
		{"first", 0, idle, true, idle, 0},
		{"idle still", 60, idle, false, idle, 60},
		{"active after idle", 61, active, true, active, 61},
		{"active still", 121, active, false, active, 121},
		{"idle soon after active", 191, idle, false, active, 121},
		{"idle later", 192, idle, false, idle, 192},
		{"active at once", 192, active, true, active, 192},
		{"active after 70 seconds", 262, active, false, active, 262},
		{"active after 71 seconds", 333, active, true, active, 333},
		{"a clock that is late", 300, active, false, active, 333},
	} {
		if news := k.report(1, 7, "website", c.status, at(c.at)); news != c.news {
			t.Errorf("%s: news is %v", c.name, news)
		}
		k.record(7, "website", at(c.at))
		k.want(1, at(c.at), map[id.User]presence.Reports{7: {"website": {c.status2, at(c.at2).Unix()}}})
	}
}

// Clients, accounts and organizations are separate.
func TestReportsAreSeparate(t *testing.T) {
	t.Parallel()
	k := newReports(t)
	for _, r := range []struct {
		org    id.Org
		user   id.User
		client string
	}{{1, 7, "website"}, {1, 7, `a "client": {é}`}, {1, 8, "website"}, {2, 9, "website"}} {
		if !k.report(r.org, r.user, r.client, active, start) {
			t.Errorf("%+v is no news", r)
		}
	}
	now := presence.Report{Status: active, At: start.Unix()}
	k.want(1, start, map[id.User]presence.Reports{7: {"website": now, `a "client": {é}`: now}, 8: {"website": now}})
	k.want(2, start, map[id.User]presence.Reports{9: {"website": now}})
	k.want(3, start, map[id.User]presence.Reports{})
	for _, nobody := range []struct {
		org  id.Org
		user id.User
	}{{2, 7}, {1, 9}, {3, 1}} {
		if got, err := k.Of(t.Context(), nobody.org, nobody.user, start); got != nil || err != nil {
			t.Errorf("%+v: %v %v", nobody, got, err)
		}
	}
}

// A report returns those of everyone, including the new one.
func TestReportLists(t *testing.T) {
	t.Parallel()
	k := newReports(t)
	k.report(1, 8, "website", idle, start)
	k.report(1, 9, "website", active, start.Add(-presence.Retention-time.Second))
	now := presence.Report{Status: active, At: at(5).Unix()}
	_, all, err := k.Report(t.Context(), presence.Reporter{Org: 1, User: 7, Client: "ios"}, now, true)
	if diff := cmp.Diff(map[id.User]presence.Reports{
		7: {"ios": now}, 8: {"website": {idle, start.Unix()}},
	}, all); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A report counts as news until it has been recorded as sent.
func TestNewsStayUntilReported(t *testing.T) {
	t.Parallel()
	k := newReports(t)
	for _, c := range []struct {
		name   string
		at     int
		status presence.Status
		news   bool
		record int // for which report; -1: for none
	}{
		{"first, not reported", 0, active, true, -1},
		{"again", 10, active, true, -1},
		{"the previous one is reported", 20, active, true, 10},
		{"reported", 30, active, true, 30},
		{"reported already", 40, active, false, -1},
		{"a change", 41 + 70, idle, false, -1},
		{"another, not reported", 120, active, true, -1},
		{"the next, reported", 130, active, true, 130},
		{"no news", 140, active, false, -1},
	} {
		if news := k.report(1, 7, "website", c.status, at(c.at)); news != c.news {
			t.Errorf("%s: news is %v", c.name, news)
		}
		if c.record >= 0 {
			k.record(7, "website", at(c.record))
		}
	}
	k.record(7, "nothing", start)
	k.record(8, "website", start)
	k.want(1, at(140), map[id.User]presence.Reports{7: {"website": {active, at(140).Unix()}}})
}

// Old reports aren't returned, and are removed.
func TestOldReports(t *testing.T) {
	t.Parallel()
	k := newReports(t)
	later := at(int(presence.Retention.Seconds()))
	k.report(1, 7, "website", active, at(-1))
	k.report(1, 7, "ios", active, at(0))
	k.report(1, 8, "website", active, at(-1))
	first := presence.Report{Status: active, At: start.Unix()}
	k.want(1, later, map[id.User]presence.Reports{7: {"ios": first}})
	if got, err := k.Of(t.Context(), 1, 8, later); got != nil || err != nil {
		t.Errorf("an old report was returned: %v %v", got, err)
	}
	k.report(1, 9, "website", active, later)
	fields := slices.Sorted(slices.Values(k.redis.HKeys(t.Context(), "{o1}:presence").Val()))
	if diff := cmp.Diff([]string{"7", "9"}, fields); diff != "" {
		t.Errorf("kept users (-want +got):\n%s", diff)
	}
	for _, key := range []string{"{o1}:presence", "{o1}:presence:seen"} {
		if left := k.redis.TTL(t.Context(), key).Val(); left <= presence.Retention-time.Minute || left > presence.Retention {
			t.Errorf("%s expires in %v", key, left)
		}
	}
}

// Reports that can't be read hide nobody else's, and are replaced by the next one.
func TestUnreadableReports(t *testing.T) {
	t.Parallel()
	k := newReports(t)
	k.report(1, 7, "website", active, start)
	ok := presence.Reports{"website": {Status: active, At: start.Unix()}}
	for _, text := range []string{"", "x", "7", "[]", "null", `{"website":7}`, `{"website":{}}`, `{"website":{"s":7,"t":"x"}}`, `{"website":{"s":"idle","t":1e400}}`} {
		if err := k.redis.HSet(t.Context(), "{o1}:presence", "8", text, "x", text).Err(); err != nil {
			t.Fatal(err)
		}
		k.want(1, start, map[id.User]presence.Reports{7: ok})
		if got, err := k.Of(t.Context(), 1, 8, start); got != nil || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		k.report(1, 8, "website", active, start)
		k.want(1, start, map[id.User]presence.Reports{7: ok, 8: ok})
	}
}

// Only the newest few clients of an account are kept, however many it invents.
func TestManyClients(t *testing.T) {
	t.Parallel()
	k := newReports(t)
	want := presence.Reports{}
	for i := range 100 {
		k.report(1, 7, fmt.Sprintf("client%d", i), active, at(i))
		if i >= 90 {
			want[fmt.Sprintf("client%d", i)] = presence.Report{Status: active, At: at(i).Unix()}
		}
	}
	k.want(1, at(100), map[id.User]presence.Reports{7: want})
}

func TestClient(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"website": "website", "ZulipElectron": "website", "chatserverDesktop": "website", "My Desktop App": "website",
		"ZulipMobile": "ZulipMobile", "ZulipPython": "ZulipPython", "Unspecified": "Unspecified", "Aggregated": "Unspecified",
	} {
		if got := presence.ClientName(name); got != want {
			t.Errorf("%s counts as %s, want %s", name, got, want)
		}
	}
}
