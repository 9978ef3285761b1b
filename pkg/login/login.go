package login

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"strings"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// sessionLife is the lifetime of a browser's login.
const sessionLife = 30 * 24 * time.Hour

// MaxLogins is the maximum number of programs that are signed in to an account at the same time.
const MaxLogins = 100

// Faults of signing in (rest-api.md, section 5.2).
var (
	ErrAddress        = fault.Bad("Enter a valid email address.")
	ErrUserDisabled   = refusal("user disable", "Your account has been disabled.")
	ErrOrgDeactivated = refusal("realm deactivated", "This organization has been deactivated.")
	ErrNoPasswords    = refusal("password auth disabled", "Password auth is disabled in your team.")
	ErrIncorrect      = refusal("incorrect_creds", "Your username or password is incorrect.")
	// ErrTries says that there were too many tries; retry-after is in seconds.
	ErrTries = fault.New(fault.TooMany, fault.CodeRateLimitHit, "You're making too many attempts! Try again in %d seconds.")
	// ErrUnavailable says that tries can't be counted.
	ErrUnavailable = fault.New(fault.Unavailable, "SERVICE_UNAVAILABLE", "Signing in isn't possible at the moment. Try again in a few seconds.")
)

func refusal(reason, msg string) *fault.Fault {
	return fault.New(fault.Forbidden, fault.CodeNone, msg).With("reason", reason)
}

// Deps are the dependencies of a [Service].
type Deps struct {
	DB     *store.DB
	Orgs   *org.Service
	Hasher *password.Hasher
	// Accounts counts tries by account until one succeeds, All counts every try by account, and Networks failures by network.
	Accounts, All, Networks *limit.Tries
	// KnownNetworks has the networks from which tries are counted apart from those of strangers, who could otherwise keep somebody from
	// signing in.
	KnownNetworks *limit.KnownNetworks
	// Requests and RequestsADay count requests for mail by address, RequestsFrom by network.
	Requests, RequestsADay, RequestsFrom *limit.Tries
	// Mail says whether the server sends mail.
	Mail   bool
	Now    func() time.Time
	Logger *slog.Logger
}

// Service signs people in. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Attempt is an attempt to sign in.
type Attempt struct {
	Host     string       // of the request; it identifies the organization
	Network  netip.Prefix // of the client
	Client   string       // the program (rest-api.md, section 1.8)
	Email    string
	Password string
	Browser  bool // whether the client is a browser, whose key expires after [sessionLife]
}

// Issued is a key for a program.
type Issued struct {
	Key   string
	Email string    // the account's real address
	Ends  time.Time // zero: it is valid until it is revoked
}

// account is the data of an account for signing in. The zero value means that there is no account.
type account struct {
	user.User
	hash string // of the password; empty: none
}

// Issue issues a key for the program that signs in. It fails with one of the faults above, with [org.ErrInvalidSubdomain], or
// with [password.ErrBusy].
func (s *Service) Issue(ctx context.Context, a Attempt) (Issued, error) {
	email := strings.TrimSpace(a.Email)
	if !user.ValidEmail(email) {
		return Issued{}, ErrAddress
	}
	o, err := s.Orgs.ByHost(ctx, a.Host)
	switch {
	case err != nil:
		return Issued{}, err
	case o.Deactivated:
		return Issued{}, ErrOrgDeactivated
	case !o.Settings.AuthenticationMethods["Email"]:
		return Issued{}, ErrNoPasswords
	}
	if err := s.Admit(ctx, a.Network); err != nil {
		return Issued{}, err
	}
	all := triesAt(o.ID, email)
	tries, err := s.triesFrom(ctx, all, a.Network)
	if err != nil {
		return Issued{}, err
	}
	if err := s.count(ctx, tries, all); err != nil {
		return Issued{}, err
	}
	found, err := s.find(ctx, o, email)
	if err != nil {
		return Issued{}, err
	}
	ok, outdated, err := s.matches(ctx, found, a.Password)
	if err != nil {
		return Issued{}, err
	}
	if !ok {
		s.Failed(ctx, a.Network)
		return Issued{}, ErrIncorrect
	}
	s.forget(ctx, tries)
	if !found.Active {
		return Issued{}, ErrUserDisabled
	}
	if err := s.KnownNetworks.Note(ctx, all, a.Network.String()); err != nil {
		s.Logger.WarnContext(ctx, "failed to note where somebody signs in", slog.Any("error", err))
	}
	again := ""
	if outdated {
		if again, err = s.Hasher.Hash(ctx, a.Password); err != nil {
			return Issued{}, err
		}
	}
	return s.issue(ctx, o.ID, found, a, again)
}

// Admit fails with [ErrTries] if too many tries from a network have failed, or with [ErrUnavailable].
func (s *Service) Admit(ctx context.Context, network netip.Prefix) error {
	return tooMany(s.Networks.Wait(ctx, network.String()))
}

