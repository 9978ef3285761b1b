package servicetest

import (
	"context"
	"sync"
	"time"

	"chatserver.dev/pkg/mail"
)

// postbox stores the letters that are sent.
type postbox struct {
	mutex   sync.Mutex
	letters []mail.Letter
}

// Deliver implements mail.Transport.
func (p *postbox) Deliver(_ context.Context, l mail.Letter) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.letters = append(p.letters, l)
	return nil
}

// unlimitedMail doesn't limit mail.
type unlimitedMail struct{}

// Count implements mail.Tries.
func (unlimitedMail) Count(context.Context, string) (time.Duration, error) { return 0, nil }

// Wait implements mail.Tries.
func (unlimitedMail) Wait(context.Context, string) (time.Duration, error) { return 0, nil }

// Letters sends the pending mail of all organizations, and returns it.
func (w *World) Letters() []mail.Letter {
	w.T.Helper()
	box := &postbox{}
	queue := mail.NewQueue(mail.QueueDeps{
		DB: w.DB, Transport: box, Kinds: w.Mails(), PerAddress: unlimitedMail{}, PerOrg: unlimitedMail{}, Logger: w.Logger,
	})
	for more := true; more; {
		var err error
		more, err = queue.Send(w.T.Context())
		w.must(err)
	}
	return box.letters
}

// Letter is [World.Letters] if exactly one is expected.
func (w *World) Letter() mail.Letter {
	w.T.Helper()
	letters := w.Letters()
	if len(letters) != 1 {
		w.T.Fatalf("%d letters, want one: %+v", len(letters), letters)
	}
	return letters[0]
}
