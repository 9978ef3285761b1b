package missed

import (
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// reason is why an account is notified of a message.
type reason int

const (
	notAtAll reason = iota
	personal        // it is private, or mentions the account
	ofStream        // the account is notified of all messages of its stream
)

// mailed returns the reason for a mail to an account about a message. Settings of the subscription override those of the account. In
// muted streams and topics, only a mention of the reader counts.
func mailed(s user.Settings, m sqlc.UnreadRow) reason {
	switch {
	case isPersonal(s, m) && s.EnableOfflineEmailNotifications:
		return personal
	case m.StreamID != 0 && !m.Muted && either(m.EmailNotifications, s.EnableStreamEmailNotifications):
		return ofStream
	}
	return notAtAll
}

// pushed reports whether an account's browsers are notified of a message, by the same rules. there says whether the account is present.
func pushed(s user.Settings, m sqlc.UnreadRow, there bool) bool {
	return wantsPushes(s, there) && (isPersonal(s, m) || m.StreamID != 0 && !m.Muted && either(m.PushNotifications, s.EnableStreamPushNotifications))
}

// wantsPushes reports whether notifications in browsers are on for an account now.
func wantsPushes(s user.Settings, there bool) bool {
	if there {
		return s.EnableOnlinePushNotifications
	}
	return s.EnableOfflinePushNotifications
}

// isPersonal reports whether a message is private, mentions its reader, or mentions everyone and the reader's
// settings include wildcard mentions.
func isPersonal(s user.Settings, m sqlc.UnreadRow) bool {
	toAll := m.ToAll && !m.Muted && either(m.WildcardMentionsNotify, s.WildcardMentionsNotify)
	return m.ConversationID != 0 || m.Mentioned || toAll
}

func either(own *bool, otherwise bool) bool {
	if own != nil {
		return *own
	}
	return otherwise
}
