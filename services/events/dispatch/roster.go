package dispatch

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// roster is the state of an organization at a position in the log: its accounts, their subscriptions and their queues.
type roster struct {
	accounts    map[id.User]event.Account
	subscribers map[id.Stream]*roaring64.Bitmap
	queues      *queueIndex
}

// loadRoster reads an organization's roster at a position, without its queues.
func loadRoster(ctx context.Context, log store.Log, org id.Org, at store.Position) (*roster, error) {
	read, err := log.Roster(ctx, org, at)
	if err != nil {
		return nil, err
	}
	r := &roster{accounts: read.Accounts, subscribers: map[id.Stream]*roaring64.Bitmap{}}
	for _, m := range read.Subscriptions {
		r.subscribe(m)
	}
	for _, change := range read.Undo {
		r.undo(change)
	}
	return r, nil
}

func (r *roster) subscribe(m event.Membership) {
	set := r.subscribers[m.Stream]
	if set == nil {
		set = roaring64.New()
		r.subscribers[m.Stream] = set
	}
	set.Add(uint64(m.User))
}

func (r *roster) unsubscribe(m event.Membership) {
	if set := r.subscribers[m.Stream]; set != nil {
		set.Remove(uint64(m.User))
	}
}

// apply applies the change of an event.
func (r *roster) apply(c event.Change) {
	for _, m := range c.Subscribed {
		r.subscribe(m)
	}
	for _, m := range c.Unsubscribed {
		r.unsubscribe(m)
	}
	for _, a := range c.Accounts {
		r.accounts[a.User] = a.After
	}
}

// undo reverts the change of an event.
func (r *roster) undo(c event.Change) {
	for _, a := range c.Accounts {
		if a.Before == nil {
			delete(r.accounts, a.User)
		} else {
			r.accounts[a.User] = *a.Before
		}
	}
	for _, m := range c.Unsubscribed {
		r.subscribe(m)
	}
	for _, m := range c.Subscribed {
		r.unsubscribe(m)
	}
}

// receives reports whether an account is in an event's audience, regardless of the filters of its queues.
func (r *roster) receives(user id.User, a *audience) bool {
	account, ok := r.accounts[user]
	if !ok || !account.Active {
		return false
	}
	if a.except[user] {
		return false
	}
	return a.Everyone ||
		a.NonGuests && account.Role != actor.Guest ||
		a.Admins && account.Role.IsAdmin() ||
		a.users[user] ||
		a.Outsiders != 0 && account.Role != actor.Guest && !account.Role.IsAdmin() && !r.isSubscribed(user, a.Outsiders) ||
		a.subscribers != nil && a.subscribers.Contains(uint64(user))
}

func (r *roster) isSubscribed(user id.User, to id.Stream) bool {
	set := r.subscribers[to]
	return set != nil && set.Contains(uint64(user))
}

// audience is an event's audience with quick look-ups.
type audience struct {
	event.Audience
	users, except map[id.User]bool
	subscribers   *roaring64.Bitmap // nil: no stream
}

func (r *roster) audience(a event.Audience) *audience {
	prepared := &audience{Audience: a}
	if len(a.Users) > 0 {
		prepared.users = set(a.Users)
	}
	if len(a.Except) > 0 {
		prepared.except = set(a.Except)
	}
	if a.Subscribers != 0 {
		prepared.subscribers = r.subscribers[a.Subscribers]
	}
	return prepared
}

// listed returns the accounts that the audience lists, and the subscribers of its stream, each of them once.
func (a *audience) listed() iter.Seq[id.User] {
	return func(yield func(id.User) bool) {
		for user := range a.users {
			if !yield(user) {
				return
			}
		}
		if a.subscribers == nil {
			return
		}
		for members := a.subscribers.Iterator(); members.HasNext(); {
			if user := id.User(members.Next()); !a.users[user] && !yield(user) {
				return
			}
		}
	}
}

func set(users []id.User) map[id.User]bool {
	members := make(map[id.User]bool, len(users))
	for _, user := range users {
		members[user] = true
	}
	return members
}

// queueIndex is an organization's queues.
type queueIndex struct {
	all    []*queue.Queue // in the order of their numbers
	byUser map[id.User][]*queue.Queue
	// wide are the queues that may have messages which their owner doesn't receive.
	wide map[string]*queue.Queue
}

func newQueueIndex() *queueIndex {
	return &queueIndex{byUser: map[id.User][]*queue.Queue{}, wide: map[string]*queue.Queue{}}
}

func (x *queueIndex) empty() bool { return len(x.byUser) == 0 }

// place returns where a queue is in all, or would be.
func (x *queueIndex) place(q *queue.Queue) (at int, there bool) {
	return slices.BinarySearchFunc(x.all, q.Number, func(other *queue.Queue, number int64) int { return cmp.Compare(other.Number, number) })
}

func (x *queueIndex) add(q *queue.Queue) {
	at, _ := x.place(q)
	x.all = slices.Insert(x.all, at, q)
	x.byUser[q.User] = append(x.byUser[q.User], q)
	if q.AllPublic || len(q.Narrow) > 0 {
		x.wide[q.ID] = q
	}
}

func (x *queueIndex) remove(q *queue.Queue) {
	if at, there := x.place(q); there {
		x.all = slices.Delete(x.all, at, at+1)
	}
	rest := slices.DeleteFunc(x.byUser[q.User], func(other *queue.Queue) bool { return other.ID == q.ID })
	if len(rest) == 0 {
		delete(x.byUser, q.User)
	} else {
		x.byUser[q.User] = rest
	}
	delete(x.wide, q.ID)
}
