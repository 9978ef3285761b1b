package dataset

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
)

// Spec has the sizes of the organization. All numbers must be at least 1.
type Spec struct {
	Subdomain     string // empty: the server's root domain
	Users         int
	Streams       int
	Subscriptions int // of each user but the reader
	ReaderStreams int // that the reader is subscribed to, the most used ones
	Topics        int // of each stream
	Messages      int
	Private       float64 // share of private messages, between the reader and others; 0 to 1
}

// Organization describes the loaded organization.
type Organization struct {
	ID      id.Org
	Streams []id.Stream // the most used first
	// Partner is the participant of the reader's largest conversation, which is Conversation.
	Partner      Account
	Conversation id.Conversation
	Reader       Account // an account that has read nothing
	First, Last  id.Message
}

// Account is an account with its login.
type Account struct {
	User  id.User
	Email string
	Key   string // API key
}

// Authorization returns the value of the account's header Authorization.
func (a Account) Authorization() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.Email+":"+a.Key))
}

// Load fills a migrated database. db must be a connection of a superuser. Indexes of messages are dropped and
// recreated, so the database shouldn't be used by others meanwhile.
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

// Topic returns the name of a stream's topic by its number. Lower numbers are used more.
func Topic(number int) string { return fmt.Sprintf("Topic %d", number) }
