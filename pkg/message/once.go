package message

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// ErrKeyUsed says that a [Draft.Key] belongs to another message.
var ErrKeyUsed = fault.Bad("This Idempotency-Key belongs to another message, which was sent with it within a day: use another key for each message")

// once is a key with which a message is sent at most once, and what is sent with it. Both are hashes.
type once struct{ key, request []byte }

// onceOf returns the key of a draft, whose time is known; nil: it has none.
func onceOf(d Draft) (*once, error) {
	if d.Key == "" {
		return nil, nil //nolint:nilnil // no key is no error
	}
	later := ""
	if d.later != nil {
		later = fmt.Sprint(d.later.at.Unix(), d.later.reminder)
	}
	request, err := json.Marshal([]any{d.Type, d.To, d.Topic, d.Content, d.Widget, later})
	if err != nil {
		return nil, fmt.Errorf("encode what is sent with a key: %w", err)
	}
	key, sum := sha256.Sum256([]byte(d.Key)), sha256.Sum256(request)
	return &once{key: key[:], request: sum[:]}, nil
}

// sentBefore returns the message that was sent with a key; 0: one is scheduled. used is false if there is none, or no key.
func (s *Service) sentBefore(ctx context.Context, who actor.Actor, o *once) (message id.Message, used bool, err error) {
	if o == nil {
		return 0, false, nil
	}
	row, err := store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) (sqlc.KeyUsedRow, error) { return tx.KeyUsed(ctx, who.User, o.key) })
	switch {
	case store.IsNotFound(err):
		return 0, false, nil
	case err != nil:
		return 0, false, fmt.Errorf("find the message of a key: %w", err)
	case !bytes.Equal(row.RequestHash, o.request):
		return 0, false, ErrKeyUsed
	}
	return id.Message(row.MessageID), true, nil
}

// use stores a key in a transaction that sends or schedules a message. If it was used by now, it returns the message as [Service.sentBefore]
// does, and nothing is to be sent.
func (o *once) use(ctx context.Context, tx *store.Tx, who actor.Actor) (message id.Message, fresh bool, err error) {
	if o == nil {
		return 0, true, nil
	}
	if err := tx.ForgetKeys(ctx, who.User); err != nil {
		return 0, false, fmt.Errorf("forget keys: %w", err)
	}
	row, err := tx.UseKey(ctx, who.User, o.key, o.request)
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("use a key: %w", err)
	case !bytes.Equal(row.RequestHash, o.request):
		return 0, false, ErrKeyUsed
	}
	return id.Message(row.MessageID), row.Fresh, nil
}

// sendOnce is [Service.send] for a message with a key.
func (s *Service) sendOnce(ctx context.Context, who actor.Actor, m store.NewMessage, o *once) (message id.Message, ok bool, err error) {
	err = s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		before, fresh, err := o.use(ctx, tx, who)
		if message = before; err != nil || !fresh {
			return err
		}
		sent, err := tx.Send(ctx, m)
		if err != nil {
			return err
		}
		message = sent[0]
		return tx.SetMessageOfKey(ctx, int64(message), who.User, o.key)
	})
	if errors.Is(err, store.ErrStale) {
		return 0, false, nil
	}
	if err == nil && len(m.Bots) > 0 && s.Called != nil {
		s.Called()
	}
	return message, err == nil, err
}
