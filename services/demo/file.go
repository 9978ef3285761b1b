package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"chatserver.dev/pkg/id"
)

// Demo describes the organization to scripts, as JSON.
type Demo struct {
	BaseURL      string       `json:"base_url"` // without a trailing slash
	Organization Organization `json:"organization"`
	Accounts     []Account    `json:"accounts"` // of people
	Streams      []Stream     `json:"streams"`
	Bots         []Bot        `json:"bots"`
	// Missing is the number of messages that an interrupted start hasn't sent. The file has nothing else then.
	Missing int `json:"missing,omitempty"`
}

// Organization identifies the organization.
type Organization struct {
	ID        id.Org `json:"id"`
	Name      string `json:"name"`
	Subdomain string `json:"subdomain"`
}

// Account is an account and its key.
type Account struct {
	Email    string  `json:"email"`
	APIKey   string  `json:"api_key"` // empty if somebody has replaced it
	Role     string  `json:"role"`    // owner, administrator, member or guest
	UserID   id.User `json:"user_id"`
	FullName string  `json:"full_name"`
}

// Bot is a bot's account.
type Bot struct {
	Account
	Type    string  `json:"type"` // generic or incoming_webhook
	OwnerID id.User `json:"owner_id"`
}

// Stream is a stream of the organization.
type Stream struct {
	ID        id.Stream `json:"stream_id"`
	Name      string    `json:"name"`
	Private   bool      `json:"private"`
	IsDefault bool      `json:"is_default"`
}

// load reads the file; ok is false if there is none.
func load(path string) (d Demo, ok bool, err error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the path is the operator's
	if errors.Is(err, fs.ErrNotExist) {
		return Demo{}, false, nil
	}
	if err != nil {
		return Demo{}, false, fmt.Errorf("read the demo's keys: %w", err)
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return Demo{}, false, fmt.Errorf("read the demo's keys: %s: %w (remove the file to have it recreated)", path, err)
	}
	return d, true, nil
}

// save writes the file, all of it or nothing.
func (d Demo) save(path string) error {
	raw, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("write the demo's keys: %w", err)
	}
	draft := path + ".new"
	err = os.MkdirAll(filepath.Dir(path), 0o750)
	if err == nil {
		err = os.WriteFile(draft, append(raw, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		return fmt.Errorf("write the demo's keys: %w", err)
	}
	return nil
}
