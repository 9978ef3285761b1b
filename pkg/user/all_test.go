package user_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/pkg/yield"
)

// All accounts of the organization are read once each, in order, in portions.
func TestAllInPortions(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	s.person(s.other, "eve", actor.Member)
	last, _ := s.person(s.acme, "ada", actor.Member)
	all := func(ctx context.Context) (ids []id.User, err error) {
		err = s.db.Read(ctx, s.acme.ID, func(tx *store.Tx) error {
			ids = nil
			users, err := user.All(ctx, tx)
			for _, u := range users {
				ids = append(ids, u.ID)
			}
			return err
		})
		return ids, err
	}
	had, session := 0, storetest.Connect(t, s.url)
	for _, count := range []int{1, user.Portion - 1, user.Portion, user.Portion + 1, 3*user.Portion + 7} {
		s.exec(`insert into users (org_id, email, full_name) select $1, 'more' || i || '@corp.example', 'More ' || i
			from generate_series($2::int, $3::int) i`, s.acme.ID, had+1, count-1)
		had = max(had, count-1)
		want := storetest.Values[int](session, "select count(*)::int from users where org_id = $1", s.acme.ID)[0]
		rests := 0
		ids, err := all(yield.With(t.Context(), func() { rests++ }))
		if err != nil || want < count || len(ids) != want || !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) || !slices.Contains(ids, last.ID) {
			t.Errorf("%d accounts: %d, %v", want, len(ids), err)
		}
		if rests != want/user.Portion {
			t.Errorf("%d accounts: %d rests", want, rests)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := all(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who has gone: %v", err)
	}
}