// Failed counts a try from a network that failed.
func (s *Service) Failed(ctx context.Context, network netip.Prefix) {
	if _, err := s.Networks.Count(ctx, network.String()); err != nil {
		s.Logger.WarnContext(ctx, "failed to count a failed login", slog.Any("error", err))
	}
}

// triesAt returns the key for counting the tries for an account, which needn't exist.
func triesAt(in id.Org, email string) string { return fmt.Sprintf("%d:%s", in, strings.ToLower(email)) }

// triesFrom returns the key for counting the tries for an account from a network: that of all networks, or one of its own if somebody
// has signed in to the account from there lately. It fails with [ErrUnavailable].
func (s *Service) triesFrom(ctx context.Context, account string, network netip.Prefix) (string, error) {
	known, err := s.KnownNetworks.Has(ctx, account, network.String())
	if err != nil {
		return "", ErrUnavailable.Wrap(err)
	}
	if known {
		return account + " " + network.String(), nil
	}
	return account, nil
}

// count counts a try for an account, and fails if there were too many. tries is the key of those that count until one
// succeeds, all that of all.
func (s *Service) count(ctx context.Context, tries, all string) error {
	wait, err := s.Accounts.Count(ctx, tries)
	if err == nil && wait == 0 {
		wait, err = s.All.Count(ctx, all)
	}
	return tooMany(wait, err)
}

// tooMany returns the fault of a try, or nil if the try is allowed.
func tooMany(wait time.Duration, err error) error {
	switch {
	case err != nil:
		return ErrUnavailable.Wrap(err)
	case wait > 0:
		seconds := int(math.Ceil(wait.Seconds()))
		return ErrTries.Format(seconds).With("retry-after", seconds)
	}
	return nil
}

// forget resets the count of tries for an account after a correct password. If this fails, the tries count until they
// expire.
func (s *Service) forget(ctx context.Context, account string) {
	if err := s.Accounts.Forget(ctx, account); err != nil {
		s.Logger.WarnContext(ctx, "failed to reset the count of failed logins", slog.Any("error", err))
	}
}

func (s *Service) find(ctx context.Context, o org.Org, email string) (found account, err error) {
	err = s.DB.Read(ctx, o.ID, func(tx *store.Tx) error {
		found = account{} // the transaction may be retried
		found.User, err = user.ByRealEmail(ctx, tx, email)
		if err != nil && !errors.Is(err, user.ErrNoSuchUser) {
			return err
		}
		found.hash, err = storedPassword(ctx, tx, found.ID) // also without an account, so that each try takes the same number of queries
		return err
	})
	return found, err
}

func (s *Service) matches(ctx context.Context, of account, tried string) (ok, outdated bool, err error) {
	if of.hash == "" {
		return false, false, s.Hasher.Pretend(ctx, tried)
	}
	ok, outdated, err = s.Hasher.Matches(ctx, tried, of.hash)
	if err != nil {
		return false, false, fmt.Errorf("compare password of user %d: %w", of.ID, err)
	}
	return ok, outdated, nil
}

// issue stores a key, and the password's new hash, if any. It fails with [ErrIncorrect] if the password was changed
// meanwhile.
func (s *Service) issue(ctx context.Context, in id.Org, to account, a Attempt, hash string) (Issued, error) {
	issued := Issued{}
	err := s.DB.Write(ctx, in, func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(to.ID)); err != nil {
			return err
		}
		row, err := tx.UserForUpdate(ctx, to.ID)
		if err != nil {
			return err
		}
		if !row.Active {
			return ErrUserDisabled
		}
		current, err := storedPassword(ctx, tx, to.ID)
		if err != nil {
			return err
		}
		if current != to.hash {
			return ErrIncorrect
		}
		if hash != "" {
			if err := tx.SetPassword(ctx, to.ID, hash); err != nil {
				return err
			}
		}
		issued, err = s.Grant(ctx, tx, to.User, a)
		return err
	})
	return issued, err
}

// Grant issues a key to a program or browser whose user has been authenticated. The account has to be active, and the transaction has
// to hold its lock.
func (s *Service) Grant(ctx context.Context, tx *store.Tx, to user.User, a Attempt) (Issued, error) {
	key, err := user.NewKey()
	if err != nil {
		return Issued{}, err
	}
	hash, issued := user.HashKey(key), Issued{Key: key, Email: to.RealEmail}
	login := sqlc.AddLoginParams{UserID: to.ID, KeyHash: hash[:], Client: a.Client}
	if a.Browser {
		issued.Ends = s.Now().Add(sessionLife)
		login.EndsAt = &issued.Ends
	}
	if err := tx.AddLogin(ctx, login); err != nil {
		return Issued{}, err
	}
	if err := s.notice(ctx, tx, to, a); err != nil {
		return Issued{}, err
	}
	return issued, tx.EndLogins(ctx, to.ID, 0, MaxLogins)
}
