package store

import (
	"context"
	"sync"

	"chatserver.dev/pkg/store/sqlc"
)

// place is how far a server is. Places on different timelines can't be compared.
type place struct {
	timeline string
	at       int64 // in the write-ahead log, in bytes
}

// has reports whether a server that is here shows all that was visible at another place.
func (p place) has(other place) bool { return p.timeline == other.timeline && p.at >= other.at }

// state is a place in the history of one database.
type state struct {
	database string
	place
}

func stateOf(ctx context.Context, q *sqlc.Queries) (state, error) {
	row, err := q.ServerState(ctx)
	return state{row.Database, place{row.Timeline, row.Place}}, err
}

func placeOf(ctx context.Context, q *sqlc.Queries) (place, error) {
	row, err := q.PrimaryPlace(ctx)
	return place{row.Timeline, row.Place}, err
}

// primaryPlace asks how far the primary is. Callers share the question: each gets the answer to one that was asked after
// the call, and at most one is asked at a time. So the primary has the less to do for each read the more there are.
type primaryPlace struct {
	pool *pool

	mutex  sync.Mutex
	asking bool
	next   *placeAnswer // to those who wait for the next question
}

type placeAnswer struct {
	done  chan struct{}
	place place
	err   error
}

// ask returns the place of the primary at some moment after the call. It fails when ctx ends, and within about a second
// where the primary doesn't answer.
func (p *primaryPlace) ask(ctx context.Context) (place, error) {
	p.mutex.Lock()
	if p.next == nil {
		p.next = &placeAnswer{done: make(chan struct{})}
	}
	answer := p.next
	if !p.asking {
		p.asking = true
		go p.run(context.WithoutCancel(ctx))
	}
	p.mutex.Unlock()
	select {
	case <-answer.done:
		return answer.place, answer.err
	case <-ctx.Done():
		return place{}, ctx.Err()
	}
}

// run asks as long as somebody waits for an answer.
func (p *primaryPlace) run(ctx context.Context) {
	for {
		p.mutex.Lock()
		answer := p.next
		p.next, p.asking = nil, answer != nil
		p.mutex.Unlock()
		if answer == nil {
			return
		}
		limited, cancel := context.WithTimeout(ctx, replicaAnswer)
		answer.place, answer.err = query(limited, p.pool, replicaAnswer, placeOf)
		cancel()
		close(answer.done)
	}
}
