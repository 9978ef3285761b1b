package revision

import (
	"context"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/htmldiff"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
)

// ErrHistoryOff says that the organization has turned off the edit history.
var ErrHistoryOff = fault.Plain("Message edit history is disabled in this organization")

// Snapshot is a message as it was after a change (http-api.md, message edit snapshot). Only what has
// changed has a previous value.
type Snapshot struct {
	// Topic is "" for a private message.
	Topic string `json:"topic"`
	// Content is Markdown.
	Content string `json:"content"`
	// RenderedContent is the content as HTML.
	RenderedContent string `json:"rendered_content"`
	// Timestamp is when the change was made, in Unix seconds; of the first snapshot, when the message was sent.
	Timestamp int64 `json:"timestamp"`
	// UserID is who made the change; of the first snapshot, the message's sender.
	UserID id.User `json:"user_id"`
	// PrevTopic is the topic before, where it was changed.
	PrevTopic *string `json:"prev_topic,omitempty"`
	// PrevStream is the stream before, where the message was moved.
	PrevStream *id.Stream `json:"prev_stream,omitempty"`
	// PrevContent is the content before, where it was changed.
	PrevContent *string `json:"prev_content,omitempty"`
	// PrevRenderedContent is the content before as HTML.
	PrevRenderedContent *string `json:"prev_rendered_content,omitempty"`
	// ContentHTMLDiff is both contents as one piece of HTML that shows what was inserted and what was deleted.
	ContentHTMLDiff *string `json:"content_html_diff,omitempty"`
}

// History returns the versions of a message, oldest first. It fails with [ErrHistoryOff] or message.ErrInvalid
// (rest-api.md, section 2.11).
func (s *Service) History(ctx context.Context, who actor.Actor, of id.Message) ([]Snapshot, error) {
	m := message.Visible{}
	err := s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if !o.Settings.AllowEditHistory {
			return ErrHistoryOff
		}
		m, err = message.Load(ctx, tx, who, of)
		return err
	})
	if err != nil {
		return nil, err
	}
	return snapshots(ctx, m)
}

// snapshots reconstructs earlier versions from the current one.
func snapshots(ctx context.Context, m message.Visible) ([]Snapshot, error) {
	edits, err := message.DecodeEdits(m.Edits)
	if err != nil {
		return nil, err
	}
	state := Snapshot{Topic: m.Topic, Content: m.Content, RenderedContent: m.Rendered}
	list := make([]Snapshot, 0, len(edits)+1)
	for _, edit := range edits {
		if err := ctx.Err(); err != nil {
			return nil, err // there may be many
		}
		after := state
		after.Timestamp, after.UserID = edit.Timestamp, edit.UserID
		after.PrevTopic, after.PrevStream = edit.PrevSubject, edit.PrevStream
		if edit.PrevSubject != nil {
			state.Topic = *edit.PrevSubject
		}
		if edit.PrevContent != nil && edit.PrevRenderedContent != nil {
			state.Content, state.RenderedContent = *edit.PrevContent, *edit.PrevRenderedContent
			diff, err := htmldiff.Diff(state.RenderedContent, after.RenderedContent)
			if err != nil {
				return nil, fmt.Errorf("compare contents of message %d: %w", m.ID, err)
			}
			after.PrevContent, after.PrevRenderedContent, after.ContentHTMLDiff = edit.PrevContent, edit.PrevRenderedContent, &diff
		}
		list = append(list, after)
	}
	state.Timestamp, state.UserID = m.Sent.Unix(), m.Sender
	list = append(list, state)
	slices.Reverse(list)
	return list, nil
}
