package revision

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// revision is an allowed change with the data that it needs.
type revision struct {
	who    actor.Actor
	at     time.Time
	m      message.Visible // before the change
	change Change
	body   message.Rendered // of the new content
	to     sqlc.Stream      // the new stream
	links  []string         // in the new topic
}

// Edit changes a message. If its topic or stream changes, it also changes other messages according to the mode, in
// several transactions if there are many. It fails with the faults of rest-api.md, section 2.7, in its order.
func (s *Service) Edit(ctx context.Context, who actor.Actor, of id.Message, c Change) error {
	body, err := s.render(ctx, who, of, c)
	if err != nil {
		return err
	}
	left := int64(0)
	for more := true; more; {
		err = s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
			left, more = 0, false
			r, err := s.decide(ctx, tx, who, of, c)
			if err != nil {
				return err
			}
			r.body = body
			left, more, err = s.apply(ctx, tx, r)
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.moves.Await(ctx, s.db, who.Org(), left, s.now)
}

// render renders the new content, if the change has one and is allowed. It runs before the transaction of the change,
// because it depends on nothing that the transaction locks.
func (s *Service) render(ctx context.Context, who actor.Actor, of id.Message, c Change) (body message.Rendered, err error) {
	if c.Content == nil {
		return body, nil
	}
	err = s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		_, c, err = s.look(ctx, tx, who, of, c, s.now())
		return err
	})
	if err != nil {
		return body, err
	}
	return s.messages.Render(ctx, who, *c.Content, nil)
}

// look checks whether a change is allowed, as far as that depends only on the message.
func (s *Service) look(
	ctx context.Context, tx *store.Tx, who actor.Actor, of id.Message, c Change, at time.Time,
) (m message.Visible, checked Change, err error) {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return m, c, err
	}
	switch {
	case !o.Settings.AllowMessageEditing:
		return m, c, ErrEditingOff
	case c.Mode != One && !c.moves():
		return m, c, ErrModeAlone
	}
	if m, err = message.Load(ctx, tx, who, of); err != nil {
		return m, c, err
	}
	checked, err = check(who, o, m, c, at)
	return m, checked, err
}

// decide checks whether a change is allowed, and locks everything that this depends on.
func (s *Service) decide(ctx context.Context, tx *store.Tx, who actor.Actor, of id.Message, c Change) (revision, error) {
	r := revision{who: who, at: s.now()}
	m, _, err := s.look(ctx, tx, who, of, c, r.at)
	if err != nil {
		return r, err
	}
	more, err := target(ctx, tx, who, c)
	if err != nil {
		return r, err
	}
	_, gone, err := message.LockForEdit(ctx, tx, who, m, c.moves(), more...)
	if err != nil {
		return r, err
	}
	if gone {
		return r, message.ErrInvalid
	}
	// This also locks flags, and serializes edits of the message.
	if err := tx.LockAllMarks(ctx); err != nil {
		return r, err
	}
	if r.m, r.change, err = s.look(ctx, tx, who, of, c, r.at); err != nil {
		return r, err
	}
	if c.Stream != nil {
		if r.to, err = movable(ctx, tx, who, r.m, c); err != nil {
			return r, err
		}
	}
	r.change = r.change.without(r.m)
	if r.change.Topic != nil {
		r.links, err = s.messages.TopicLinks(ctx, tx, who, *r.change.Topic)
	}
	return r, err
}

// target returns the stream to lock for a move. It returns none if the move isn't allowed.
func target(ctx context.Context, tx *store.Tx, who actor.Actor, c Change) ([]id.Stream, error) {
	if c.Stream == nil || !who.Role.IsAdmin() {
		return nil, nil
	}
	to, err := tx.StreamByID(ctx, who.User, *c.Stream)
	if store.IsNotFound(err) {
		return nil, nil // movable returns the fault later
	}
	return []id.Stream{to.Stream.StreamID}, err
}

// movable returns the destination stream of a message, if the move is allowed.
func movable(ctx context.Context, tx *store.Tx, who actor.Actor, m message.Visible, c Change) (sqlc.Stream, error) {
	switch {
	case !who.Role.IsAdmin():
		return sqlc.Stream{}, ErrMove
	case c.Content != nil:
		return sqlc.Stream{}, ErrMoveContent
	}
	to, err := tx.StreamByID(ctx, who.User, *c.Stream)
	switch {
	case store.IsNotFound(err):
		return sqlc.Stream{}, stream.ErrInvalidID
	case err != nil:
		return sqlc.Stream{}, err
	case to.Stream.InviteOnly || m.StreamID == 0 || m.Stream.InviteOnly:
		return sqlc.Stream{}, ErrMovePrivate
	}
	return to.Stream, nil
}

