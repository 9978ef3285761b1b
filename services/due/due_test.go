package due_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/outage"
	"chatserver.dev/services/due"
)

// piece is a piece of an organization's work.
type piece struct {
	org    id.Org
	number int
}

// store has the pieces that aren't done, and returns one at a time of each line of an organization.
type store struct {
	mu      sync.Mutex
	pieces  []piece
	begun   map[piece]int
	now, of int // how many are under way: of all, of the slow organization
	limit   [2]int
	finds   int
	stored  chan struct{}
}

const slow, quick = id.Org(1), id.Org(2)

// unlogged is the log of a Find that doesn't fail.
func unlogged() *outage.Log {
	return outage.NewLog(slog.New(slog.DiscardHandler), slog.LevelError, "failed to find pieces", time.Now)
}

func (s *store) work(release <-chan struct{}) due.Work[piece] {
	return due.Work[piece]{
		Max: 4, MaxPerOrg: 2, Stored: s.stored,
		Org:     func(p piece) id.Org { return p.org },
		Finding: unlogged(),
		Find: func(context.Context) ([]piece, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.finds++
			found := []piece{}
			for _, p := range s.pieces {
				// At most one piece of the quick organization is returned, so that its pieces follow each other.
				if p.org == slow || !slices.ContainsFunc(found, func(o piece) bool { return o.org == quick }) {
					found = append(found, p)
				}
			}
			return found, nil
		},
		Do: func(ctx context.Context, p piece) bool {
			s.count(p, 1)
			if p.org == slow {
				select {
				case <-release:
				case <-ctx.Done():
					s.count(p, -1)
					return false
				}
			}
			s.count(p, -1)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.pieces = slices.DeleteFunc(s.pieces, func(o piece) bool { return o == p })
			return true
		},
	}
}

func (s *store) count(p piece, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += by
	if p.org == slow {
		s.of += by
	}
	if by > 0 {
		s.begun[p]++
	}
	s.limit = [2]int{max(s.limit[0], s.now), max(s.limit[1], s.of)}
}

// A slow organization gets only its share of workers, and the pieces of another one follow each other at once. Each
// piece is done once.
func TestSlowOrganizationHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{begun: map[piece]int{}, stored: make(chan struct{}, 1)}
		for n := range 20 {
			s.pieces = append(s.pieces, piece{slow, n}, piece{quick, n})
		}
		ctx, end := context.WithCancel(t.Context())
		release, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			s.work(release).Run(ctx)
		}()
		synctest.Wait() // no time passes
		if len(s.pieces) != 20 || s.limit != [2]int{3, 2} {
			t.Errorf("%d pieces are left, and at most %v were done at a time", len(s.pieces), s.limit)
		}
		before := s.finds
		for range 18 {
			release <- struct{}{}
			synctest.Wait()
		}
		if len(s.pieces) != 2 || s.limit[1] != 2 || s.finds > before+2 {
			t.Errorf("%d pieces are left, at most %d of an organization at a time, found %d times", len(s.pieces), s.limit[1], s.finds-before)
		}
		s.mu.Lock()
		s.pieces = append(s.pieces, piece{quick, 100})
		s.mu.Unlock()
		s.stored <- struct{}{}
		synctest.Wait()
		if len(s.pieces) != 2 {
			t.Error("a stored piece isn't done")
		}
		end()
		<-ended
		for p, times := range s.begun {
			if times != 1 {
				t.Errorf("%v was done %d times", p, times)
			}
		}
	})
}

// Two slow organizations with many pieces leave places for others.
func TestSlowOrganizationsLeavePlaces(t *testing.T) {
	t.Parallel()
	begun := besideSlow(t, 2, nil)
	if n := len(begun) - 1; n < 5 || begun[n].org != late {
		t.Errorf("begun: %v", begun)
	}
}

