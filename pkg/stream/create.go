package stream

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Limits in characters (rest-api.md, section 3.1).
const (
	MaxName        = 60
	MaxDescription = 1024
)

// The errors of invalid names of streams (rest-api.md, sections 2.2 and 3.4), besides [ErrInvalidName] for a blank one.
var (
	// ErrLongName says that the name is too long.
	ErrLongName = fault.Bad("Stream name too long (limit: 60 characters).")
	// ErrNullInName says that the name has a character that can't be stored.
	ErrNullInName = fault.Bad("Stream name '%s' contains NULL (0x00) characters.")
)

// CheckName returns nil if a name is valid, or [ErrInvalidName], [ErrLongName] or [ErrNullInName].
func CheckName(name string) error {
	switch {
	case spelling.IsBlank(name):
		return ErrInvalidName.Format(name)
	case utf8.RuneCountInString(name) > MaxName:
		return ErrLongName
	case strings.ContainsRune(name, 0):
		return ErrNullInName.Format(name)
	default:
		return nil
	}
}

// CleanName returns a name as it is stored, see [spelling.Name]. It fails as [CheckName] does.
func CleanName(name string) (string, error) {
	name = spelling.Name(name)
	return name, CheckName(name)
}

// Settings are the settings of new streams.
type Settings struct {
	InviteOnly bool
	// HistoryPublic permits new subscribers of a private stream to read earlier messages. It is always
	// set for public streams.
	HistoryPublic bool
	PostPolicy    permit.PostPolicy
	RetentionDays *int32  // nil: as the organization says; retainForever
	Creator       id.User // 0: the server itself
}

// Draft is a stream that is yet to be made.
type Draft struct {
	Name        string // as [CleanName] returns it
	Description string // Markdown; line feeds become blanks
}

// Renderer renders a stream's description as HTML.
type Renderer interface {
	RenderDescription(ctx context.Context, source string, in markdown.Context) (html string, err error)
}

// Create creates streams, emits the events, and returns the streams in the order of the drafts. in is the context for
// rendering their descriptions. The error satisfies store.IsDuplicate if another transaction has just taken a name.
func Create(
	ctx context.Context, tx *store.Tx, render Renderer, in markdown.Context, drafts []Draft, settings Settings,
) ([]sqlc.Stream, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	params := sqlc.CreateStreamsParams{
		InviteOnly: settings.InviteOnly, HistoryPublic: settings.HistoryPublic || !settings.InviteOnly,
		PostPolicy: int16(settings.PostPolicy), RetentionDays: settings.RetentionDays,
	}
	if settings.Creator != 0 {
		params.CreatorID = new(int64(settings.Creator))
	}
	for _, draft := range drafts {
		description := OneLine(draft.Description)
		params.Names = append(params.Names, draft.Name)
		params.Descriptions = append(params.Descriptions, description)
		html, err := render.RenderDescription(ctx, description, in)
		if err != nil {
			return nil, fmt.Errorf("render description of stream %q: %w", draft.Name, err)
		}
		params.RenderedDescriptions = append(params.RenderedDescriptions, html)
	}
	rows, err := tx.CreateStreams(ctx, params)
	if err != nil {
		return nil, err
	}
	byName := lists.Index(rows, func(row sqlc.Stream) string { return row.Name })
	created := lists.Map(drafts, func(draft Draft) sqlc.Stream { return byName[draft.Name] })
	return created, tx.Emit(ctx, lists.Map(created, func(row sqlc.Stream) event.Event {
		return event.StreamCreated{Streams: []event.Stream{Object(row)}}
	})...)
}

// OneLine returns a description for storage, with spaces instead of line breaks.
func OneLine(text string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ").Replace(text)
}
