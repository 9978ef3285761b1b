package presence_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// A listing is reused for a second, but contains news at once.
func TestReportReturnsRecentListings(t *testing.T) {
	t.Parallel()
	options, err := redis.ParseURL(testbed.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := testbed.NewClock(start)
	db := storetest.Open(t)
	orgs := org.New(db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, clock.Now)
	s := presence.New(presence.Deps{DB: db, Orgs: orgs, Store: presence.NewStore(client), Now: clock.Now, Logger: testbed.Logger(t)})
	made, err := orgs.Create(t.Context(), org.Draft{Name: "Acme", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	person := func(name string) actor.Actor {
		who := actor.Actor{}
		err := db.Write(t.Context(), made.ID, func(tx *store.Tx) error {
			u, _, err := user.New(db, orgs, clock.Now).Create(t.Context(), tx, made, user.Draft{
				RealEmail: name + "@chat.example", FullName: name + " Test", Role: actor.Member,
			})
			who = u.Actor(made, nil)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		who.Client = "website"
		return who
	}
	ann, bob, eve := person("ann"), person("bob"), person("eve")
	eve.PresenceOff = true
	// seen maps people to when they were last active, in seconds after the start.
	type seen map[string]int64
	report := func(who actor.Actor, after time.Duration, want seen) {
		t.Helper()
		clock.Set(start.Add(after))
		listing, _, err := s.Report(t.Context(), who, "active", presence.LegacyListing)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(listing)
		if err != nil {
			t.Fatal(err)
		}
		people := map[string]presence.Clients{}
		if err := json.Unmarshal(text, &people); err != nil {
			t.Fatal(err)
		}
		got := seen{}
		for email, clients := range people {
			got[email[:3]] = clients["website"].Timestamp - start.Unix()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s after %v (-want +got):\n%s", who.FullName, after, diff)
		}
	}
	const second = time.Second
	report(ann, 0, seen{"ann": 0})
	report(bob, 500*time.Millisecond, seen{"ann": 0, "bob": 0}) // news
	report(ann, 10*second, seen{"ann": 10, "bob": 0})
	report(bob, 10*second+900*time.Millisecond, seen{"ann": 10, "bob": 0}) // reused
	report(eve, 10*second+950*time.Millisecond, seen{"ann": 10, "bob": 0})
	report(eve, 11*second, seen{"ann": 10, "bob": 10})
	report(ann, 100*second, seen{"ann": 100, "bob": 10})
	report(bob, 100*second, seen{"ann": 100, "bob": 100}) // news again
	if _, _, err := s.Report(t.Context(), ann, "active", presence.NoListing); err != nil {
		t.Error(err)
	}
}
