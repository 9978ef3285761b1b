package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// EnsureBot creates or updates the generic bot with a key, and activates it.
func (s *Service) EnsureBot(ctx context.Context, orgKey, key string, spec adminapi.BotSpec) (adminapi.Ensured[adminapi.Bot], error) {
	none := adminapi.Ensured[adminapi.Bot]{}
	w := wanted{
		kind: Bot, bot: actor.GenericBot, shortName: spec.ShortName, owner: spec.Owner, adopt: spec.Adopt, adoptFrom: spec.AdoptFrom, key: spec.KeySpec,
		change: user.Change{FullName: spec.FullName},
	}
	if spec.Role != nil {
		w.change.Role = new(actor.Role(*spec.Role)) // one that isn't a role is refused
	}
	out, who, err := s.ensure(ctx, orgKey, key, w, nil)
	if err != nil {
		return none, err
	}
	if spec.Subscriptions != nil {
		changed, err := s.subscribe(ctx, who, out.id, spec.Subscriptions)
		if err != nil {
			return none, err
		}
		if changed && !out.created {
			out.changed = append(out.changed, "subscriptions")
		}
	}
	state, err := s.Bot(ctx, orgKey, key)
	return adminapi.Ensured[adminapi.Bot]{State: state, Created: out.created, Changed: out.changed, Secret: out.secret}, err
}

// ensure is [Service.ensureAccount] in its own transaction.
func (s *Service) ensure(
	ctx context.Context, orgKey, key string, w wanted, more func(tx *store.Tx, w *wanted, details []byte) ([]byte, error),
) (out outcome, who actor.Actor, err error) {
	if err := errors.Join(checkKey(key), w.check()); err != nil {
		return outcome{}, actor.Actor{}, err
	}
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return outcome{}, actor.Actor{}, err
	}
	who, err = s.write(ctx, found, func(tx *store.Tx, o org.Org, _ actor.Actor) (err error) {
		out, err = s.ensureAccount(ctx, tx, o, key, w, more)
		return err
	})
	return out, who, err
}

// subscribe subscribes an account to the streams with these names, and unsubscribes it from others. It reports whether
// anything changed. The error is [subscription.ErrNoStreams] if a stream doesn't exist.
func (s *Service) subscribe(ctx context.Context, who actor.Actor, account id.User, wanted []string) (bool, error) {
	add, leave := []id.Stream(nil), []string(nil)
	err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
		add, leave, err = toSubscribe(ctx, tx, who, account, wanted)
		return err
	})
	if err != nil {
		return false, err
	}
	principals := subscription.Principals{IDs: []id.User{account}}
	if err := s.Subscriptions.Join(ctx, who.Org(), account, add); err != nil {
		return false, err
	}
	for some := range slices.Chunk(leave, subscription.MaxStreams) {
		if _, err := s.Subscriptions.Unsubscribe(ctx, who, some, principals); err != nil {
			return false, err
		}
	}
	return len(add)+len(leave) > 0, nil
}

// toSubscribe returns the streams that an account must be subscribed to, and unsubscribed from, to be subscribed to those with the
// wanted names.
func toSubscribe(
	ctx context.Context, tx *store.Tx, who actor.Actor, account id.User, wanted []string,
) (add []id.Stream, leave []string, err error) {
	rows, err := tx.SubscriptionsOf(ctx, account, false)
	if err != nil {
		return nil, nil, fmt.Errorf("read subscriptions of user %d: %w", account, err)
	}
	keys, err := tx.NameKeys(ctx, lists.Map(wanted, spelling.Name))
	if err != nil {
		return nil, nil, fmt.Errorf("fold names of streams: %w", err)
	}
	existing, err := tx.StreamsByKey(ctx, who.User, keys)
	if err != nil {
		return nil, nil, fmt.Errorf("find streams by name: %w", err)
	}
	known, subscribed := map[string]id.Stream{}, map[string]bool{}
	for _, row := range existing {
		known[row.Stream.NameKey] = row.Stream.StreamID
	}
	for _, row := range rows {
		subscribed[row.Stream.NameKey] = true
		if !slices.Contains(keys, row.Stream.NameKey) {
			leave = append(leave, row.Stream.Name)
		}
	}
	missing := []string{}
	for i, key := range keys {
		switch {
		case known[key] == 0:
			missing = append(missing, wanted[i])
		case !subscribed[key]:
			add = append(add, known[key])
		}
	}
	if len(missing) > 0 {
		return nil, nil, subscription.ErrNoStreams.Format(strings.Join(missing, ", "))
	}
	return add, leave, nil
}

// Bot returns the current state of the bot with a key.
func (s *Service) Bot(ctx context.Context, orgKey, key string) (state adminapi.Bot, err error) {
	err = s.read(ctx, orgKey, func(tx *store.Tx) error {
		account, err := Bot.account(ctx, tx, key)
		if err != nil {
			return err
		}
		state.Subscriptions = []string{}
		if state.Account, state.Owner, err = s.state(ctx, tx, key, account); err != nil {
			return err
		}
		rows, err := tx.SubscriptionsOf(ctx, account, false)
		if err != nil {
			return fmt.Errorf("read subscriptions of user %d: %w", account, err)
		}
		for _, row := range rows {
			state.Subscriptions = append(state.Subscriptions, row.Stream.Name)
		}
		return nil
	})
	return state, err
}
