package neworg

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// Path is the path of the sign-up page at the server's root domain. In links, the token follows it.
const Path = "/new/"

// EnterPath is the path of the page that signs the owner of a new organization in, at the organization's host. In links,
// the token follows it.
const EnterPath = "/enter/"

// life is the time after which a link expires.
const life = 24 * time.Hour

// enterLife is the time after which a link for the owner of a new organization expires: it is on the page that is shown next.
const enterLife = 15 * time.Minute

// restoredLife is the time after which a link expires for which no organization could be created, and which is restored.
const restoredLife = time.Hour

// createTime is the timeout for creating an organization.
const createTime = 20 * time.Second

// kind is the name of the mail and of its links in the database.
const kind = "founding"

// nobody is the organization of mail and links before an organization exists.
const nobody id.Org = 0

// ErrClosed says that signing up organizations isn't allowed.
var ErrClosed = fault.Bad("Organizations can't be signed up on this server: ask its administrators to create one.")

// Deps are the dependencies of a [Service].
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Users    *user.Service
	Accounts *account.Service
	Streams  *stream.Service
	Logins   *login.Service
	Now      func() time.Time
	// Open says whether signing up organizations is allowed.
	Open   bool
	Logger *slog.Logger
}

// Service signs organizations up. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// request is the state of a mail with a link.
type request struct {
	Language string `json:"language,omitempty"` // of the person who asked for the link
}

// applicant is the state of a link.
type applicant struct {
	Email string `json:"email"`
}

// founder is the state of a link that signs in the owner of a new organization.
type founder struct {
	User id.User `json:"user"`
}

func link() mail.Link[applicant] { return mail.NewLink[applicant](kind, life) }

func entry() mail.Link[founder] { return mail.NewLink[founder]("entering", enterLife) }

func (s *Service) confirmation() mail.Kind[request] { return mail.NewKind(kind, s.compose) }

// Mails returns the kinds of mail that the service sends.
func (s *Service) Mails() []mail.Composer { return []mail.Composer{s.confirmation()} }

// Check fails with [ErrClosed] if signing up organizations isn't allowed.
func (s *Service) Check() error {
	if !s.Open {
		return ErrClosed
	}
	return nil
}

// Request sends a link for signing up an organization to an address. It fails with [ErrClosed], [login.ErrAddress],
// [login.ErrTries], [login.ErrUnavailable] or [mail.ErrOff].
func (s *Service) Request(ctx context.Context, r login.Request) error {
	if err := s.Check(); err != nil {
		return err
	}
	email := strings.TrimSpace(r.Email)
	if !user.ValidEmail(email) {
		return login.ErrAddress
	}
	if err := s.Logins.CountRequest(ctx, nobody, r.Network, email); err != nil {
		return err
	}
	return s.DB.Write(ctx, nobody, func(tx *store.Tx) error { return s.confirmation().Add(ctx, tx, email, request{r.Language}) })
}

func (s *Service) compose(ctx context.Context, tx *store.Tx, email string, state request) (*mail.Letter, error) {
	if !s.Open {
		return nil, nil //nolint:nilnil // not any more
	}
	token, err := link().Make(ctx, tx, applicant{email}, s.Now())
	if err != nil {
		return nil, err
	}
	uri := s.Orgs.Config().URI("")
	in := catalogue.In(state.Language)
	return mail.NewLetter(in, s.Orgs.Config().Domain(), in.Mail.NewOrg(uri), uri+Path+token), nil
}

// Read returns the address to which a link was sent. It fails with [ErrClosed] or [mail.ErrNoLink].
func (s *Service) Read(ctx context.Context, token string) (email string, err error) {
	if err := s.Check(); err != nil {
		return "", err
	}
	return store.Read(ctx, s.DB, nobody, func(tx *store.Tx) (string, error) {
		state, err := link().Read(ctx, tx, token, s.Now())
		return state.Email, err
	})
}

// Draft is a new organization with its owner.
type Draft struct {
	Name      string
	Subdomain string
	FullName  string
	Password  string
	Language  string // its default language, of which it has the usual clock; a code of pkg/catalogue
}

// Created is a new organization.
type Created struct {
	// URI is its URL, without a slash at the end.
	URI string
	// Enter is the address that signs its owner in, once and soon; see [Service.Enter].
	Enter string
}

