package missed

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// maxStreams is the maximum number of streams in a link, which keeps its address short.
const maxStreams = 20

// stop has the settings that an unsubscribe link turns off: those because of which the mail was sent. The link is valid as long as the
// key exists that signed it.
type stop struct {
	User     id.User     `json:"u"`
	Personal bool        `json:"p,omitempty"` // enable_offline_email_notifications
	Streams  []id.Stream `json:"s,omitempty"` // email_notifications of these subscriptions
	Digest   bool        `json:"d,omitempty"` // enable_digest_emails
}

// text returns the signed text of a link. Its prefix differs from those of all other signed texts.
func (stop) text(in id.Org, encoded []byte) string {
	return fmt.Sprintf("unsubscribe %d %s", in, encoded)
}

// unsubscribeLink returns the address of the page that turns off the settings in what.
func (s *Service) unsubscribeLink(o org.Org, what stop) string {
	what.Streams = what.Streams[:min(len(what.Streams), maxStreams)]
	encoded, _ := json.Marshal(what) //nolint:errchkjson // numbers can be encoded
	token := append(s.Keys.Sign(what.text(o.ID, encoded)), encoded...)
	return o.URI + mail.UnsubscribePath + base64.RawURLEncoding.EncodeToString(token)
}

// readStop parses a link's token. It fails with [mail.ErrNoLink].
func (s *Service) readStop(ctx context.Context, in id.Org, token string) (what stop, of user.User, err error) {
	sent, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(sent) <= keyring.Size || !s.Keys.Signed(ctx, what.text(in, sent[keyring.Size:]), sent[:keyring.Size]) {
		return what, of, mail.ErrNoLink
	}
	if err := json.NewDecoder(bytes.NewReader(sent[keyring.Size:])).Decode(&what); err != nil {
		return what, of, fmt.Errorf("decode a link: %w", err)
	}
	of, err = store.Read(ctx, s.DB, in, func(tx *store.Tx) (user.User, error) { return user.ByID(ctx, tx, what.User) })
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && !of.Active {
		err = mail.ErrNoLink
	}
	return what, of, err
}

// ReadUnsubscribe returns a text about the mail that a link turns off, in the language of the link's account, and the account. It fails
// with [mail.ErrNoLink].
func (s *Service) ReadUnsubscribe(ctx context.Context, in id.Org, token string) (ends string, of user.User, err error) {
	what, of, err := s.readStop(ctx, in, token)
	if err != nil {
		return "", of, err
	}
	says, about := of.Settings.Texts().Pages.Unsubscribe, []string(nil)
	if what.Personal {
		about = append(about, says.Personal)
	}
	if len(what.Streams) > 0 {
		about = append(about, says.Streams)
	}
	if what.Digest {
		about = append(about, says.Digest)
	}
	return says.Text(of.RealEmail, about), of, nil
}

// Unsubscribe turns off the settings of a link: those of the account and of its subscriptions. It fails with [mail.ErrNoLink].
func (s *Service) Unsubscribe(ctx context.Context, o org.Org, token string) error {
	what, of, err := s.readStop(ctx, o.ID, token)
	if err != nil {
		return err
	}
	who, off := of.Actor(o, nil), user.NotificationsChange{}
	if what.Personal {
		off.EnableOfflineEmailNotifications = new(bool)
	}
	if what.Digest {
		off.EnableDigestEmails = new(bool)
	}
	if _, err := s.Users.SetNotifications(ctx, who, off); err != nil {
		return err
	}
	for _, stream := range what.Streams {
		if err := s.endStream(ctx, who, stream); err != nil {
			return err
		}
	}
	return nil
}

// endStream turns off mail about a stream's messages. If the account isn't subscribed anymore, there is nothing to do.
func (s *Service) endStream(ctx context.Context, who actor.Actor, of id.Stream) error {
	err := s.Subscriptions.SetProperties(ctx, who, []subscription.Property{{Stream: of, Name: "email_notifications", Value: false}})
	if f := fault.Of(err); f != nil && f.Kind < fault.Internal {
		return nil // the account has no access to the stream
	}
	return err
}