// However many slow organizations there are, and however long their pieces have waited, the next free place is for an
// organization that has none.
func TestSlowOrganizationsHoldUpNobody(t *testing.T) {
	t.Parallel()
	begun := besideSlow(t, 8, func(release chan<- struct{}) { release <- struct{}{} })
	if len(begun) != 9 || begun[8].org != late {
		t.Errorf("begun: %v", begun)
	}
}

const late = id.Org(1000)

// besideSlow returns the pieces that were begun, if that of a late organization follows those of several slow ones, for which there are
// eight places, and after meanwhile.
func besideSlow(t *testing.T, several int, meanwhile func(release chan<- struct{})) (begun []piece) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		waiting, release := []piece{}, make(chan struct{})
		mutex, stored := sync.Mutex{}, make(chan struct{}, 1)
		for n := range 40 {
			waiting = append(waiting, piece{id.Org(1 + n%several), n}) // the longest waiting ones
		}
		work := due.Work[piece]{
			Max: 8, MaxPerOrg: 4, Stored: stored,
			Org:     func(p piece) id.Org { return p.org },
			Finding: unlogged(),
			Find: func(context.Context) ([]piece, error) {
				mutex.Lock()
				defer mutex.Unlock()
				return slices.Clone(waiting), nil
			},
			Do: func(ctx context.Context, p piece) bool {
				mutex.Lock()
				waiting = slices.DeleteFunc(waiting, func(o piece) bool { return o == p })
				begun = append(begun, p)
				mutex.Unlock()
				select {
				case <-release:
				case <-ctx.Done():
				}
				return true
			},
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			work.Run(ctx)
		}()
		synctest.Wait()
		mutex.Lock()
		waiting = append(waiting, piece{late, 0})
		mutex.Unlock()
		stored <- struct{}{}
		synctest.Wait()
		if meanwhile != nil {
			meanwhile(release)
			synctest.Wait()
		}
		end()
		<-ended
	})
	return begun
}

// Pieces are also found without a wake-up.
func TestFoundLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{begun: map[piece]int{}}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.work(nil).Run(ctx)
		}()
		synctest.Wait()
		s.mu.Lock()
		s.pieces = append(s.pieces, piece{quick, 1})
		s.mu.Unlock()
		time.Sleep(time.Minute) // of the bubble's clock
		synctest.Wait()
		if len(s.pieces) != 0 {
			t.Error("a piece without a wake-up wasn't found")
		}
		end()
		<-ended
	})
}

// A piece that can't be carried out, as when it can be found but not claimed, is tried again at the next look for work.
func TestFailedIsTriedLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		work := due.Work[piece]{
			Max: 4, MaxPerOrg: 2, Org: func(p piece) id.Org { return p.org },
			Finding: unlogged(),
			Find:    func(context.Context) ([]piece, error) { return []piece{{quick, 1}}, nil },
			Do: func(context.Context, piece) bool {
				tries++
				time.Sleep(time.Millisecond) // of the bubble's clock
				return false
			},
		}
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		work.Run(ctx)
		if tries < 10 || tries > 60 {
			t.Errorf("%d tries in a minute", tries)
		}
	})
}

// A database that is away for minutes is in the log once a minute, and not each time that work is looked for.
func TestFailuresToFindAreLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lines, finds := &strings.Builder{}, 0
		work := due.Work[piece]{
			Max: 4, MaxPerOrg: 2, Org: func(p piece) id.Org { return p.org },
			Finding: outage.NewLog(slog.New(slog.NewTextHandler(lines, nil)), slog.LevelError, "failed to find pieces", time.Now),
			Find: func(context.Context) ([]piece, error) {
				finds++
				return nil, errors.New("no database")
			},
		}
		ctx, end := context.WithTimeout(t.Context(), 3*time.Minute-time.Second)
		defer end()
		work.Run(ctx)
		if got := strings.Count(lines.String(), "\n"); got != 3 || finds < 80 {
			t.Errorf("%d lines for %d failures:\n%s", got, finds, lines)
		}
	})
}
