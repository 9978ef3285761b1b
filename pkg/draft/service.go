package draft

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// Service stores drafts. It is safe for concurrent use.
type Service struct {
	db  *store.DB
	now func() time.Time
}

// New makes the service.
func New(db *store.DB, now func() time.Time) *Service { return &Service{db, now} }

// List returns the caller's drafts by their ids, in decimal. It fails with the error of reserve, see [store.DB.ReadLarge].
func (s *Service) List(ctx context.Context, who actor.Actor, reserve store.Reserve) (map[string]Draft, error) {
	drafts := map[string]Draft{}
	size := func(tx *store.Tx) (int64, error) { return tx.SizeOfDrafts(ctx, who.User) }
	err := s.db.ReadLarge(ctx, who.Org(), reserve, size, func(tx *store.Tx) error {
		rows, err := tx.Drafts(ctx, who.User)
		for _, row := range rows {
			drafts[strconv.FormatInt(row.DraftID, 10)] = stored(row)
		}
		return err
	})
	return drafts, err
}

// Add stores drafts and returns their ids. If it fails, it has stored none. It fails with [ErrMany] and the faults of drafts.
func (s *Service) Add(ctx context.Context, who actor.Actor, drafts []Draft) (ids []int64, err error) {
	if len(drafts) > Max {
		return nil, ErrMany
	}
	all, err := s.check(ctx, who, drafts)
	if err != nil {
		return nil, err
	}
	params := sqlc.AddDraftsParams{UserID: who.User}
	for _, d := range all {
		params.Streams, params.People = append(params.Streams, int64(d.stream)), append(params.People, array(d.people))
		params.Topics, params.Contents = append(params.Topics, d.topic), append(params.Contents, d.content)
		params.ChangedAt = append(params.ChangedAt, d.at)
	}
	err = s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil { // so that they can be counted
			return err
		}
		number, err := tx.CountDrafts(ctx, who.User)
		switch {
		case err != nil:
			return err
		case int(number)+len(all) > Max:
			return ErrMany
		}
		ids, err = tx.AddDrafts(ctx, params)
		return err
	})
	return ids, err
}

// array returns ids as a PostgreSQL array; empty: there is none.
func array(ids []int64) string {
	if ids == nil {
		return ""
	}
	texts := lists.Map(ids, func(one int64) string { return strconv.FormatInt(one, 10) })
	return "{" + strings.Join(texts, ",") + "}"
}

// Change replaces one of the caller's drafts. It fails with [ErrNone] and the faults of drafts.
func (s *Service) Change(ctx context.Context, who actor.Actor, draft int64, to Draft) error {
	all, err := s.check(ctx, who, []Draft{to})
	if err != nil {
		return err
	}
	d := all[0]
	return s.one(ctx, who, func(tx *store.Tx) (int64, error) {
		return tx.ChangeDraft(ctx, sqlc.ChangeDraftParams{
			StreamID: int64(d.stream), People: d.people, Topic: d.topic, Content: d.content, ChangedAt: d.at, DraftID: draft, UserID: who.User,
		})
	})
}

// Delete deletes one of the caller's drafts. It fails with [ErrNone].
func (s *Service) Delete(ctx context.Context, who actor.Actor, draft int64) error {
	return s.one(ctx, who, func(tx *store.Tx) (int64, error) { return tx.DeleteDraft(ctx, draft, who.User) })
}

// one makes a change, which returns the number of drafts that it affected.
func (s *Service) one(ctx context.Context, who actor.Actor, change func(tx *store.Tx) (int64, error)) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		rows, err := change(tx)
		if err == nil && rows == 0 {
			err = ErrNone
		}
		return err
	})
}

// check returns drafts as they are stored. It checks that the caller may access the streams, and that the people exist.
func (s *Service) check(ctx context.Context, who actor.Actor, drafts []Draft) ([]checked, error) {
	all, streams, people := make([]checked, len(drafts)), []id.Stream(nil), []id.User(nil)
	for i, d := range drafts {
		var err error
		if all[i], err = d.check(s.now()); err != nil {
			return nil, err
		}
		if d.Type == toStream {
			streams = append(streams, all[i].stream)
		}
		people = append(people, id.Convert[id.User](all[i].people)...)
	}
	slices.Sort(streams)
	slices.Sort(people)
	streams, people = slices.Compact(streams), slices.Compact(people)
	return all, s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		for _, one := range streams {
			if _, err := stream.ByID(ctx, tx, who, one); err != nil {
				return err
			}
		}
		found, err := user.ByIDs(ctx, tx, people)
		if err != nil {
			return err
		}
		for _, one := range people {
			if _, known := slices.BinarySearchFunc(found, one, byID); !known {
				return message.ErrInvalidUser.Format(one)
			}
		}
		return nil
	})
}

func byID(u user.User, number id.User) int { return cmp.Compare(u.ID, number) }
