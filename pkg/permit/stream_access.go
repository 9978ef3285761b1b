package permit

import "chatserver.dev/pkg/actor"

// StreamView is what decides whether somebody sees a stream.
type StreamView struct {
	InviteOnly  bool
	IsWebPublic bool
	Subscribed  bool // the one who looks
}

// ReadStream reports whether the stream is within the reader's ordinary access (rest-api.md, section
// 1.9). Administrators have no more of it than others.
func ReadStream(who actor.Role, s StreamView) bool {
	return s.IsWebPublic || !s.InviteOnly && who < actor.Guest || s.Subscribed
}

// ReadSubscribers reports whether the reader may know who is subscribed to the stream (events.md,
// section 1.6.3).
func ReadSubscribers(who actor.Role, s StreamView) bool {
	if s.InviteOnly {
		return s.Subscribed || who.IsAdmin()
	}
	return ReadStream(who, s)
}

// ReadHistory reports whether the reader may read what was sent to the stream when they weren't
// subscribed (rest-api.md, sections 1.9 and 2.4.3).
func ReadHistory(who actor.Role, s StreamView, historyPublic bool) bool {
	return historyPublic && ReadStream(who, s)
}
