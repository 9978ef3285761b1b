package missed

import (
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// why is why somebody is written to about a message.
type why int

const (
	notAtAll why = iota
	personal     // it is private, or mentions them
	ofStream     // they want to know of all messages of its stream
)

// mailed returns why somebody is mailed a message. A setting of a subscription counts before that of the account, and what is muted
// is never more than a mention of oneself.
func mailed(s user.Settings, m sqlc.UnreadRow) why {
	toAll := m.ToAll && !m.Muted && either(m.WildcardMentionsNotify, s.WildcardMentionsNotify)
	switch {
	case (m.ConversationID != 0 || m.Mentioned || toAll) && s.EnableOfflineEmailNotifications:
		return personal
	case m.StreamID != 0 && !m.Muted && either(m.EmailNotifications, s.EnableStreamEmailNotifications):
		return ofStream
	}
	return notAtAll
}

func either(own *bool, otherwise bool) bool {
	if own != nil {
		return *own
	}
	return otherwise
}
