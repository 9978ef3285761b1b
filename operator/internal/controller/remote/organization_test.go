package remote_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrganizationIsMadeInTheServer(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	w.create(eng)
	w.ready(eng)
	state, err := w.admin.Organization(t.Context(), w.key(eng))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ada@corp.example"}, state.Owners); diff != "" || state.Name != "Engineering" || eng.Status.URL != state.URL {
		t.Errorf("%+v\n%s", state, diff)
	}
}
