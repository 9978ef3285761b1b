package dataset

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
)

// Spec says how much there is to be. All numbers are at least 1.
type Spec struct {
	Subdomain     string // empty: the server's root domain
	Users         int
	Streams       int
	Subscriptions int // of each user but the reader
	ReaderStreams int // that the reader is subscribed to, the most used ones
	Topics        int // of each stream
	Messages      int
	Private       float64 // part of the messages that is private, between the reader and others; 0 to 1
}

// Organization is what was made.
type Organization struct {
	ID      id.Org
	Streams []id.Stream // the most used first
	// Partner is whom the reader has written with most, and Conversation theirs.
	Partner      Account
	Conversation id.Conversation
	Reader       Account // somebody who has read nothing
	First, Last  id.Message
}

// Account is somebody who can log in.
type Account struct {
	User  id.User
	Email string
	Key   string // API key
}

// Authorization is the value of the account's header.
func (a Account) Authorization() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.Email+":"+a.Key))
}

// Load fills a migrated database. db must be a superuser's. Indexes of messages are dropped and made
// again, so nobody else should use the database meanwhile.
func Load(ctx context.Context, db *pgx.Conn, spec Spec) (Organization, error) {
	l := loader{db: db, Spec: spec}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"organization", l.organization},
		{"accounts", l.accounts},
		{"streams", l.streams},
		{"subscriptions", l.subscriptions},
		{"conversations", l.conversations},
		{"messages", l.messages},
		{"statistics", l.finish},
	} {
		if err := step.do(ctx); err != nil {
			return Organization{}, fmt.Errorf("load %s: %w", step.what, err)
		}
	}
	return l.made, nil
}

// Topic is the name of a stream's topic by its number, the most used first.
func Topic(number int) string { return fmt.Sprintf("Topic %d", number) }
