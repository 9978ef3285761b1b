package settings

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type notificationsParams struct {
	user.NotificationSwitches
	// Name of the notification sound: one of those in available_notification_sounds.
	NotificationSound *endpoint.JSONString `param:"notification_sound"`
}

// Notifications changes the caller's notification settings. The answer has the settings whose value has changed.
func Notifications(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /settings/notifications", Who: permit.Human, ChangesCallers: true,
		Faults: endpoint.Faults{user.ErrSound},
	}, func(ctx context.Context, who actor.Actor, in notificationsParams) (user.NotificationsChange, error) {
		return users.SetNotifications(ctx, who, user.NotificationsChange{
			NotificationSwitches: in.NotificationSwitches, NotificationSound: (*string)(in.NotificationSound),
		})
	})
}
