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
	parts, err := s.divide(ctx, who, add)
	if err != nil {
		return Answer{}, Removed{}, err
	}
	if len(leave) > 0 {
		if leave, err = leaving(who, leave, add.Principals); err != nil {
			return Answer{}, Removed{}, err
		}
	}
	answer, removed, adds, leaves := newAnswer(), Removed{}, adding{}, removing(nil)
	err = s.write(ctx, who, func(tx *store.Tx) (err error) {
		answer = newAnswer()
		removed = Removed{Removed: []string{}, NotRemoved: []string{}}
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		// The locks that either half needs come before what the first one writes.
		all := slices.Concat(parts[0].names, leave)
		if _, err := lockNamed(ctx, tx, who, all, announceIn(o, add)...); err != nil {
			return err
		}
		if len(parts[0].names) > 0 {
			if answer, adds, err = s.subscribe(ctx, tx, who, parts[0]); err != nil {
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
	if err := s.addRest(ctx, who, &adds, &answer); err != nil {
		return Answer{}, Removed{}, err
	}
	if err := s.subscribeParts(ctx, who, parts[1:], adds, &answer); err != nil {
		return Answer{}, Removed{}, err
	}
	if err := s.removeRest(ctx, who, leaves, &removed); err != nil {
		return Answer{}, Removed{}, err
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
