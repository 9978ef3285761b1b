package state

import "context"

// Hotspots are hints for newcomers; there are none.
type Hotspots struct {
	HotspotList []struct{} `json:"hotspots"` // hints for newcomers
}

// Domains are those that new accounts' addresses must belong to; none can be set yet.
type Domains struct {
	DomainList []struct{} `json:"realm_domains"` // that new accounts' addresses must belong to
}

// Emoji are the organization's own, by id; none can be added yet.
type Emoji struct {
	EmojiByID map[string]struct{} `json:"realm_emoji"` // the organization's own emoji
}

// Linkifiers turn patterns in messages into links; none can be added yet.
type Linkifiers struct {
	LinkifierList [][3]any `json:"realm_filters"` // pattern, address, id
}

// UserGroups are named groups of people; none can be made yet.
type UserGroups struct {
	Groups []struct{} `json:"realm_user_groups"` // named groups of people
}

// StopWords are what a search leaves out.
type StopWords struct {
	StopWordList []string `json:"stop_words"` // what a search leaves out
}

// VideoCalls say whether the caller is known to a provider of video calls that asks for that.
type VideoCalls struct {
	HasZoomToken bool `json:"has_zoom_token"` // whether the provider Zoom knows the caller
}

func readHotspots(_ context.Context, _ *reading, into *State) error {
	into.Hotspots = &Hotspots{[]struct{}{}}
	return nil
}

func readDomains(_ context.Context, _ *reading, into *State) error {
	into.Domains = &Domains{[]struct{}{}}
	return nil
}

func readEmoji(_ context.Context, _ *reading, into *State) error {
	into.Emoji = &Emoji{map[string]struct{}{}}
	return nil
}

func readLinkifiers(_ context.Context, _ *reading, into *State) error {
	into.Linkifiers = &Linkifiers{[][3]any{}}
	return nil
}

func readUserGroups(_ context.Context, _ *reading, into *State) error {
	into.UserGroups = &UserGroups{[]struct{}{}}
	return nil
}

func readStopWords(_ context.Context, _ *reading, into *State) error {
	into.StopWords = &StopWords{[]string{}}
	return nil
}

func readVideoCalls(_ context.Context, _ *reading, into *State) error {
	into.VideoCalls = &VideoCalls{}
	return nil
}
