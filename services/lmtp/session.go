package lmtp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/emersion/go-smtp"

	"chatserver.dev/pkg/incomingmail"
)

// session is a connection.
type session struct {
	server *Server
	conn   *smtp.Conn
	ctx    context.Context //nolint:containedctx // the library's methods have none
	// refused reports whether the client has to use STARTTLS first.
	refused bool
	from    string
	to      []incomingmail.Target
}

// maxAnswer is the maximum length of the text of a response, in bytes: with the recipient's address, it fits into one
// line (RFC 5321, section 4.5.3.1.5).
const maxAnswer = 160

// answer returns a response. The text is for people who read it in a returned mail. Control characters, which the text
// may quote from a mail, are replaced.
func answer(code int, enhanced smtp.EnhancedCode, text string) *smtp.SMTPError {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, strings.TrimSpace(text))
	return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: text[:min(len(text), maxAnswer)]}
}

func unknown() error {
	return answer(550, smtp.EnhancedCode{5, 1, 1}, "There is no such address, or it has expired")
}

func later() error {
	return answer(451, smtp.EnhancedCode{4, 3, 0}, "The server can't take the mail now, try again later")
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.from, s.to = "", nil }

// Logout implements smtp.Session.
func (*session) Logout() error { return nil }

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.refused {
		return answer(530, smtp.EnhancedCode{5, 7, 0}, "Must issue a STARTTLS command first")
	}
	s.from = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(address string, _ *smtp.RcptOptions) error {
	ctx, cancel := context.WithTimeout(s.ctx, deliverTime)
	defer cancel()
	target, err := s.server.Mail.Find(ctx, address)
	switch {
	case errors.Is(err, incomingmail.ErrUnknown):
		return unknown()
	case err != nil:
		s.server.Logger.ErrorContext(ctx, "failed to look up the address of a mail", slog.Any("error", err))
		return later()
	}
	s.to = append(s.to, target)
	return nil
}

// Data implements smtp.Session. It isn't used: the server speaks LMTP.
func (*session) Data(io.Reader) error { return later() }

// LMTPData implements smtp.LMTPSession.
func (s *session) LMTPData(r io.Reader, status smtp.StatusCollector) error {
	conn := ofMail(s.conn.Conn())
	defer conn.begin()()
	if err := s.server.room.enter(s.ctx, conn.client); err != nil {
		return later()
	}
	defer s.server.room.leave(conn.client)
	raw, err := s.readAll(r)
	if err != nil {
		return err
	}
	m, err := read(raw)
	if err != nil {
		return answer(554, smtp.EnhancedCode{5, 6, 0}, "The mail can't be read: "+err.Error())
	}
	m.Answer = m.Answer || s.from == "" // a returned mail
	for _, to := range s.to {
		status.SetStatus(to.Address, s.deliver(to, m))
	}
	return nil
}

// readAll reads a mail. If that takes too long, it closes the connection, and the client delivers the mail again later.
// The library's own timeout of a minute is for each command: too long for a mail in many commands (BDAT), which would
// occupy the room of others, and too short for a mail that has waited for room.
func (s *session) readAll(r io.Reader) ([]byte, error) {
	conn := s.conn.Conn()
	late := time.AfterFunc(s.server.ArriveTime, func() { _ = conn.Close() }) // the library notices
	defer late.Stop()
	_ = conn.SetReadDeadline(time.Time{}) // if this fails, reading fails, too
	return io.ReadAll(r)
}

// deliver makes a message of a mail, and returns the response for the recipient.
func (s *session) deliver(to incomingmail.Target, m incomingmail.Mail) error {
	ctx, cancel := context.WithTimeout(s.ctx, deliverTime)
	defer cancel()
	err := s.server.Mail.Deliver(ctx, to, m)
	outcome, response := "sent", error(nil)
	switch {
	case err == nil:
	case errors.Is(err, incomingmail.ErrIgnored):
		outcome = "ignored"
	case errors.Is(err, incomingmail.ErrUnknown):
		outcome, response = "refused", unknown()
	case errors.Is(err, incomingmail.ErrRefused):
		outcome, response = "refused", answer(550, smtp.EnhancedCode{5, 7, 1}, err.Error())
	case errors.Is(err, incomingmail.ErrLimited):
		outcome, response = "limited", answer(451, smtp.EnhancedCode{4, 7, 1}, "There are too many mails, try again later")
	default:
		outcome, response = "failed", later()
		s.server.Logger.ErrorContext(ctx, "failed to convert a mail to a message", slog.Any("error", err))
	}
	s.server.Count(ctx, outcome)
	return response
}
