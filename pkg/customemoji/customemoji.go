package customemoji

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// All returns the organization's emoji by their ids, including the deactivated ones.
func All(ctx context.Context, tx *store.Tx) (map[string]event.CustomEmoji, error) {
	rows, err := tx.AllEmoji(ctx)
	if err != nil {
		return nil, err
	}
	return object(tx.Org(), rows), nil
}

func object(org id.Org, rows []sqlc.AllEmojiRow) map[string]event.CustomEmoji {
	all := make(map[string]event.CustomEmoji, len(rows))
	for _, row := range rows {
		number := strconv.FormatInt(row.EmojiID, 10)
		all[number] = event.CustomEmoji{
			ID: number, Name: row.Name, SourceURL: sourceURL(org, row.EmojiID, row.Animated), Deactivated: !row.Active, AuthorID: row.AuthorID,
		}
	}
	return all
}

// Emoji is an active emoji.
type Emoji struct {
	ID        int64
	SourceURL string // the path of its image
}

// ByNames returns the active emoji with these names, by their names.
func ByNames(ctx context.Context, tx *store.Tx, names []string) (map[string]Emoji, error) {
	rows, err := tx.ActiveEmoji(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("look up emoji: %w", err)
	}
	found := make(map[string]Emoji, len(rows))
	for _, row := range rows {
		found[row.Name] = Emoji{row.EmojiID, sourceURL(tx.Org(), row.EmojiID, row.Animated)}
	}
	return found, nil
}

// ByID returns the name of an emoji and whether it is active. If it doesn't exist, store.IsNotFound reports true for the error.
func ByID(ctx context.Context, tx *store.Tx, emoji int64) (name string, active bool, err error) {
	row, err := tx.FindEmoji(ctx, emoji)
	return row.Name, row.Active, err
}

func sourceURL(org id.Org, emoji int64, animated bool) string {
	return fmt.Sprintf("/user_avatars/%d/emoji/images/%d.%s", org, emoji, extension(animated))
}

func extension(animated bool) string {
	if animated {
		return "gif"
	}
	return "png"
}

// maxName is the maximum length of a name in bytes. Messages can't refer to longer ones.
const maxName = 100

// checkName returns a name as it is stored. It fails with [ErrNoName] or [ErrName].
func checkName(typed string) (string, error) {
	name := strings.ReplaceAll(strings.TrimSpace(typed), " ", "_")
	switch {
	case name == "":
		return "", ErrNoName
	case len(name) > maxName, strings.Trim(name, "0123456789abcdefghijklmnopqrstuvwxyz.-_") != "", strings.ContainsAny(name[len(name)-1:], ".-_"):
		return "", ErrName
	}
	return name, nil
}
