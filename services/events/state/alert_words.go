package state

import (
	"context"

	"chatserver.dev/pkg/alert"
)

// AlertWords are what the caller is alerted of in messages.
type AlertWords struct {
	AlertWordList []string `json:"alert_words"` // words that the caller is alerted of
}

func readAlertWords(ctx context.Context, r *reading, into *State) error {
	words, err := alert.List(ctx, r.tx, r.self.ID)
	into.AlertWords = &AlertWords{words}
	return err
}
