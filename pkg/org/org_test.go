package org_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

func newService(t *testing.T) (*org.Service, *store.DB) {
	t.Helper()
	db := storetest.Open(t)
	return org.New(db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https", Methods: []org.Method{{Name: "idp_1"}}}, time.Now), db
}

func TestCreateAndFind(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	settings := org.Defaults()
	settings.CreateStreamPolicy = permit.ByAdmins
	settings.MandatoryTopics = true
	settings.AuthenticationMethods = map[string]bool{"Email": false, "idp_1": true}
	made, err := s.Create(t.Context(), org.Draft{
		Subdomain: "acme", Name: "Acme", Description: "*us*", RenderedDescription: "<em>us</em>", Settings: settings,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), org.Draft{Name: "Root", Settings: org.Defaults()}, nil); err != nil {
		t.Fatal(err)
	}
	found, err := s.ByHost(t.Context(), "ACME.chat.example:443")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, found, cmpopts.EquateComparable(org.Pictures{})); diff != "" {
		t.Errorf("found another organization (-made +found):\n%s", diff)
	}
	if found.URI != "https://acme.chat.example" || found.Name != "Acme" || found.RenderedDescription != "<em>us</em>" {
		t.Errorf("found %+v", found)
	}
	if diff := cmp.Diff(settings, found.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	root, err := s.ByHost(t.Context(), "127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	if root.Name != "Root" || root.ID == made.ID {
		t.Errorf("at an address there is %+v", root)
	}
	if _, err := s.ByHost(t.Context(), "nobody.chat.example"); !errors.Is(err, org.ErrInvalidSubdomain) {
		t.Errorf("unknown host: %v", err)
	}
	// Each sees only itself.
	for _, o := range []org.Org{made, root} {
		err := db.Read(t.Context(), o.ID, func(tx *store.Tx) error {
			loaded, err := s.Load(t.Context(), tx)
			if diff := cmp.Diff(o, loaded, cmpopts.EquateComparable(org.Pictures{})); diff != "" {
				t.Errorf("loaded (-want +got):\n%s", diff)
			}
			users, usersErr := tx.UsersAfter(t.Context(), 0, 100)
			if len(users) != 1 || !users[0].System || users[0].Email != "notification-bot@chat.example" || users[0].OrgID != o.ID {
				t.Errorf("accounts of %s: %+v", o.Name, users)
			}
			return errors.Join(err, usersErr)
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	create := func(subdomain string) error {
		_, err := s.Create(t.Context(), org.Draft{Subdomain: subdomain, Name: "Acme", Settings: org.Defaults()}, nil)
		return err
	}
	if err := create("acme"); err != nil {
		t.Fatal(err)
	}
	if err := create("acme"); !errors.Is(err, org.ErrSubdomainTaken) {
		t.Errorf("a second acme: %v", err)
	}
	for _, subdomain := range []string{"Acme", "a.b", "-a", "a-", "ä", "a b"} {
		if err := create(subdomain); !errors.Is(err, org.ErrNotSubdomain) {
			t.Errorf("subdomain %q: %v", subdomain, err)
		}
	}
}

func TestCreateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	no := errors.New("no")
	draft := org.Draft{Subdomain: "acme", Name: "Acme", Settings: org.Defaults()}
	if _, err := s.Create(t.Context(), draft, func(*store.Tx, org.Org) error { return no }); !errors.Is(err, no) {
		t.Fatal(err)
	}
	if _, err := s.ByHost(t.Context(), "acme.chat.example"); !errors.Is(err, org.ErrInvalidSubdomain) {
		t.Errorf("a failed creation left %v", err)
	}
}

// Only the chosen settings are stored, so that the others follow changed defaults.
func TestSettingsAreStoredAsDifferences(t *testing.T) {
	t.Parallel()
	settings := org.Defaults()
	settings.DigestWeekday = 4
	language := "go"
	settings.DefaultCodeBlockLanguage = &language
	stored, err := store.EncodeSettings(settings, org.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(stored), `{"default_code_block_language":"go","digest_weekday":4}`; got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
	read, err := store.DecodeSettings(stored, org.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(settings, read); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// Limits that an organization hasn't chosen are those of the current configuration.
func TestConfiguredDefaults(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	service := func(streams, perDay uint16) *org.Service {
		return org.New(db, org.Config{ExternalHost: "chat.example", MaxStreams: streams, MaxStreamsPerDay: perDay}, time.Now)
	}
	s := service(10, 2)
	chosen := s.Config().Defaults()
	chosen.MaxStreams = org.Defaults().MaxStreams
	for name, settings := range map[string]org.Settings{"chosen": chosen, "silent": s.Config().Defaults()} {
		if _, err := s.Create(t.Context(), org.Draft{Subdomain: name, Name: name, Settings: settings}, nil); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string][]int{}
	for _, subdomain := range []string{"chosen", "silent"} {
		for _, s := range []*org.Service{s, service(20, 4), service(0, 0)} {
			o, err := s.ByHost(t.Context(), subdomain+".chat.example")
			if err != nil {
				t.Fatal(err)
			}
			got[subdomain] = append(got[subdomain], o.Settings.MaxStreams, o.Settings.MaxStreamsPerDay)
		}
	}
	want := map[string][]int{"chosen": {5000, 2, 5000, 4, 5000, 500}, "silent": {10, 2, 20, 4, 5000, 500}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}
