package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// Reasons why an account is refused.
var (
	ErrEmail     = fault.Bad("'%s' is not a valid email address.")
	ErrShortName = fault.Bad("A short name has 1 to 50 lower-case letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.")
	ErrRole      = fault.Bad("The role must be 100 (owner), 200 (administrator), 400 (member) or 600 (guest).")
	ErrGrace     = fault.Bad("grace_seconds must be between 0 and 2592000.")
	// ErrKeepKey is returned for keep_key without a key to compare with, and by rotations, which can't keep the key.
	ErrKeepKey = fault.Bad("keep_key is for a PUT with an api_key.")
	// ErrFullName contains the invalid name and the reason, since a call may concern several accounts.
	ErrFullName = fault.Bad("The full name '%s' is invalid: %s")
	// ErrNoPerson is returned if the owner of a bot doesn't exist.
	ErrNoPerson = fault.Bad("There is no active person with the address '%s'.")
	// ErrNotPerson is returned if an owner has the address of a bot.
	ErrNotPerson = fault.Bad("The account with the address '%s' isn't a person's.")
)

const (
	defaultGrace = 24 * time.Hour
	maxGrace     = 30 * 24 * time.Hour
)

var shortName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,49}$`)

// wanted is the desired state of a bot.
type wanted struct {
	kind      Kind // Bot or Webhook
	bot       actor.BotType
	shortName *string
	change    user.Change
	owner     *string // address
	adopt     bool
	adoptFrom string // key
	key       adminapi.KeySpec
}

// outcome is the result of ensuring a bot.
type outcome struct {
	id      id.User
	created bool
	changed []string
	secret  *adminapi.Secret
}

func (w wanted) check() error {
	switch {
	case w.shortName != nil && !shortName.MatchString(*w.shortName):
		return ErrShortName
	case w.change.Role != nil && !isRole(*w.change.Role):
		return ErrRole
	}
	return checkKeySpec(w.key)
}

func isRole(role actor.Role) bool {
	return role == actor.Owner || role == actor.Administrator || role == actor.Member || role == actor.Guest
}

func checkKeySpec(spec adminapi.KeySpec) error {
	if grace := spec.GraceSeconds; grace != nil && (*grace < 0 || *grace > int(maxGrace.Seconds())) {
		return ErrGrace
	}
	if spec.APIKey == "" {
		if spec.KeepKey {
			return ErrKeepKey
		}
		return nil
	}
	return user.CheckKey(spec.APIKey)
}

func checkEmail(email string) error {
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email {
		return ErrEmail.Format(email)
	}
	return nil
}

// ensureAccount creates or updates a bot and its API key. more, unless it is nil, completes the desired state, and returns the details
// to store with the key from those that are stored, as JSON.
func (s *Service) ensureAccount(
	ctx context.Context, tx *store.Tx, o org.Org, key string, w wanted, more func(tx *store.Tx, w *wanted, details []byte) ([]byte, error),
) (outcome, error) {
	if w.owner != nil {
		owner, err := person(ctx, tx, *w.owner)
		if err != nil {
			return outcome{}, err
		}
		w.change.Owner = &owner
	}
	was, err := objectFrom(ctx, tx, w.kind, key, w.adoptFrom)
	if err != nil {
		return outcome{}, err
	}
	number, details := was.object, was.details
	if number == 0 {
		if number, err = accountNamed(ctx, tx, o, w); err != nil {
			return outcome{}, err
		}
	}
	if more != nil {
		if details, err = more(tx, &w, details); err != nil {
			return outcome{}, err
		}
	}
	ensure := s.repairBot
	if number == 0 {
		ensure = s.makeBot
	}
	out, err := ensure(ctx, tx, o, id.User(number), w)
	if err != nil || was.key == key && bytes.Equal(details, was.details) {
		return out, err
	}
	if was.key != key && !out.created {
		out.changed = append(out.changed, fieldKey)
	}
	return out, keep(ctx, tx, w.kind, was, key, int64(out.id), details)
}

// person returns the id of an active person's account by their address; 0 if the address is empty.
func person(ctx context.Context, tx *store.Tx, email string) (id.User, error) {
	if email == "" {
		return 0, nil
	}
	u, err := user.ByRealEmail(ctx, tx, email)
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && (u.IsBot() || !u.Active) {
		return 0, ErrNoPerson.Format(email)
	}
	return u.ID, err
}

func (w wanted) address(o org.Org) string { return deref(w.shortName) + "-bot@" + o.Domain }

// accountNamed returns the existing bot with the desired address if adopt is set or it is deactivated; 0: no account has the
// address.
func accountNamed(ctx context.Context, tx *store.Tx, o org.Org, w wanted) (int64, error) {
	if w.shortName == nil {
		return 0, fault.Missing("short_name")
	}
	email := w.address(o)
	u, err := user.ByRealEmail(ctx, tx, email)
	switch {
	case errors.Is(err, user.ErrNoSuchUser):
		return 0, nil
	case err != nil:
		return 0, err
	case u.Bot != w.bot || u.System:
		return 0, ErrOther.Format(email, w.kind)
	}
	return int64(u.ID), adoptable(ctx, tx, w.kind, email, int64(u.ID), w.adopt || !u.Active)
}

// makeBot creates a bot.
func (s *Service) makeBot(ctx context.Context, tx *store.Tx, o org.Org, _ id.User, w wanted) (outcome, error) {
	if w.change.FullName == nil {
		return outcome{}, fault.Missing("full_name")
	}
	made, issued, err := s.makeAccount(ctx, tx, o, w.key, user.Draft{
		RealEmail: w.address(o), FullName: *w.change.FullName, Role: or(w.change.Role, actor.Member), Bot: w.bot, Owner: deref(w.change.Owner),
		Register: user.RegisterDefaults{SendingStream: deref(w.change.Sending)},
	})
	return outcome{id: made, created: err == nil, changed: []string{}, secret: issued}, err
}

// makeAccount creates an account with the given key, or a generated one.
func (s *Service) makeAccount(ctx context.Context, tx *store.Tx, o org.Org, spec adminapi.KeySpec, draft user.Draft) (id.User, *adminapi.Secret, error) {
	made, key, err := s.Users.Create(ctx, tx, o, draft)
	if err != nil {
		return 0, nil, ofName(err, draft.FullName)
	}
	if spec.APIKey != "" {
		key = spec.APIKey
		if _, err := s.Users.Rotate(ctx, tx, made.ID, key, 0); err != nil {
			return 0, nil, err
		}
	}
	return made.ID, &adminapi.Secret{APIKey: key}, nil
}

// repairBot changes the fields of a bot that differ, and activates it.
func (s *Service) repairBot(ctx context.Context, tx *store.Tx, o org.Org, bot id.User, w wanted) (outcome, error) {
	if err := tx.LockUser(ctx, int64(bot)); err != nil {
		return outcome{}, fmt.Errorf("lock user %d: %w", bot, err)
	}
	u, err := user.ByID(ctx, tx, bot)
	if err != nil {
		return outcome{}, err
	}
	if w.shortName != nil && w.address(o) != u.RealEmail {
		return outcome{}, ErrFixed.Format("short_name")
	}
	w.change.Active = new(true)
	out := outcome{id: bot}
	out.changed, out.secret, err = s.repairAccount(ctx, tx, o, u, w.change, nil, w.key)
	return out, err
}

// repairAccount changes the fields of an account that differ, but not a key that is to be kept. It returns their names, and the key
// if one was issued. reports are those of a person who may become active again.
func (s *Service) repairAccount(
	ctx context.Context, tx *store.Tx, o org.Org, u user.User, wanted user.Change, reports presence.Reports, key adminapi.KeySpec,
) ([]string, *adminapi.Secret, error) {
	change, changed := differs(u, wanted)
	if len(changed) > 0 {
		if err := presence.Update(ctx, tx, o, u, change, reports, s.Now()); err != nil {
			return nil, nil, ofName(err, deref(change.FullName))
		}
	}
	if key.KeepKey {
		row, err := accountRow(ctx, tx, u.ID)
		if hash := user.HashKey(key.APIKey); err == nil && !bytes.Equal(row.APIKeyHash, hash[:]) {
			changed = append(changed, "api_key")
		}
		return changed, nil, err
	}
	issued, err := s.ensureKey(ctx, tx, u.ID, key)
	if issued != nil {
		changed = append(changed, "api_key")
	}
	return changed, issued, err
}

// ofName adds the full name to an error about it. Other errors are unchanged.
func ofName(err error, name string) error {
	for _, wrong := range []error{user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters, user.ErrNameFormat, user.ErrNameInUse} {
		if errors.Is(err, wrong) {
			return ErrFullName.Format(name, fault.Of(err).Msg)
		}
	}
	return err
}

// differs returns the part of a change that differs from the account, with the names of its fields.
func differs(u user.User, change user.Change) (user.Change, []string) {
	names := []string{}
	left := user.Change{}
	if change.FullName != nil {
		if name, err := user.CheckName(*change.FullName); err != nil || name != u.FullName {
			left.FullName, names = change.FullName, append(names, "full_name")
		}
	}
	left.Role = differing(&names, "role", change.Role, u.Role)
	left.Active = differing(&names, "active", change.Active, u.Active)
	left.Owner = differing(&names, "owner", change.Owner, u.Owner)
	left.Sending = differing(&names, "stream", change.Sending, u.Register.SendingStream)
	return left, names
}

// ensureKey sets an account's key to the given one, or issues one if it has none. It returns the issued key, or nil.
func (s *Service) ensureKey(ctx context.Context, tx *store.Tx, account id.User, spec adminapi.KeySpec) (*adminapi.Secret, error) {
	if spec.APIKey == "" {
		row, err := accountRow(ctx, tx, account)
		if err != nil || row.APIKeyHash != nil {
			return nil, err
		}
	}
	rotation, err := s.Users.Rotate(ctx, tx, account, spec.APIKey, grace(spec))
	if err != nil || !rotation.Changed {
		return nil, err
	}
	return secret(rotation), nil
}

func grace(spec adminapi.KeySpec) time.Duration {
	if spec.GraceSeconds == nil {
		return defaultGrace
	}
	return time.Duration(*spec.GraceSeconds) * time.Second
}

func secret(r user.Rotation) *adminapi.Secret {
	issued := &adminapi.Secret{APIKey: r.Key}
	if !r.Ends.IsZero() {
		issued.PreviousEnds = &r.Ends
	}
	return issued
}

func accountRow(ctx context.Context, tx *store.Tx, account id.User) (sqlc.User, error) {
	rows, err := tx.UsersByID(ctx, []int64{int64(account)})
	if err != nil {
		return sqlc.User{}, fmt.Errorf("read user %d: %w", account, err)
	}
	if len(rows) == 0 {
		return sqlc.User{}, user.ErrNoSuchUser
	}
	return rows[0], nil
}

// state returns the current state of an account.
func (s *Service) state(ctx context.Context, tx *store.Tx, key string, account id.User) (state adminapi.Account, owner string, err error) {
	row, err := accountRow(ctx, tx, account)
	if err != nil {
		return adminapi.Account{}, "", err
	}
	state = adminapi.Account{
		ID: int64(row.UserID), Key: key, Email: row.Email, FullName: row.FullName, Role: int(row.Role), Active: row.Active,
		Issued: row.APIKeyHash != nil,
	}
	if ends := row.PreviousKeyEnds; ends != nil && s.Now().Before(*ends) {
		state.PreviousEnds = new(ends.UTC())
	}
	if row.OwnerID == nil {
		return state, "", nil
	}
	by, err := accountRow(ctx, tx, *row.OwnerID)
	return state, by.Email, err
}
