package settings

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type notificationsParams struct {
	notificationSwitches
	// Name of the notification sound: one of those in available_notification_sounds.
	NotificationSound *endpoint.JSONString `param:"notification_sound"`
}

// notificationSwitches has the fields of user.NotificationSwitches, which it is converted to.
type notificationSwitches struct {
	// Visual desktop notifications for stream messages.
	EnableStreamDesktopNotifications *bool `param:"enable_stream_desktop_notifications"`
	// Email notifications for stream messages.
	EnableStreamEmailNotifications *bool `param:"enable_stream_email_notifications"`
	// Mobile notifications for stream messages.
	EnableStreamPushNotifications *bool `param:"enable_stream_push_notifications"`
	// Audible desktop notifications for stream messages.
	EnableStreamAudibleNotifications *bool `param:"enable_stream_audible_notifications"`
	// Visual desktop notifications for private messages and mentions.
	EnableDesktopNotifications *bool `param:"enable_desktop_notifications"`
	// Audible notifications for private messages and mentions.
	EnableSounds *bool `param:"enable_sounds"`
	// Email for private messages and mentions that come while the user is offline.
	EnableOfflineEmailNotifications *bool `param:"enable_offline_email_notifications"`
	// Mobile notifications for private messages and mentions that come while the user is offline.
	EnableOfflinePushNotifications *bool `param:"enable_offline_push_notifications"`
	// Mobile notifications for private messages and mentions that come while the user is online.
	EnableOnlinePushNotifications *bool `param:"enable_online_push_notifications"`
	// Digest emails while the user is away.
	EnableDigestEmails *bool `param:"enable_digest_emails"`
	// Email for new logins.
	EnableLoginEmails *bool `param:"enable_login_emails"`
	// Whether emails about missed messages say what the messages say.
	MessageContentInEmailNotifications *bool `param:"message_content_in_email_notifications"`
	// Whether desktop notifications say what private messages say.
	PMContentInDesktopNotifications *bool `param:"pm_content_in_desktop_notifications"`
	// Whether wildcard mentions notify like personal mentions.
	WildcardMentionsNotify *bool `param:"wildcard_mentions_notify"`
	// What the desktop icon counts: 1 all unread messages, 2 private messages and mentions, 3 nothing.
	DesktopIconCountDisplay *int `param:"desktop_icon_count_display" enum:"1,2,3"`
	// Whether the subject of emails about missed messages names the organization.
	RealmNameInNotifications *bool `param:"realm_name_in_notifications"`
	// Whether other users see that the user is online.
	PresenceEnabled *bool `param:"presence_enabled"`
}

// Notifications changes the caller's notification settings. The answer has those that really changed,
// each with its new value.
func Notifications(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /settings/notifications", Who: permit.Human,
		Faults: endpoint.Faults{user.ErrSound},
	}, func(ctx context.Context, who actor.Actor, in notificationsParams) (user.NotificationsChange, error) {
		return users.SetNotifications(ctx, who, user.NotificationsChange{
			NotificationSwitches: user.NotificationSwitches(in.notificationSwitches), NotificationSound: (*string)(in.NotificationSound),
		})
	})
}
