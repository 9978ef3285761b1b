package presence

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/id"
)

const (
	// Retention is how long a report is kept.
	Retention = 14 * 24 * time.Hour
	// fresh is how long an active report has precedence over idle ones of the same client, and how old it must be for
	// the next one to be sent to others (events.md, section 3.11).
	fresh = 70 * time.Second
	// maxClients is the maximum number of clients of an account.
	maxClients = 10
)

// Status says whether a person uses their computer.
type Status string

// The statuses, with the names of the interface.
const (
	Active Status = "active"
	Idle   Status = "idle"
)

// Report is a client's last report.
type Report struct {
	Status Status `json:"s"`
	At     int64  `json:"t"` // Unix seconds
}

// Reports are the reports of an account by the client's name. They are never empty.
type Reports map[string]Report

// Reporter is a client of an account, which reports.
type Reporter struct {
	Org    id.Org
	User   id.User
	Client string
}

var (
	//go:embed report.lua
	reportSource string
	//go:embed reported.lua
	reportedSource string
)

// Store stores reports in Redis. It is safe for concurrent use.
type Store struct {
	client           redis.UniversalClient
	report, reported *redis.Script
}

// NewStore returns a store that uses client. The caller closes the client.
func NewStore(client redis.UniversalClient) *Store {
	return &Store{client, redis.NewScript(reportSource), redis.NewScript(reportedSource)}
}

// Report stores a client's report. news reports whether it must be sent to others, because the client is new or its
// user became active. Report drops an idle report if there is a fresh active one. If list is set, all is the result
// of [Store.All].
func (s *Store) Report(ctx context.Context, by Reporter, r Report, list bool) (news bool, all map[id.User]Reports, err error) {
	answer, err := s.report.Run(ctx, s.client, []string{reportsKey(by.Org), seenKey(by.Org)},
		int64(by.User), by.Client, string(r.Status), r.At, int64(Retention.Seconds()), int64(fresh.Seconds()), maxClients, list).Slice()
	if err != nil {
		return false, nil, fmt.Errorf("report presence: %w", err)
	}
	// The number of news comes first, then users and their reports alternate.
	if len(answer) == 0 {
		return false, nil, errors.New("report presence: Redis returned nothing")
	}
	number, _ := answer[0].(int64)
	if list {
		all = make(map[id.User]Reports, len(answer)/2)
	}
	for i := 1; i+1 < len(answer); i += 2 {
		user, _ := answer[i].(string)
		text, _ := answer[i+1].(string)
		add(all, user, text, time.Unix(r.At, 0))
	}
	return number == 1, all, nil
}

// MarkReported records that a report has been sent to others.
func (s *Store) MarkReported(ctx context.Context, by Reporter, r Report) error {
	if err := s.reported.Run(ctx, s.client, []string{reportsKey(by.Org)}, int64(by.User), by.Client, r.At).Err(); err != nil {
		return fmt.Errorf("mark presence as reported: %w", err)
	}
	return nil
}

// All returns the reports of an organization's accounts, except those that have expired at the time now.
func (s *Store) All(ctx context.Context, org id.Org, now time.Time) (map[id.User]Reports, error) {
	stored, err := s.client.HGetAll(ctx, reportsKey(org)).Result()
	if err != nil {
		return nil, fmt.Errorf("list presence: %w", err)
	}
	all := make(map[id.User]Reports, len(stored))
	for user, text := range stored {
		add(all, user, text, now)
	}
	return all, nil
}

// Of returns an account's reports that haven't expired at the time now, or nil if there are none.
func (s *Store) Of(ctx context.Context, org id.Org, user id.User, now time.Time) (Reports, error) {
	text, err := s.client.HGet(ctx, reportsKey(org), strconv.FormatInt(int64(user), 10)).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil //nolint:nilnil // no reports
	}
	if err != nil {
		return nil, fmt.Errorf("read presence of user %d: %w", user, err)
	}
	all := map[id.User]Reports{}
	add(all, strconv.FormatInt(int64(user), 10), text, now)
	return all[user], nil
}

// add adds the stored reports of a user to a map, except for expired ones. What can't be read is no report: the next one replaces it.
func add(to map[id.User]Reports, user, text string, now time.Time) {
	number, err := strconv.ParseInt(user, 10, 64)
	stored := Reports{}
	if err != nil || json.Unmarshal([]byte(text), &stored) != nil {
		return
	}
	for client, report := range stored {
		if report.At < now.Add(-Retention).Unix() {
			delete(stored, client)
		}
	}
	if len(stored) > 0 {
		to[id.User(number)] = stored
	}
}

// Forget removes all reports of an organization.
func (s *Store) Forget(ctx context.Context, org id.Org) error {
	if err := s.client.Del(ctx, reportsKey(org), seenKey(org)).Err(); err != nil {
		return fmt.Errorf("forget presence: %w", err)
	}
	return nil
}

// reportsKey returns the key of a hash with the [Reports] of each user as JSON. Because of the braces, all keys of an
// organization are in one slot of a Redis Cluster.
func reportsKey(org id.Org) string { return "{o" + strconv.FormatInt(int64(org), 10) + "}:presence" }

// seenKey returns the key of a sorted set of users by the time of their last report.
func seenKey(org id.Org) string { return reportsKey(org) + ":seen" }
