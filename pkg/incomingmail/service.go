// Package incomingmail converts incoming mail to messages: mail to a stream's address becomes a message of the mail
// gateway's bot, and a reply by mail a message of the account that replies (packages gateway and reply). Package
// services/lmtp receives and parses the mail.
//
// It promises:
//
//   - A mail becomes one message per address, however often it is delivered within a week: the transaction that
//     sends the message records the mail.
//   - Mail from strangers mentions no accounts.
//   - Automatic replies, and mail of this server, aren't converted, because that could cause endless loops.
package incomingmail

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/reply"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Errors of mail that isn't delivered.
var (
	// ErrUnknown says that the address doesn't exist, or doesn't exist anymore.
	ErrUnknown = errors.New("no such address")
	// ErrLimited says that the organization has received too many mails, or that an account has replied to too many from
	// addresses that aren't its own.
	ErrLimited = errors.New("too many mails")
	// ErrRefused says that the mail can't be converted to a message. The error that wraps it has the reason.
	ErrRefused = errors.New("refused")
	// ErrIgnored says that the mail is an automatic reply, or was delivered before.
	ErrIgnored = errors.New("ignored")
)

// MaxFiles is the maximum number of files that are kept from a mail. The content of further ones isn't read.
const MaxFiles = 20

const (
	// client is the name of the program in messages (rest-api.md, section 1.8).
	client = "Email"
	// maxLabel is the maximum length of a file's name in its link, in runes, and maxLinks that of the links before the last one, in bytes: they
	// leave room for a text, whatever the names are.
	maxLabel, maxLinks = 100, message.MaxContent / 2
	// staleTries is the maximum number of attempts to send a message while the stream changes.
	staleTries = 3
	// discardTime is the timeout for removing the files of a mail that didn't become a message.
	discardTime = 10 * time.Second
)

// Mail is a parsed mail.
type Mail struct {
	ID       string // what is the same for each delivery of the mail, and for no other mail
	From     string // the sender's name in the mail
	FromAddr string // the sender's address in the mail; empty: none
	Subject  string
	// Answer says that it is an automatic reply, Automatic that a program has sent it.
	Answer, Automatic bool
	// Reply says that it replies to another mail, and so may quote it.
	Reply bool
	// Text returns the content of the mail as Markdown. It isn't safe for concurrent use.
	Text  func(gateway.Options) string
	Files []File // the attached files
}

// File is an attached file.
type File struct {
	Name      string
	MediaType string // empty: unknown
	Content   []byte
	TooLarge  bool // it has no content, as it is too large
}

// Tries limits the number of mails. limit.Tries implements it.
type Tries interface {
	Count(ctx context.Context, key string) (wait time.Duration, err error)
}

// Logins limits guessing of addresses. login.Service implements it.
type Logins interface {
	// CountAddress counts that a caller finds out whether others have an address, by a kind of request. It fails with login.ErrTries.
	CountAddress(ctx context.Context, who actor.Actor, kind string) error
}

// Deps are the dependencies of a [Service].
type Deps struct {
	DB          *store.DB
	Orgs        *org.Service
	Messages    *message.Service
	Attachments *attachment.Service
	PerOrg      Tries
	Logins      Logins
	// Own is the sender's address of this server's mail; empty: it doesn't send any.
	Own string
	Now func() time.Time
}

// Service converts mail to messages. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Target is the destination of a mail.
type Target struct {
	Address string
	org     id.Org
	stream  id.Stream // zero: a reply
	token   string    // of a reply
	options gateway.Options
}

// Find returns the destination of mail to an address, or [ErrUnknown].
func (s *Service) Find(ctx context.Context, address string) (Target, error) {
	r, ok := s.Orgs.Config().MailIn.Parse(address)
	if !ok {
		return Target{}, ErrUnknown
	}
	if r.Stream == "" {
		target := Target{Address: address, org: r.Org, token: r.Reply}
		_, err := s.replyTo(ctx, target)
		return target, err
	}
	row, err := s.DB.StreamByEmailToken(ctx, string(r.Stream))
	if store.IsNotFound(err) {
		err = ErrUnknown
	}
	return Target{Address: address, org: row.OrgID, stream: row.StreamID, options: r.Options}, err
}

// replyTo returns where a reply goes, or [ErrUnknown].
func (s *Service) replyTo(ctx context.Context, to Target) (where reply.Destination, err error) {
	where, err = store.Read(ctx, s.DB, to.org, func(tx *store.Tx) (reply.Destination, error) {
		return reply.Read(ctx, tx, to.token, s.Now())
	})
	if errors.Is(err, mail.ErrNoLink) {
		err = ErrUnknown
	}
	return where, err
}

