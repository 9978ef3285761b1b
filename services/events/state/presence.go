package state

import (
	"context"

	"chatserver.dev/pkg/status"
)

// Presences say who was at their computer in the last two weeks.
type Presences struct {
	// By the address that others see what each of their clients reported, and what the newest did as "aggregated";
	// with slim_presence by id when they were seen active and idle.
	PresenceByKey status.Listing `json:"presences"`
}

// UserStatus is what people say of themselves.
type UserStatus struct {
	Status map[string]status.Status `json:"user_status"` // by id, of those who say anything
}

func readPresences(ctx context.Context, r *reading, into *State) error {
	want := status.LegacyListing
	if r.SlimPresence {
		want = status.SlimListing
	}
	listing, err := r.Statuses.Listing(ctx, r.tx, want)
	into.Presences = &Presences{listing}
	return err
}

func readUserStatus(ctx context.Context, r *reading, into *State) error {
	all, err := status.All(ctx, r.tx)
	into.UserStatus = &UserStatus{all}
	return err
}
