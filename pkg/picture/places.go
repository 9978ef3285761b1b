package picture

import (
	"context"
	"slices"
	"sync"

	"chatserver.dev/pkg/id"
)

// places limits the number of callers that decode or wait, in total and of each organization. If all places are taken, a caller of an
// organization with fewer of them gets the place of one that waits, of the organization with the most. So however many
// organizations somebody has, they don't keep others from making pictures. It is safe for concurrent use.
type places struct {
	total, perOrg int

	mutex sync.Mutex
	taken int
	orgs  map[id.Org][]*place // in the order of arrival
}

// place is the place of a caller.
type place struct {
	of   id.Org
	lose func() // ends the caller's wait; nil: it no longer waits
}

func newPlaces(total int) *places {
	return &places{total: total, perOrg: max(1, total/2), orgs: map[id.Org][]*place{}}
}

// enter takes a place for a caller of an organization, which waits until begin returns true. lose is called, at most once and before
// that, if another caller gets the place. enter returns nil if there is no place. Otherwise the caller must call leave.
func (p *places) enter(of id.Org, lose context.CancelFunc) *place {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	own := len(p.orgs[of])
	if own >= p.perOrg {
		return nil
	}
	if p.taken >= p.total {
		last := p.lastWaiting(own + 1)
		if last == nil {
			return nil
		}
		last.lose()
		p.remove(last)
	}
	p.taken++
	entered := &place{of, lose}
	p.orgs[of] = append(p.orgs[of], entered)
	return entered
}

// lastWaiting returns the last waiting caller of the organization that has the most places, and more than that many; nil: there is none.
func (p *places) lastWaiting(more int) (last *place) {
	for _, of := range p.orgs {
		if len(of) <= more {
			continue
		}
		for _, one := range slices.Backward(of) {
			if one.lose != nil {
				last, more = one, len(of)
				break
			}
		}
	}
	return last
}

// begin ends a caller's wait. It reports whether the caller still has its place.
func (p *places) begin(of *place) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	of.lose = nil
	return slices.Contains(p.orgs[of.of], of)
}

// leave ends the use of a place.
func (p *places) leave(of *place) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.remove(of)
}

// remove removes a place if it is still there.
func (p *places) remove(of *place) {
	left := slices.DeleteFunc(p.orgs[of.of], func(one *place) bool { return one == of })
	p.taken -= len(p.orgs[of.of]) - len(left)
	if p.orgs[of.of] = left; len(left) == 0 {
		delete(p.orgs, of.of)
	}
}
