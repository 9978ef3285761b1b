package org

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// The settings that contain the id of a stream.
const (
	AnnouncementsSetting = "notifications_stream_id"
	SignupsSetting       = "signup_notifications_stream_id"
)

// ForgetStream unsets the settings that contain a stream that is deactivated, and emits the events. If there are any, the
// transaction must have locked the organization before its first write.
func ForgetStream(ctx context.Context, tx *store.Tx, ended id.Stream) error {
	for _, setting := range []string{AnnouncementsSetting, SignupsSetting} {
		changed, err := tx.ForgetStream(ctx, setting, int64(ended))
		if err != nil {
			return err
		}
		if changed == 0 {
			continue
		}
		if err := tx.Emit(ctx, event.RealmUpdated{Property: setting, Value: NoStream}); err != nil {
			return err
		}
	}
	return nil
}
