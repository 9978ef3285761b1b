package subscription

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
)

// ErrNothingToDo reports a request that neither adds nor removes streams (rest-api.md, section 3.6).
var ErrNothingToDo = fault.Plain(`Nothing to do. Specify at least one of "add" or "delete".`)

// Answer is the result of a request. None of its members is nil.
type Answer struct {
	// Subscribed has the names of the streams that accounts were subscribed to, by the address that others see of the
	// account.
	Subscribed map[string][]string
	// Already has the names of the streams that accounts were subscribed to before, by the same address.
	Already map[string][]string
	// Unauthorized are the names of streams that were left out.
	Unauthorized []string
	// Removed has the name of a stream once for each person who was unsubscribed from it.
	Removed []string
	// NotRemoved has the name of a stream once for each person who wasn't subscribed.
	NotRemoved []string
}

func newAnswer() Answer {
	return Answer{map[string][]string{}, map[string][]string{}, []string{}, []string{}, []string{}}
}

// include adds the result for other people or streams.
func (a *Answer) include(more Answer) {
	for email, names := range more.Subscribed {
		a.Subscribed[email] = append(a.Subscribed[email], names...)
	}
	for email, names := range more.Already {
		a.Already[email] = append(a.Already[email], names...)
	}
	a.Unauthorized = append(a.Unauthorized, more.Unauthorized...)
	a.Removed = append(a.Removed, more.Removed...)
	a.NotRemoved = append(a.NotRemoved, more.NotRemoved...)
}

// Subscribe subscribes people to streams, and creates those that don't exist. If a check fails, nothing is changed. Many
// people or streams take several transactions. If they are interrupted, repeating the request completes it.
func (s *Service) Subscribe(ctx context.Context, who actor.Actor, request Request) (Answer, error) {
	return s.change(ctx, who, request, true, nil)
}

// Unsubscribe unsubscribes people from the streams with these names. A private stream that loses its
// last subscriber is deactivated. Many people are unsubscribed in several transactions, as in [Service.Subscribe].
func (s *Service) Unsubscribe(ctx context.Context, who actor.Actor, names []string, whom Principals) (Answer, error) {
	return s.change(ctx, who, Request{Principals: whom}, false, append([]string{}, names...))
}

// Change subscribes people as [Service.Subscribe] does and then unsubscribes the same people from the streams with the
// names in leave, as [Service.Unsubscribe] does. If a check fails, nothing is changed. A half without streams isn't
// checked: guests may leave streams if they join none.
func (s *Service) Change(ctx context.Context, who actor.Actor, add Request, leave []string) (Answer, error) {
	switch {
	case len(add.Streams)+len(leave) == 0:
		return Answer{}, ErrNothingToDo
	case len(leave) == 0:
		leave = nil
	}
	if err := permit.NonGuest.Check(who); err != nil && len(add.Streams) > 0 {
		return Answer{}, err
	}
	return s.change(ctx, who, add, len(add.Streams) > 0, leave)
}

// attempts is how often a request is tried whose new streams are created by others meanwhile.
const attempts = 3

// change subscribes people as the request says, if adds, and unsubscribes them from the streams with the names in leave;
// nil: none.
func (s *Service) change(ctx context.Context, who actor.Actor, request Request, adds bool, leave []string) (Answer, error) {
	if err := checkSize(len(request.Streams)+len(leave), request.Principals); err != nil {
		return Answer{}, err
	}
	parts := []part{{request: request}}
	var err error
	if adds {
		if parts, err = s.divide(ctx, who, request); err != nil {
			return Answer{}, err
		}
	}
	if leave != nil {
		if parts[0].leave, err = leaving(who, leave, request.Principals); err != nil {
			return Answer{}, err
		}
	}
	answer, added, left := newAnswer(), adding{}, []removal(nil)
	for i, p := range parts {
		write := s.writeInTurn
		if i == 0 { // most requests have one part
			write = s.write
		}
		p.news = added.news
		some, more := Answer{}, []removal(nil)
		for attempt := 1; ; attempt++ {
			err = write(ctx, who, func(tx *store.Tx, who actor.Actor) (err error) {
				some, added, more, err = s.changeOnce(ctx, tx, who, p)
				return err
			})
			if err == nil || attempt == attempts || !store.IsDuplicate(err) {
				break
			}
		}
		if err != nil {
			return Answer{}, err
		}
		answer.include(some)
		if i == 0 {
			left = more
		}
		if err := s.addRest(ctx, who, &added, &answer); err != nil {
			return Answer{}, err
		}
	}
	err = s.removeRest(ctx, who, left, &answer)
	return answer, err
}

// changeOnce does as much of a part as fits into a transaction, and returns the rest.
func (s *Service) changeOnce(ctx context.Context, tx *store.Tx, who actor.Actor, p part) (answer Answer, added adding, left []removal, err error) {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return answer, added, left, err
	}
	answer = newAnswer()
	if p.names != nil && p.leave != nil {
		// The locks of both halves must come before the first write.
		if _, err = lockNamed(ctx, tx, who, slices.Concat(p.names, p.leave), announceIn(o, p.request)...); err != nil {
			return answer, added, left, err
		}
	}
	if p.names != nil {
		var some Answer
		if some, added, err = s.subscribe(ctx, tx, who, o, p); err != nil {
			return answer, added, left, err
		}
		answer.include(some)
	}
	if p.leave != nil {
		var some Answer
		some, left, err = s.unsubscribe(ctx, tx, who, o, p.leave, p.request.Principals)
		answer.include(some)
	}
	return answer, added, left, err
}
