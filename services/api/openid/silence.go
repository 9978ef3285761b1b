package openid

import (
	"sync"
	"time"
)

// silence remembers that a provider didn't respond in time, so that not everybody who signs in waits for it. It is safe
// for concurrent use.
type silence struct {
	mutex    sync.Mutex
	timeouts int       // without a response since
	last     time.Time // when the last of them was noticed
	trying   bool      // whether somebody waits for the provider although it didn't respond
}

// pause returns how long a provider isn't asked again after it has failed several times in a row.
func pause(failures int) time.Duration {
	return min(retryTime<<min(max(failures-1, 0), 10), maxRetryTime)
}

// quiet reports whether the provider isn't asked at the moment.
func (s *silence) quiet(now time.Time) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.isQuiet(now)
}

func (s *silence) isQuiet(now time.Time) bool {
	return s.timeouts > 0 && (s.trying || now.Sub(s.last) < pause(s.timeouts))
}

// enter reports whether the provider may be asked: after a timeout, one caller at a time tries whether it responds. The
// caller must call leave afterwards.
func (s *silence) enter(now time.Time) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.isQuiet(now) {
		return false
	}
	s.trying = s.timeouts > 0
	return true
}

// leave records the outcome for a caller that entered at the time began. Without a response, nothing is known if the
// caller didn't wait for one.
func (s *silence) leave(began, now time.Time, responded bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if began.Before(s.last) {
		return // it waited together with the one that was noticed
	}
	s.trying = false
	switch {
	case responded:
		s.timeouts = 0
	case now.Sub(began) >= answerTime:
		s.timeouts++
		s.last = now
	}
}
