package branding_test

import (
	"fmt"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestIcon(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	leads(t, w.Person("Gus", actor.Guest), "/realm/icon", nil, fmt.Sprintf("/icon/%d?v=1", w.Org.ID))
}
