package subscription

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// The errors of subscribing (rest-api.md, section 3.4), besides [ErrPrincipal] and those of invalid names of streams.
var (
	// ErrCreate says that the caller may not create the missing streams.
	ErrCreate = fault.Bad("User cannot create streams.")
	// ErrCreateSettings says that only owners may set how long a new stream keeps its messages.
	ErrCreateSettings = fault.Bad("User cannot create stream with this settings.")
	// ErrNoAccess says that a stream is private and the caller isn't in it.
	ErrNoAccess = fault.Plain("Unable to access stream (%s).")
	// ErrOthersAdmins says that only administrators may subscribe others.
	ErrOthersAdmins = fault.Plain("Only administrators can modify other users' subscriptions.")
	// ErrOthersTooNew says that new members may not subscribe others.
	ErrOthersTooNew = fault.Plain("Your account is too new to modify other users' subscriptions.")
)

// Wanted is a stream to subscribe to.
type Wanted struct {
	Name        string
	Description string // of a new stream
	Color       string // of a new subscription; empty: the next of the palette
}

// Request is a request to subscribe accounts to streams.
type Request struct {
	Streams    []Wanted
	Principals Principals
	// LeaveOut lists streams that the caller may not join in the answer, instead of failing.
	LeaveOut bool
	// Announce makes the notification bot announce new streams.
	Announce bool
	// New are the settings of streams that don't exist yet.
	New stream.Settings
}

func cleanNames(wanted []Wanted) ([]string, error) {
	names := make([]string, len(wanted))
	for i, w := range wanted {
		name, err := stream.CleanName(w.Name)
		if err != nil {
			return nil, err
		}
		names[i] = name
	}
	return names, nil
}

// check checks whether who may make a request about the streams found. It returns the existing streams that who may
// subscribe to, the names of the others, and the accounts that the request changes.
func (s *Service) check(
	ctx context.Context, tx *store.Tx, who actor.Actor, o org.Org, request Request, found named,
) (existing []sqlc.Stream, unauthorized []string, whom []person, err error) {
	if err := s.mayCreate(who, o, request, len(found.missing) > 0); err != nil {
		return nil, nil, nil, err
	}
	existing, unauthorized = joinable(who, found.known)
	if len(unauthorized) > 0 && !request.LeaveOut {
		return nil, nil, nil, ErrNoAccess.Format(unauthorized[0])
	}
	if err := s.maySubscribeOthers(who, o, request.Principals.given()); err != nil {
		return nil, nil, nil, err
	}
	if whom, err = people(ctx, tx, o, who, request.Principals); err != nil {
		return nil, nil, nil, err
	}
	if len(found.missing) > 0 {
		err = mayHave(ctx, tx, who, o, len(found.missing))
	}
	return existing, unauthorized, whom, err
}

// subscribe subscribes as many people of a part as fit into a transaction. left has the others, for the same streams.
func (s *Service) subscribe(
	ctx context.Context, tx *store.Tx, who actor.Actor, o org.Org, p part,
) (answer Answer, left adding, err error) {
	request, announce := p.request, []id.Stream(nil)
	if p.last {
		announce = announceIn(o, request)
	}
	found, err := lockNamed(ctx, tx, who, p.names, announce...)
	if err != nil {
		return answer, left, err
	}
	existing, unauthorized, whom, err := s.check(ctx, tx, who, o, request, found)
	if err != nil {
		return answer, left, err
	}
	drafts := lists.Map(found.missing, func(at int) stream.Draft {
		return stream.Draft{Name: p.names[at], Description: request.Streams[at].Description}
	})
	settings := request.New
	settings.Creator = who.User
	n := min(portion(len(existing)+len(drafts)), len(whom))
	active, err := stillActive(ctx, tx, whom[:n])
	if err == nil && len(active) < n { // a new stream that nobody is in would be announced, and then be found by nobody
		err = deactivated(ctx, tx, o, who, request.Principals)
	}
	if err != nil {
		return answer, left, err
	}
	j, err := s.prepare(ctx, tx, existing, active)
	if err != nil {
		return answer, left, err
	}
	left = adding{people: whom[n:], notify: request.Principals.given(), last: p.last, news: p.news.with(who, j)}
	notifyPeople, err := s.prepareSubscribed(ctx, tx, who, left, j.people)
	if err != nil {
		return answer, left, err
	}
	if len(drafts) > 0 || len(announce) > 0 { // the caller has read the notices
		if err := tx.LockAccount(ctx, who.User); err != nil {
			return answer, left, err
		}
	}
	noteCreation, err := s.prepareCreationNote(ctx, tx, who, len(drafts) > 0)
	if err != nil {
		return answer, left, err
	}
	// The first write: everything above only reads and locks.
	created, err := stream.Create(ctx, tx, s.render, markdown.Context{OrgURL: o.URI}, drafts, settings)
	if err != nil {
		return answer, left, err
	}
	left.news.created = slices.Concat(left.news.created, created)
	j.streams = found.inOrder(existing, created)
	left.streams, left.colors = streamIDs(j.streams), make(map[id.Stream]string, len(j.streams))
	for _, row := range j.streams {
		left.colors[row.StreamID] = request.Streams[found.indexes[row.StreamID]].Color
	}
	if err := j.write(ctx, tx, left.colors); err != nil {
		return answer, left, err
	}
	answer = j.answer()
	answer.Unauthorized = unauthorized
	if err := notifyPeople(ctx); err != nil {
		return answer, left, err
	}
	if err := s.announce(ctx, tx, who, left.news.created, announce); err != nil {
		return answer, left, err
	}
	return answer, left, noteCreation(ctx, created)
}

// prepareCreationNote renders the notice in new streams, if there will be any. send sends it to those that were created.
func (s *Service) prepareCreationNote(
	ctx context.Context, tx *store.Tx, who actor.Actor, creates bool,
) (send func(ctx context.Context, created []sqlc.Stream) error, err error) {
	if !creates {
		return func(context.Context, []sqlc.Stream) error { return nil }, nil
	}
	says := func(in catalogue.Texts) (topic, text string) {
		return in.Notices.StreamEvents, in.Notices.StreamCreated(silently(who))
	}
	return s.notices.ToNew(ctx, tx, says, who.User)
}

func (s *Service) mayCreate(who actor.Actor, o org.Org, request Request, missing bool) error {
	switch {
	case !missing:
		return nil
	case !o.Settings.CreateStreamPolicy.Allows(who, s.now()):
		return ErrCreate
	case request.New.RetentionDays != nil && who.Role != actor.Owner:
		return ErrCreateSettings
	default:
		return nil
	}
}

// joinable returns the streams that the caller may subscribe to, and the names of the others: private
// ones that the caller isn't subscribed to.
func joinable(who actor.Actor, known []stream.Visible) (streams []sqlc.Stream, unauthorized []string) {
	unauthorized = []string{}
	for _, seen := range known {
		if permit.ReadStream(who.Role, seen.View()) && (!seen.InviteOnly || seen.Subscribed) {
			streams = append(streams, seen.Stream)
		} else {
			unauthorized = append(unauthorized, seen.Name)
		}
	}
	return streams, unauthorized
}

// maySubscribeOthers returns nil if a request names no people, or if who may subscribe others.
func (s *Service) maySubscribeOthers(who actor.Actor, o org.Org, named bool) error {
	policy := o.Settings.InviteToStreamPolicy
	switch {
	case !named || policy.Allows(who, s.now()):
		return nil
	case policy == permit.ByFullMembers:
		return ErrOthersTooNew
	default:
		return ErrOthersAdmins
	}
}
