package mail

import (
	"context"
	"encoding/json"
	"fmt"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/store"
)

// ErrOff says that the server isn't configured to send mail.
var ErrOff = fault.Plain("This server sends no mail. Its administrators have to set that up first.")

// Kind is a kind of mail. S is its state besides the address, stored as JSON. A release must be able to read what the previous
// one has stored.
type Kind[S any] struct {
	name        string
	compose     Compose[S]
	lowPriority bool
}

// Compose composes a mail just before it is sent, in a transaction. It returns nil if the mail isn't to be sent anymore.
// An empty To of the letter stands for the address.
type Compose[S any] func(ctx context.Context, tx *store.Tx, address string, state S) (*Letter, error)

// NewKind declares a kind of mail with its own name.
func NewKind[S any](name string, compose Compose[S]) Kind[S] {
	return Kind[S]{name: name, compose: compose}
}

// NewLowPriorityKind is like [NewKind], for numerous mails that aren't urgent. They are sent only when no other mail is due. Callers have to
// limit their number: [QueueDeps.PerAddress] and [QueueDeps.PerOrg] don't count them.
func NewLowPriorityKind[S any](name string, compose Compose[S]) Kind[S] {
	return Kind[S]{name: name, compose: compose, lowPriority: true}
}

// Add queues a mail, which is sent once the transaction is committed.
func (k Kind[S]) Add(ctx context.Context, tx *store.Tx, address string, state S) error {
	return k.AddAll(ctx, tx, []string{address}, []S{state})
}

// AddAll is like [Kind.Add], for several mails. Each address has its state.
func (k Kind[S]) AddAll(ctx context.Context, tx *store.Tx, addresses []string, states []S) error {
	encoded := make([]string, len(states))
	for i, state := range states {
		text, err := json.Marshal(state)
		if err != nil {
			return fmt.Errorf("encode mail of kind %s: %w", k.name, err)
		}
		encoded[i] = string(text)
	}
	return tx.AddMails(ctx, k.name, addresses, encoded)
}

// Composer is any [Kind].
type Composer interface {
	Name() string
	IsLowPriority() bool
	Letter(ctx context.Context, tx *store.Tx, address string, state json.RawMessage) (*Letter, error)
}

// Name is the kind's name.
func (k Kind[S]) Name() string { return k.name }

// IsLowPriority reports whether the kind is from [NewLowPriorityKind].
func (k Kind[S]) IsLowPriority() bool { return k.lowPriority }

// Letter composes a mail.
func (k Kind[S]) Letter(ctx context.Context, tx *store.Tx, address string, encoded json.RawMessage) (*Letter, error) {
	state := *new(S)
	if err := json.Unmarshal(encoded, &state); err != nil {
		return nil, fmt.Errorf("decode mail of kind %s: %w", k.name, err)
	}
	letter, err := k.compose(ctx, tx, address, state)
	if err == nil && letter != nil && letter.To == "" {
		letter.To = address
	}
	return letter, err
}
