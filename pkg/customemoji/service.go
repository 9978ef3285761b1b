package customemoji

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// Limits on emoji. Clients get all emoji with each registration and with each change.
const (
	// maxEmoji is the maximum number of emoji in an organization, including deactivated ones.
	maxEmoji = 2000
	// maxPerDay is the maximum number of emoji that an account adds in 24 hours.
	maxPerDay = 500
)

// Faults (rest-api.md, section 5.6).
var (
	ErrNoName    = fault.Bad("Emoji name is missing")
	ErrName      = fault.Bad("Invalid characters in emoji name")
	ErrTaken     = fault.Plain("A custom emoji with this name already exists.")
	ErrImage     = fault.Plain("Image file upload failed.")
	ErrMissing   = fault.Bad("Emoji '%s' does not exist")
	ErrNotAuthor = fault.Bad("Must be an organization administrator or emoji author")
	ErrMany      = fault.Plain("This organization has 2000 custom emoji, including deactivated ones, which is the limit.")
	ErrManyToday = fault.Plain("You have added 500 custom emoji in the last 24 hours; wait before you add more.")
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Files    *file.Store
	Pictures *picture.Maker
	Now      func() time.Time
}

// Service adds and deactivates emoji. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// List returns the emoji of the caller's organization, see [All].
func (s *Service) List(ctx context.Context, who actor.Actor) (map[string]event.CustomEmoji, error) {
	return store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) (map[string]event.CustomEmoji, error) { return All(ctx, tx) })
}

// Add adds an emoji. It reads the image after all other checks, and makes them again for the caller as it is then. It fails with
// [ErrNoName], [ErrName], [permit.ErrGuest], [permit.ErrNotAdmin], [ErrTaken], [ErrMany], [ErrManyToday], [ErrImage],
// [picture.ErrBusy], and the errors of reading the image and of file.Store.Save.
func (s *Service) Add(ctx context.Context, who actor.Actor, typed string, image io.Reader) error {
	name, err := checkName(typed)
	if err != nil {
		return err
	}
	if err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error { return s.mayAdd(ctx, tx, who, name) }); err != nil {
		return err
	}
	uploaded, err := io.ReadAll(image)
	if err != nil {
		return err
	}
	made, animated, err := s.Pictures.Emoji(ctx, who.Org(), uploaded)
	if errors.Is(err, picture.ErrNoImage) || errors.Is(err, picture.ErrLarge) {
		err = ErrImage.Wrap(err)
	}
	if err != nil {
		return err
	}
	return s.Files.Save(ctx, who.Org(), bytes.NewReader(made), func(tx *store.Tx, kept file.Saved) error {
		return s.change(ctx, tx, func(all []sqlc.AllEmojiRow) ([]sqlc.AllEmojiRow, error) {
			now, err := user.Current(ctx, tx, who)
			if err == nil {
				err = permit.Member.Check(now)
			}
			if err == nil {
				err = s.mayAdd(ctx, tx, now, name)
			}
			if err != nil {
				return nil, err
			}
			number, err := tx.NextEmoji(ctx)
			if err != nil {
				return nil, err
			}
			if err := file.Add(ctx, tx, kept); err != nil {
				return nil, err
			}
			added := sqlc.AllEmojiRow{EmojiID: number, Name: name, AuthorID: who.User, Animated: animated, Active: true}
			return append(all, added), tx.AddEmoji(ctx, sqlc.AddEmojiParams{
				EmojiID: number, Name: name, AuthorID: who.User, Path: kept.Path, Animated: animated,
			})
		})
	})
}

// mayAdd fails if the caller can't add an emoji with this name.
func (s *Service) mayAdd(ctx context.Context, tx *store.Tx, who actor.Actor, name string) error {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return err
	}
	if o.Settings.AddEmojiByAdminsOnly && !who.Role.IsAdmin() {
		return permit.ErrNotAdmin
	}
	taken, err := tx.ActiveEmoji(ctx, []string{name})
	if err != nil {
		return err
	}
	count, err := tx.CountEmoji(ctx, who.User, s.Now().Add(-24*time.Hour))
	switch {
	case err != nil:
		return err
	case len(taken) > 0:
		return ErrTaken
	case count.Emoji >= maxEmoji:
		return ErrMany
	case count.Recent >= maxPerDay:
		return ErrManyToday
	}
	return nil
}

// Deactivate deactivates an emoji, which can't be used anymore then. It fails with [ErrMissing], [permit.ErrNotAdmin] or [ErrNotAuthor].
func (s *Service) Deactivate(ctx context.Context, who actor.Actor, name string) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		return s.change(ctx, tx, func(all []sqlc.AllEmojiRow) ([]sqlc.AllEmojiRow, error) {
			at := slices.IndexFunc(all, func(row sqlc.AllEmojiRow) bool { return row.Active && row.Name == name })
			if at < 0 {
				return nil, ErrMissing.Format(name)
			}
			o, err := s.Orgs.Load(ctx, tx)
			switch {
			case err != nil:
				return nil, err
			case who.Role.IsAdmin():
			case o.Settings.AddEmojiByAdminsOnly:
				return nil, permit.ErrNotAdmin
			case all[at].AuthorID != who.User:
				return nil, ErrNotAuthor
			}
			all[at].Active = false
			return all, tx.DeactivateEmoji(ctx, all[at].EmojiID)
		})
	})
}

// change changes the organization's emoji and emits the event.
func (*Service) change(ctx context.Context, tx *store.Tx, how func(all []sqlc.AllEmojiRow) ([]sqlc.AllEmojiRow, error)) error {
	if err := tx.LockEmoji(ctx); err != nil {
		return err
	}
	all, err := tx.AllEmoji(ctx)
	if err != nil {
		return err
	}
	if all, err = how(all); err != nil {
		return err
	}
	return tx.Emit(ctx, event.RealmEmoji{Emoji: object(tx.Org(), all)})
}

// Open returns the image of an emoji. The caller closes it. ending is the extension in the image's path. Open fails with
// [blob.ErrNotFound] if there is no such image, and with the errors of file.Store.Open.
func (s *Service) Open(ctx context.Context, of id.Org, emoji int64, ending string) (image blob.File, err error) {
	row, err := store.Read(ctx, s.DB, of, func(tx *store.Tx) (sqlc.FindEmojiRow, error) { return tx.FindEmoji(ctx, emoji) })
	switch {
	case store.IsNotFound(err), err == nil && ending != extension(row.Animated):
		return nil, blob.ErrNotFound
	case err != nil:
		return nil, err
	}
	return s.Files.Open(ctx, row.Path)
}
