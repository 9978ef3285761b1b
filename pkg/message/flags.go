package message

import "strings"

// Attributes are a message's properties that are the same for everyone, in messages.flags.
type Attributes int16

// The attributes. Their bits aren't part of the interface.
const (
	MentionsAll    Attributes = 1 << iota // a wildcard mention
	ReadBySender                          // sent from a client in which its sender has read it
	HasLink                               //
	HasImage                              //
	HasAttachment                         //
	IsMe                                  // begins with "/me "
	HasSubmessages                        // has a row in submessages
)

// interactive reports whether people read messages in a client, so that messages sent from it count as read
// by their senders (rest-api.md, section 1.8).
func interactive(client string) bool {
	name := strings.ToLower(client)
	switch name {
	case "website", "ios", "android", "snipe",
		"chatserverandroid", "chatserverios", "chatservermobile", "chatserverdesktop", "chatserverelectron", "chatserverterminal",
		"zulipandroid", "zulipios", "zulipmobile", "zulipdesktop", "zulipelectron", "zulipterminal":
		return true
	}
	return strings.Contains(name, "desktop app")
}