// Deliver converts a mail to a message and sends it. It fails with [ErrUnknown], [ErrLimited], [ErrRefused] or
// [ErrIgnored]. After other errors, the mail may be delivered again.
func (s *Service) Deliver(ctx context.Context, to Target, m Mail) error {
	if m.Answer || to.stream == 0 && m.Automatic || s.Own != "" && strings.EqualFold(m.FromAddr, s.Own) {
		return ErrIgnored
	}
	hash := sha256.Sum256([]byte(m.ID + "\n" + strconv.FormatInt(int64(to.stream), 10) + "\n" + to.token))
	err := s.DB.Read(ctx, to.org, func(tx *store.Tx) error {
		received, err := tx.MailReceived(ctx, hash[:])
		if received {
			return ErrIgnored
		}
		return err
	})
	if err != nil {
		return err
	}
	if wait, err := s.PerOrg.Count(ctx, strconv.FormatInt(int64(to.org), 10)); err != nil || wait > 0 {
		return errors.Join(err, limited(wait))
	}
	who, place, err := s.sender(ctx, to, m.FromAddr)
	if err != nil {
		return err
	}
	who.Sending.NoIndentedCode = true // rest-api.md, section 7.1
	if to.stream != 0 {
		place.Topic = topicOf(m.Subject)
	}
	content, files, err := s.content(ctx, who, to, m)
	if err == nil {
		err = s.send(ctx, to, who, place, content, hash[:])
	}
	if err != nil {
		s.discard(ctx, to, files)
	}
	return explained(err)
}

// discard removes the files of a mail that didn't become a message: if it is delivered again, they are stored again. Files
// that it can't remove are removed later, as all files in no message.
func (s *Service) discard(ctx context.Context, to Target, files []id.Attachment) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	for _, file := range files {
		_ = s.Attachments.RemoveIfUnclaimed(ctx, to.org, file) // not those of a message that may have been sent
	}
}

func limited(wait time.Duration) error {
	if wait > 0 {
		return ErrLimited
	}
	return nil
}

// explained converts a fault for clients to a refusal.
func explained(err error) error {
	if f := fault.Of(err); f != nil && f.Kind == fault.Invalid {
		return fmt.Errorf("%w: %s", ErrRefused, f.Msg)
	}
	return err
}

// sender returns the sender and the destination of the message for a mail from an address. The topic is missing if the
// destination is a stream.
func (s *Service) sender(ctx context.Context, to Target, from string) (who actor.Actor, place message.Place, err error) {
	if to.stream != 0 {
		who, err = s.gatewayBot(ctx, to.org)
		return who, message.Place{Stream: to.stream}, err
	}
	where, err := s.replyTo(ctx, to)
	if err != nil {
		return who, place, err
	}
	own, taken := false, false
	err = s.DB.Read(ctx, to.org, func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		u, err := user.ByID(ctx, tx, where.User)
		if err != nil {
			return err
		}
		if o.Deactivated || !u.Active {
			return ErrUnknown
		}
		if own, taken, err = ownerOf(ctx, tx, u, from); err != nil {
			return err
		}
		who, err = u.Caller(ctx, tx, o)
		who.Client = client
		return err
	})
	if err == nil && !own {
		err = s.checkReplier(ctx, who, taken)
	}
	return who, where.To, err
}

// ownerOf reports whether an address is an account's own, and whether another account has it. What isn't an address counts as its own.
func ownerOf(ctx context.Context, tx *store.Tx, u user.User, address string) (own, taken bool, err error) {
	if !user.ValidEmail(address) {
		return true, false, nil
	}
	found, err := user.ByRealEmail(ctx, tx, address)
	if errors.Is(err, user.ErrNoSuchUser) {
		return false, false, nil
	}
	return found.ID == u.ID, found.ID != u.ID && found.Active, err
}

// checkReplier fails if a reply isn't from the account's own address, and another account has that: it has got a copy of
// the account's own reply, for example. Other addresses are fine: people have several. Since the outcome shows whether
// somebody has an address, which the organization may hide, all of them are counted.
func (s *Service) checkReplier(ctx context.Context, who actor.Actor, taken bool) error {
	switch err := s.Logins.CountAddress(ctx, who, "reply by mail"); {
	case errors.Is(err, login.ErrTries):
		return ErrLimited
	case err != nil:
		return err
	case taken:
		return fmt.Errorf("%w: only the person to whom a mail was sent can reply to it here", ErrRefused)
	}
	return nil
}

// gatewayBot returns the account that sends messages for strangers' mail. It creates the account for the first such
// mail.
func (s *Service) gatewayBot(ctx context.Context, org id.Org) (who actor.Actor, err error) {
	address := user.Gateway + "@" + s.Orgs.Config().Domain()
	find := func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		bot, err := user.System(ctx, tx, address)
		who = bot.Actor(o, nil)
		who.Client, who.Sending.NoMentions = client, true
		return err
	}
	err = s.DB.Read(ctx, org, find)
	if !store.IsNotFound(err) {
		return who, err
	}
	err = s.DB.Write(ctx, org, func(tx *store.Tx) error {
		if _, err := user.EnsureGateway(ctx, tx, s.Orgs.Config().Domain(), s.Now()); err != nil {
			return err
		}
		return find(tx)
	})
	return who, err
}

// send sends the message, and records the mail.
func (s *Service) send(ctx context.Context, to Target, who actor.Actor, place message.Place, content string, hash []byte) error {
	for try := 1; ; try++ {
		err := s.DB.Write(ctx, to.org, func(tx *store.Tx) error {
			prepare := s.Messages.PrepareAnswer
			if to.stream == 0 {
				prepare = s.Messages.Prepare
			}
			send, err := prepare(ctx, tx, who, place, content, nil)
			if err != nil {
				return err
			}
			// It waits for changes of the stream, which no write may precede: their events would come after the message's.
			if err := send(ctx); err != nil {
				return err
			}
			added, err := tx.AddReceivedMail(ctx, hash)
			if err == nil && added == 0 {
				err = ErrIgnored // so that no message is sent
			}
			return err
		})
		if !errors.Is(err, store.ErrStale) || try == staleTries {
			return err
		}
	}
}