// Create uses up a link and creates an organization with its first streams and its owner, who has the address of the
// link. If that is refused, the link stays valid. It fails with [ErrClosed],
// [mail.ErrNoLink], the errors of [org.Service.Available], [org.ErrName], the errors of names, [account.ErrWeak],
// password.ErrTooLong or password.ErrBusy.
func (s *Service) Create(ctx context.Context, token string, draft Draft) (Created, error) {
	email, err := s.Read(ctx, token)
	if err != nil {
		return Created{}, err
	}
	if draft, err = s.checkDraft(ctx, draft); err != nil {
		return Created{}, err
	}
	hash, err := account.NewPassword(ctx, s.Logins, draft.Password, email, draft.FullName, draft.Name)
	if err != nil {
		return Created{}, err
	}
	// Using up the link and creating the organization can't be one transaction. The link comes first, so that it
	// can't create two organizations. From then on, the person may disconnect: the link is good for nothing else.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTime)
	defer cancel()
	err = s.DB.Write(ctx, nobody, func(tx *store.Tx) error {
		_, err := link().Use(ctx, tx, token, s.Now())
		return err
	})
	if err != nil {
		return Created{}, err
	}
	made, enter, left, err := s.create(ctx, draft, email, hash)
	if f := fault.Of(err); f != nil && f.Kind < fault.Internal { // such as a subdomain that somebody else took just now
		return Created{}, errors.Join(err, s.restore(ctx, token, email))
	}
	if err != nil {
		return Created{}, err // the organization may exist
	}
	if err := s.Accounts.Settle(ctx, made.ID, left); err != nil {
		// The organization exists, and its owner couldn't use the link again. A runner completes the account.
		s.Logger.ErrorContext(ctx, "failed to complete the account of a new organization's owner", slog.Int64("org", int64(made.ID)), slog.Any("error", err))
	}
	return Created{URI: made.URI, Enter: made.URI + EnterPath + enter}, nil
}

// checkDraft returns a draft with its texts as they are stored, or the error if one is invalid or the subdomain is taken.
func (s *Service) checkDraft(ctx context.Context, draft Draft) (Draft, error) {
	draft.Name, draft.Subdomain = strings.TrimSpace(draft.Name), strings.TrimSpace(draft.Subdomain)
	if err := org.CheckTexts(draft.Name, ""); err != nil {
		return Draft{}, err
	}
	if err := s.Orgs.Available(ctx, draft.Subdomain); err != nil {
		return Draft{}, err
	}
	fullName, err := user.CheckName(draft.FullName)
	draft.FullName = fullName
	return draft, err
}

// create creates an organization with its first streams and its owner. enter is the token of the link that signs the
// owner in, left is for [account.Service.Settle].
func (s *Service) create(ctx context.Context, draft Draft, email, hash string) (made org.Org, enter string, left int64, err error) {
	texts := catalogue.In(draft.Language)
	settings := s.Orgs.Config().Defaults()
	settings.DefaultLanguage, settings.DefaultTwentyFourHourTime = texts.Code, texts.TwentyFourHours
	made, err = s.Orgs.Create(ctx, org.Draft{Subdomain: draft.Subdomain, Name: draft.Name, Settings: settings}, func(tx *store.Tx, made org.Org) error {
		o, streams, err := s.Streams.CreateFirst(ctx, tx, made)
		if err != nil {
			return err
		}
		owner, _, err := s.Users.Create(ctx, tx, o, user.Draft{RealEmail: email, FullName: draft.FullName, Role: actor.Owner})
		if err != nil {
			return err
		}
		if left, err = s.Accounts.Found(ctx, tx, owner.ID, streams); err != nil {
			return err
		}
		if enter, err = entry().Make(ctx, tx, founder{owner.ID}, s.Now()); err != nil {
			return err
		}
		return login.SetPassword(ctx, tx, owner.ID, hash, 0)
	})
	return made, enter, left, err
}

// Founder returns the owner of a new organization that a link signs in. It fails with [mail.ErrNoLink].
func (s *Service) Founder(ctx context.Context, o id.Org, token string) (user.User, error) {
	return store.Read(ctx, s.DB, o, func(tx *store.Tx) (user.User, error) {
		state, err := entry().Read(ctx, tx, token, s.Now())
		if err != nil {
			return user.User{}, err
		}
		return user.ByID(ctx, tx, state.User)
	})
}

// Enter uses up a link and signs the owner of a new organization in, who has just chosen a password. It fails with
// [mail.ErrNoLink] or [login.ErrUserDisabled].
func (s *Service) Enter(ctx context.Context, o id.Org, token string, a login.Attempt) (issued login.Issued, err error) {
	err = s.DB.Write(ctx, o, func(tx *store.Tx) error {
		state, err := entry().Use(ctx, tx, token, s.Now())
		if err != nil {
			return err
		}
		if err := tx.LockUser(ctx, int64(state.User)); err != nil {
			return err
		}
		owner, err := user.ByID(ctx, tx, state.User)
		if err != nil {
			return err
		}
		if !owner.Active {
			return login.ErrUserDisabled
		}
		issued, err = s.Logins.Grant(ctx, tx, owner, a)
		return err
	})
	return issued, err
}

// restore makes a link valid again, for which no organization was created.
func (s *Service) restore(ctx context.Context, token, email string) error {
	return s.DB.Write(ctx, nobody, func(tx *store.Tx) error {
		now := s.Now()
		return link().Restore(ctx, tx, token, applicant{email}, now.Add(restoredLife), now)
	})
}
