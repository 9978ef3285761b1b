package presence

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Faults of requests about presence. They are formatted with the status or the address.
var (
	ErrStatus     = fault.Bad("Invalid status: %s")
	ErrNoSuchUser = fault.Plain("No such user")
	ErrBot        = fault.Plain("Presence is not supported for bot users.")
	ErrNoData     = fault.Plain("No presence data for %s")
)

// offlineAfter is the age of the last report from which [Service.Of] reports an account as offline.
const offlineAfter = 300 * time.Second

// Form is the form of a [Listing].
type Form int

// The forms.
const (
	NoListing     Form = iota // none
	LegacyListing             // by address
	SlimListing               // by id
)

// Report stores the report of the caller's client ("active" or "idle"), notifies everyone if necessary, and returns
// the presence of others, at most a second old. If others were notified, the result contains the report. If the
// settings of the account hide its presence, Report stores nothing. It fails with [ErrStatus].
func (s *Service) Report(ctx context.Context, who actor.Actor, says string, form Form) (Listing, time.Time, error) {
	now := s.Now()
	status := Status(says)
	if status != Active && status != Idle {
		return nil, now, ErrStatus.Format(says)
	}
	listing, known := s.recent.get(who.Org(), form, now)
	read := form != NoListing && !known
	news, reports, err := false, map[id.User]Reports(nil), error(nil)
	if !who.PresenceOff {
		news, reports, err = s.report(ctx, who, status, now, read)
	}
	if err != nil || form == NoListing || known && !news {
		return listing, now, err
	}
	if reports == nil {
		if reports, err = s.Store.All(ctx, who.Org(), now); err != nil {
			return nil, now, err
		}
	}
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
		listing, err = s.listing(ctx, tx, reports, form)
		return err
	})
	if err == nil {
		s.recent.put(who.Org(), form, listing, now)
	}
	return listing, now, err
}

// report stores a report, records the event and then marks the report as sent. If anything fails before that, the
// next report has an event.
func (s *Service) report(
	ctx context.Context, who actor.Actor, status Status, now time.Time, list bool,
) (news bool, all map[id.User]Reports, err error) {
	by, r := Reporter{Org: who.Org(), User: who.User, Client: clientName(who.Client)}, Report{Status: status, At: now.Unix()}
	news, all, err = s.Store.Report(ctx, by, r, list)
	if err != nil || !news {
		return false, all, err
	}
	err = s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error { return tx.Emit(ctx, r.event(by, who.Email, now)) })
	if err != nil {
		return false, nil, err
	}
	if err := s.Store.MarkReported(ctx, by, r); err != nil {
		s.Logger.WarnContext(ctx, "failed to report presence; it will be retried", slog.Any("error", err))
	}
	return true, all, nil
}

// event returns the event of a report at the time now. email is the account's displayed address.
func (r Report) event(by Reporter, email string, now time.Time) event.Event {
	return event.Presence{
		UserID: by.User, Email: email, ServerTimestamp: Seconds(now),
		Presence: map[string]event.ClientPresence{by.Client: {Client: by.Client, Status: string(r.Status), Timestamp: r.At}},
	}
}

// Everybody returns the presence of everyone, and the time of that state.
func (s *Service) Everybody(ctx context.Context, who actor.Actor) (Listing, time.Time, error) {
	now := s.Now()
	listing, err := store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) (Listing, error) { return s.Listing(ctx, tx, LegacyListing) })
	return listing, now, err
}

// Listing returns the presence of everyone.
func (s *Service) Listing(ctx context.Context, tx *store.Tx, form Form) (Listing, error) {
	reports, err := s.Store.All(ctx, tx.Org(), s.Now())
	if err != nil {
		return nil, err
	}
	return s.listing(ctx, tx, reports, form)
}

// listing returns the reports of active accounts as a listing.
func (s *Service) listing(ctx context.Context, tx *store.Tx, reports map[id.User]Reports, form Form) (Listing, error) {
	users := make([]int64, 0, len(reports))
	for user := range reports {
		users = append(users, int64(user))
	}
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return nil, err
	}
	people, err := tx.ActivePeople(ctx, users)
	if err != nil {
		return nil, err
	}
	listing := make(Listing, len(people))
	for _, row := range people {
		key, value := strconv.FormatInt(int64(row.UserID), 10), any(slim(reports[row.UserID]))
		if form != SlimListing {
			key, value = user.DisplayEmail(o, user.User{ID: row.UserID, RealEmail: row.Email}), clients(reports[row.UserID])
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode presence of user %d: %w", row.UserID, err)
		}
		listing[key] = json.RawMessage(encoded)
	}
	return listing, nil
}

// Of returns the reports of a person's clients, by the person's displayed address. The aggregated status is "offline"
// if the last report is more than five minutes old. It fails with [ErrNoSuchUser], [ErrBot] or [ErrNoData].
func (s *Service) Of(ctx context.Context, who actor.Actor, email string) (Clients, error) {
	found := user.User{}
	err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		users, err := user.ByEmails(ctx, tx, o, []string{email})
		found = users[email]
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case !found.Active:
		return nil, ErrNoSuchUser
	case found.IsBot():
		return nil, ErrBot
	}
	now := s.Now()
	reports, err := s.Store.Of(ctx, who.Org(), found.ID, now)
	if err != nil {
		return nil, err
	}
	if reports == nil {
		return nil, ErrNoData.Format(email)
	}
	all := clients(reports)
	for name, c := range all {
		if name == aggregated && now.Sub(time.Unix(c.Timestamp, 0)) > offlineAfter {
			c.Status = "offline"
		}
		all[name] = Client{Status: c.Status, Timestamp: c.Timestamp}
	}
	return all, nil
}

// Seconds returns a time in Unix seconds, with fractions down to the microsecond.
func Seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
