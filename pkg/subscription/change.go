package subscription

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
)

// ErrNothingToDo says that a request neither adds nor removes (rest-api.md, section 3.6).
var ErrNothingToDo = fault.Plain(`Nothing to do. Specify at least one of "add" or "delete".`)

// Change does what [Service.Subscribe] does with the request and then, for the same people, what
// [Service.Unsubscribe] does with the streams of these names, or nothing where a check fails. What there is nothing to
// do for isn't checked either: guests may leave streams, if they join none.
func (s *Service) Change(ctx context.Context, who actor.Actor, add Request, leave []string) (Answer, Removed, error) {
	if len(add.Streams)+len(leave) == 0 {
		return Answer{}, Removed{}, ErrNothingToDo
	}
	if err := checkSize(len(add.Streams)+len(leave), add.Principals); err != nil {
		return Answer{}, Removed{}, err
	}
	if len(add.Streams) > 0 {
		if err := permit.NonGuest.Check(who); err != nil {
			return Answer{}, Removed{}, err
		}
	}
	names, err := cleanNames(add.Streams)
	if err != nil {
		return Answer{}, Removed{}, err
	}
	if len(leave) > 0 {
		if leave, err = leaving(who, leave, add.Principals); err != nil {
			return Answer{}, Removed{}, err
		}
	}
	answer, removed, adds, leaves := Answer{}, Removed{}, adding{}, removing{}
	err = s.write(ctx, who, func(tx *store.Tx) (err error) {
		answer = Answer{Subscribed: map[string][]string{}, Already: map[string][]string{}, Unauthorized: []string{}}
		removed = Removed{Removed: []string{}, NotRemoved: []string{}}
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		// The locks that either half needs come before what the first one writes.
		all := slices.Concat(names, leave)
		if _, err := lockNamed(ctx, tx, who, all, announceIn(o, add)...); err != nil {
			return err
		}
		if len(names) > 0 {
			if answer, adds, err = s.subscribe(ctx, tx, who, add, names); err != nil {
				return err
			}
		}
		if len(leave) > 0 {
			removed, leaves, err = s.unsubscribe(ctx, tx, who, leave, add.Principals)
		}
		return err
	})
	if err != nil {
		return Answer{}, Removed{}, err
	}
	for some := range slices.Chunk(adds.people, portion(len(adds.streams))) {
		err := s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
			more, err := s.addMore(ctx, tx, who, adds, some)
			answer.include(more)
			return err
		})
		if err != nil {
			return Answer{}, Removed{}, err
		}
	}
	for some := range slices.Chunk(leaves.people, portion(len(leaves.streams))) {
		more := Removed{}
		err := s.db.Write(ctx, who.Org(), func(tx *store.Tx) (err error) {
			more, err = removeMore(ctx, tx, who, leaves, some)
			return err
		})
		if err != nil {
			return Answer{}, Removed{}, err
		}
		removed.include(more)
	}
	return answer, removed, nil
}

// write runs work, again where somebody else made a stream of a new one's name meanwhile.
func (s *Service) write(ctx context.Context, who actor.Actor, work func(tx *store.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := s.db.Write(ctx, who.Org(), work)
		if err == nil || attempt == attempts || !store.IsDuplicate(err) {
			return err
		}
	}
}
