package dispatch

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
)

// readRegistry reads all queues of the shard.
func (s *session) readRegistry(ctx context.Context) error {
	queues, version, err := s.Redis.Registry(ctx, s.shard)
	if err != nil {
		return err
	}
	s.version = version
	s.queues = make(map[string]*queue.Queue, len(queues))
	s.indexes = map[id.Org]*queueIndex{}
	for org := range s.loads {
		s.forget(org)
	}
	s.rosters = map[id.Org]*roster{}
	slices.SortFunc(queues, func(a, b queue.Queue) int { return cmp.Compare(a.Number, b.Number) }) // so that each is added at the end
	for _, q := range queues {
		s.add(&q)
	}
	return nil
}

// refresh reads which queues were added and removed. The recipients of events are then determined again.
func (s *session) refresh(ctx context.Context) error {
	s.main.rest = nil
	for _, l := range s.behind {
		l.rest = nil
	}
	changes, version, ok, err := s.Redis.Changes(ctx, s.shard, s.version)
	if err != nil {
		return err
	}
	if !ok {
		return s.readRegistry(ctx)
	}
	s.version = version
	for _, change := range changes {
		if change.Gone {
			s.remove(change.Queue.ID)
		} else {
			s.add(&change.Queue)
		}
	}
	return nil
}

func (s *session) add(q *queue.Queue) {
	s.remove(q.ID)
	s.queues[q.ID] = q
	if s.indexes[q.Org] == nil {
		s.indexes[q.Org] = newQueueIndex()
	}
	s.indexes[q.Org].add(q)
}

func (s *session) remove(name string) {
	q := s.queues[name]
	if q == nil {
		return
	}
	delete(s.queues, name)
	index := s.indexes[q.Org]
	if index.remove(q); index.empty() {
		delete(s.indexes, q.Org)
		s.forget(q.Org) // read again when a client registers
	}
}

// sweep removes the registrations of expired queues, and queues that have grown too long because their clients don't
// read them.
func (s *session) sweep(ctx context.Context) error {
	if err := s.refresh(ctx); err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(s.queues))
	lengths, err := s.Redis.Lengths(ctx, s.shard, names)
	if err != nil {
		return err
	}
	expired := []string(nil)
	for i, name := range names {
		switch {
		case lengths[i] == 0:
			expired = append(expired, name)
		case lengths[i] > queue.MaxLength:
			if _, err := s.Redis.Unregister(ctx, s.shard, name); err != nil {
				return err
			}
		}
	}
	return s.Redis.Forget(ctx, s.shard, expired)
}
