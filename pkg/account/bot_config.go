package account

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// maxBotConfig is the maximum total length of the keys and values of a bot's configuration, in characters.
const maxBotConfig = 10_000

func checkConfigSize(config map[string]string) error {
	n := 0
	for key, value := range config {
		n += utf8.RuneCountInString(key) + utf8.RuneCountInString(value)
	}
	if n > maxBotConfig {
		return ErrConfigSize.Format(n, maxBotConfig)
	}
	return nil
}

// configAfter returns the configuration of an incoming webhook bot after a change.
func configAfter(ctx context.Context, tx *store.Tx, bot id.User, change map[string]string) (map[string]string, error) {
	config, err := configOf(ctx, tx, bot)
	if err != nil {
		return nil, err
	}
	maps.Copy(config, change)
	return config, checkConfigSize(config)
}

// configOf returns the configuration of a bot.
func configOf(ctx context.Context, tx *store.Tx, bot id.User) (map[string]string, error) {
	config := map[string]string{}
	encoded, err := tx.BotConfig(ctx, bot)
	if store.IsNotFound(err) {
		return config, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(encoded, &config); err != nil {
		return nil, fmt.Errorf("decode configuration of bot %d: %w", bot, err)
	}
	return config, nil
}
