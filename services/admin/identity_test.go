package admin_test

import (
	"errors"
	"testing"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/login"
)

// An account whose person has another subject at the provider now is unlinked, and then linked to them.
func TestUnlink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	signIn := func(subject string) error {
		who := account.Identity{Method: "idp_1", Issuer: "https://login.example", Subject: subject, Email: ada.RealEmail}
		_, err := w.Accounts.SignIn(t.Context(), ada.Org.ID, who, false, login.Attempt{})
		return err
	}
	if err := signIn("first"); err != nil {
		t.Fatal(err)
	}
	if err := signIn("second"); !errors.Is(err, account.ErrOtherPerson) {
		t.Errorf("another subject: %v", err)
	}
	for _, want := range []bool{true, false} {
		if removal, err := w.DeleteIdentityLinks(t.Context(), key, "ADA@corp.example"); err != nil || removal.Removed != want {
			t.Errorf("%+v, %v", removal, err)
		}
	}
	if err := signIn("second"); err != nil {
		t.Error(err)
	}
	if err := signIn("first"); !errors.Is(err, account.ErrOtherPerson) {
		t.Errorf("another subject: %v", err)
	}
	for _, wrong := range [][2]string{{key, "nobody@corp.example"}, {"nobody", ada.RealEmail}} {
		if _, err := w.DeleteIdentityLinks(t.Context(), wrong[0], wrong[1]); err == nil {
			t.Errorf("unlinked %v", wrong)
		}
	}
}
