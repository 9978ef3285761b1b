package bounds_test

import (
	"fmt"
	"strings"
	"testing"
)

// The most people that one call invites are 100 rows, and one event.
func TestManyInvitations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	hall := w.crowded(1)
	emails := strings.Builder{}
	for i := range 100 {
		fmt.Fprintf(&emails, "new%d@corp.example,", i)
	}
	w.look()
	w.ada.Do("POST", "/invites", params{"invitee_emails": emails.String(), "stream_ids": []int64{hall}}).OK()
	w.holds("100 invitations", bound{events: 1, bytes: 1000, rows: 100})
}