// apply makes a change and emits its events. left is the number of the change that [Service.moves] must continue, or
// 0. apply reads and encodes everything before it writes, because events of all organizations wait from the first write on. If
// the marks of many people change, it only writes some of these, and more is true.
func (s *Service) apply(ctx context.Context, tx *store.Tx, r revision) (left int64, more bool, err error) {
	if r.change.Content == nil && !r.change.moves() {
		return 0, false, nil
	}
	e, content := r.event(), (*message.Rendered)(nil)
	if r.change.Content != nil {
		content = &r.body
		e.ContentEdited = &event.ContentEdited{
			OrigContent: r.m.Content, OrigRenderedContent: r.m.Rendered, PrevVersion: r.m.Renderer,
			Content: *r.change.Content, RenderedContent: r.body.HTML, IsMe: r.body.Attributes&message.IsMe != 0,
		}
	}
	if e.Receivers, err = receivers(ctx, tx, r.m, content); err != nil {
		return 0, false, err
	}
	if !r.change.moves() {
		edited, err := store.EncodeEvents(e)
		if err != nil {
			return 0, false, err
		}
		if err := write(ctx, tx, r); err != nil {
			return 0, false, err
		}
		return 0, false, tx.EmitEncoded(ctx, edited)
	}
	first, upto, err := s.prepare(ctx, tx, r, e)
	if err != nil {
		return 0, false, err
	}
	if some, more := first.marks.First(maxMarks); more {
		return 0, true, some.Save(ctx, tx)
	}
	if err := first.encode(); err != nil {
		return 0, false, err
	}
	if err := write(ctx, tx, r); err != nil {
		return 0, false, err
	}
	if err := first.write(ctx, tx); err != nil || upto == 0 {
		return 0, false, err
	}
	left, err = s.moves.Begin(ctx, tx, r.rest(first.moved, upto))
	return left, false, err
}

// write stores the version before a change, and the new content with its flags and files.
func write(ctx context.Context, tx *store.Tx, r revision) error {
	if err := note(ctx, tx, r); err != nil || r.change.Content == nil {
		return err
	}
	if err := setFlags(ctx, tx, r.m, r.body); err != nil {
		return err
	}
	return setAttachments(ctx, tx, r)
}

// setAttachments stores which uploaded files are in a message's new content.
func setAttachments(ctx context.Context, tx *store.Tx, r revision) error {
	const uploads = message.HasAttachment
	if (r.m.Attributes|r.body.Attributes)&uploads == 0 {
		return nil
	}
	if err := tx.ReleaseAttachments(ctx, r.m.ID, id.Convert[int64](r.body.Attachments)); err != nil {
		return err
	}
	return tx.ClaimAttachments(ctx, r.who.User, r.m.ID, r.body.Attachments)
}

// note stores a message's new content and the change.
func note(ctx context.Context, tx *store.Tx, r revision) error {
	edit := message.Edit{UserID: r.who.User, Timestamp: r.at.Unix()}
	params := sqlc.ReviseMessageParams{
		MessageID: r.m.ID, EditedAt: r.at, MaxRows: message.MaxEdits, MaxBytes: message.MaxEditBytes,
		KeptFlags: int16(message.ReadBySender | message.HasSubmessages),
	}
	if r.change.Content != nil {
		edit.PrevContent, edit.PrevRenderedContent, edit.PrevRenderedContentVersion = &r.m.Content, &r.m.Rendered, &r.m.Renderer
		version, flags := int16(message.RendererVersion), int16(r.body.Attributes)
		params.Content, params.Rendered, params.Renderer, params.Flags = r.change.Content, &r.body.HTML, &version, &flags
	}
	if r.change.Topic != nil {
		edit.PrevSubject = &r.m.Topic
	}
	if r.change.Stream != nil {
		edit.PrevStream = &r.m.StreamID
	}
	var err error
	if params.Edit, err = json.Marshal(edit); err != nil {
		return fmt.Errorf("encode edit: %w", err)
	}
	return tx.ReviseMessage(ctx, params)
}
