package admin_test

import "testing"

// A token for an identity provider is issued, and revoked.
func TestScimToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	first, err := w.IssueScimToken(t.Context(), key)
	if err != nil || len(first.Token) != 32 {
		t.Fatalf("%+v, %v", first, err)
	}
	valid := func() bool {
		t.Helper()
		admitted, err := w.Provision.Admits(t.Context(), w.org().ID, first.Token)
		if err != nil {
			t.Fatal(err)
		}
		return admitted
	}
	if !valid() {
		t.Error("it isn't valid")
	}
	for _, want := range []bool{true, false} {
		if removal, err := w.RevokeScimTokens(t.Context(), key); err != nil || removal.Removed != want {
			t.Errorf("%+v, %v", removal, err)
		}
	}
	if valid() {
		t.Error("it is still valid")
	}
	if _, err := w.IssueScimToken(t.Context(), "nobody"); err == nil {
		t.Error("a token of no organization")
	}
	if _, err := w.RevokeScimTokens(t.Context(), "nobody"); err == nil {
		t.Error("tokens of no organization")
	}
}
