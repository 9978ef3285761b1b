package push

import (
	"context"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

const (
	// lease is the time after which another process may take over a notification.
	lease = 30 * time.Second
	// maxAttempts is the number of failed attempts after which all messages for a browser are dropped.
	maxAttempts = 6
	// firstPause is the time between the first two attempts. It doubles after each attempt.
	firstPause = 30 * time.Second
)

// Due is a browser with a notification that is due.
type Due struct {
	Org    id.Org
	Device id.Device
}

// Claimed is a browser that this process has claimed.
type Claimed struct {
	Due
	User     id.User
	Messages []id.Message // ascending
	Endpoint string
	Key      []byte
	Auth     []byte

	attempts int16
	until    time.Time
}

// Due returns browsers of all organizations with due notifications, those that have waited longest first. It returns
// at most each browsers of an organization, and most in all.
func (s *Service) Due(ctx context.Context, each, limit int32) ([]Due, error) {
	rows, err := s.DB.DuePushes(ctx, each, limit)
	due := make([]Due, len(rows))
	for i, row := range rows {
		due[i] = Due{row.OrgID, row.DeviceID}
	}
	return due, err
}

// Claim claims a browser. ok is false if another process has claimed it, or if there is nothing to send.
func (s *Service) Claim(ctx context.Context, due Due) (claimed Claimed, ok bool, err error) {
	err = s.DB.Write(ctx, due.Org, func(tx *store.Tx) error {
		row, err := tx.ClaimPushes(ctx, lease.Seconds(), due.Device)
		claimed = Claimed{
			Due: due, User: row.UserID, Messages: id.Convert[id.Message](row.Messages), Endpoint: row.Endpoint, Key: row.P256dh, Auth: row.Auth,
			attempts: row.Attempts, until: row.DueAt,
		}
		ok = err == nil && !row.SignedOut
		if err == nil && row.SignedOut {
			return tx.DropPushDevice(ctx, due.Device)
		}
		return err
	})
	if store.IsNotFound(err) {
		err = nil
	}
	return claimed, ok && err == nil, err
}

// End ends the claim. done are the messages that need no further notification.
func (s *Service) End(ctx context.Context, c Claimed, done []id.Message) error {
	return s.DB.Write(ctx, c.Org, func(tx *store.Tx) error {
		return tx.EndPushes(ctx, id.Convert[int64](done), c.Device, c.until)
	})
}

// Fail ends the claim after a failed attempt, and reports whether there will be another attempt.
func (s *Service) Fail(ctx context.Context, c Claimed) (again bool, err error) {
	if c.attempts >= maxAttempts {
		return false, s.End(ctx, c, c.Messages)
	}
	pause := firstPause << (c.attempts - 1)
	return true, s.DB.Write(ctx, c.Org, func(tx *store.Tx) error { return tx.PostponePushes(ctx, pause.Seconds(), c.Device, c.until) })
}

// Drop removes a browser that doesn't exist at its push service anymore.
func (s *Service) Drop(ctx context.Context, c Claimed) error {
	return s.DB.Write(ctx, c.Org, func(tx *store.Tx) error { return tx.DropPushDevice(ctx, c.Device) })
}
