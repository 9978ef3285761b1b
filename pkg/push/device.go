package push

import (
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"net/url"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// maxDevices is the maximum number of browsers of an account. Another one replaces the oldest.
	maxDevices = 10
	// maxEndpoint is the maximum length of a push service's address, in bytes.
	maxEndpoint = 1000
	// authBytes is the length of a browser's secret (RFC 8291, section 3.2).
	authBytes = 16
)

// Errors of a browser.
var (
	ErrOff      = fault.Plain("This server doesn't notify browsers. Its administrators have to set that up first.")
	ErrEndpoint = fault.Bad("Invalid endpoint: it has to be an https address of at most 1000 bytes")
	ErrKeys     = fault.Bad("Invalid keys: p256dh and auth have to be those of the browser's subscription")
	ErrNoDevice = fault.Bad("Invalid device id")
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB   *store.DB
	Keys Keys // the zero value: no notifications
}

// Service manages browsers and the messages that they are to be notified of. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Browser is a browser's subscription (PushSubscription of the Push API).
type Browser struct {
	Endpoint     string // where to send its notifications
	P256DH, Auth string // its key and its secret, in base64url
}

// Device is a browser that shows notifications.
type Device struct {
	// ID of the browser, for DELETE /users/me/push_devices/{device_id}.
	ID id.Device `json:"id"`
	// Name of the program that added it.
	Client string `json:"client"`
	// Where its push service takes notifications.
	Endpoint string `json:"endpoint"`
	// When it was added, the last time, in Unix seconds.
	Added int64 `json:"added_at"`
}

// Add registers a browser to show notifications for the caller until the caller's login ends. If the browser is
// already registered, by any account, it gets the new keys and the new account. Add fails with [ErrOff],
// [ErrEndpoint], [ErrKeys] or the errors of [user.Current].
func (s *Service) Add(ctx context.Context, who actor.Actor, b Browser) (number id.Device, err error) {
	key, auth, err := b.keys()
	switch {
	case s.Keys == Keys{}:
		return 0, ErrOff
	case !validEndpoint(b.Endpoint):
		return 0, ErrEndpoint
	case err != nil:
		return 0, err
	}
	err = s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil { // so that concurrent calls don't exceed the limit
			return err
		}
		// A replaced key has removed the browsers that were added with it. Nothing would remove one that it adds afterwards.
		if _, err := user.Current(ctx, tx, who); err != nil {
			return err
		}
		number, err = tx.AddPushDevice(ctx, sqlc.AddPushDeviceParams{
			UserID: who.User, LoginID: int64(who.Login), Endpoint: b.Endpoint, P256dh: key, Auth: auth, Client: who.Client, Others: maxDevices - 1,
		})
		return err
	})
	return number, err
}

// keys returns the browser's key and secret. It fails with [ErrKeys].
func (b Browser) keys() (key, auth []byte, err error) {
	if key, err = decode(b.P256DH); err != nil {
		return nil, nil, ErrKeys
	}
	if _, err := ecdh.P256().NewPublicKey(key); err != nil {
		return nil, nil, ErrKeys
	}
	if auth, err = decode(b.Auth); err != nil || len(auth) != authBytes {
		return nil, nil, ErrKeys
	}
	return key, auth, nil
}

// decode decodes base64url with or without padding.
func decode(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// validEndpoint reports whether an address has the form of a push service's. Whether connecting to it is allowed is
// checked for each connection.
func validEndpoint(address string) bool {
	at, err := url.Parse(address)
	return err == nil && len(address) <= maxEndpoint && at.Scheme == "https" && at.Hostname() != "" && at.User == nil
}

// List returns the caller's browsers, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor) ([]Device, error) {
	return store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) ([]Device, error) {
		rows, err := tx.PushDevicesOf(ctx, who.User)
		return lists.Map(rows, func(row sqlc.PushDevicesOfRow) Device {
			return Device{ID: row.DeviceID, Client: row.Client, Endpoint: row.Endpoint, Added: row.AddedAt.Unix()}
		}), err
	})
}

// Remove removes one of the caller's browsers. It fails with [ErrNoDevice].
func (s *Service) Remove(ctx context.Context, who actor.Actor, number id.Device) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		removed, err := tx.RemovePushDevice(ctx, number, who.User)
		if err == nil && removed == 0 {
			return ErrNoDevice
		}
		return err
	})
}
