package permit

import "chatserver.dev/pkg/actor"

// StreamView describes a stream and the reader's relation to it.
type StreamView struct {
	InviteOnly  bool
	IsWebPublic bool
	Subscribed  bool // whether the reader is
}

// ReadStream reports whether the reader has access to the stream (rest-api.md, section 1.9). Administrators have no
// more access than others.
func ReadStream(who actor.Role, s StreamView) bool {
	return s.IsWebPublic || !s.InviteOnly && who < actor.Guest || s.Subscribed
}

// ReadSubscribers reports whether the reader may list the subscribers of the stream (events.md, section 1.6.3).
func ReadSubscribers(who actor.Role, s StreamView) bool {
	if s.InviteOnly {
		return s.Subscribed || who.IsAdmin()
	}
	return ReadStream(who, s)
}

// ReadHistory reports whether the reader may read messages that were sent to the stream while they weren't subscribed
// (rest-api.md, sections 1.9 and 2.4.3).
func ReadHistory(who actor.Role, s StreamView, historyPublic bool) bool {
	return historyPublic && ReadStream(who, s)
}
