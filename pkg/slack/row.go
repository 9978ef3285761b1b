package slack

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/archive"
)

// userRow is an account.
type userRow struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	RealName      string  `json:"real_name"`
	Deleted       bool    `json:"deleted"`
	Timezone      string  `json:"tz"`
	IsBot         bool    `json:"is_bot"`
	IsOwner       bool    `json:"is_owner"`
	IsAdmin       bool    `json:"is_admin"`
	IsRestricted  bool    `json:"is_restricted"`       // a guest
	IsSingleGuest bool    `json:"is_ultra_restricted"` // a guest in one channel
	Profile       profile `json:"profile"`
}

// profile is the profile of an account.
type profile struct {
	RealName      string `json:"real_name"`
	DisplayName   string `json:"display_name"`
	Email         string `json:"email"`
	BotID         string `json:"bot_id"` // the id in messages of the bot, in place of the account's
	ImageOriginal string `json:"image_original"`
	Image512      string `json:"image_512"`
	CustomImage   bool   `json:"is_custom_image"`
}

// placeRow is a channel or a conversation.
type placeRow struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Created    int64    `json:"created"`
	IsArchived bool     `json:"is_archived"`
	IsGeneral  bool     `json:"is_general"`
	Members    []string `json:"members"`
	Topic      value    `json:"topic"`
	Purpose    value    `json:"purpose"`
}

type value struct {
	Value string `json:"value"`
}

// messageRow is a message or another event in a channel.
type messageRow struct {
	Type        string       `json:"type"`
	Subtype     string       `json:"subtype"`
	User        string       `json:"user"`
	BotID       string       `json:"bot_id"`
	Username    string       `json:"username"` // of a bot, for this message
	Text        string       `json:"text"`
	TS          stamp        `json:"ts"`
	ThreadTS    stamp        `json:"thread_ts"`
	Edited      *edited      `json:"edited"`
	Reactions   []reaction   `json:"reactions"`
	Files       []file       `json:"files"`
	File        *file        `json:"file"` // of older messages
	Attachments []attachment `json:"attachments"`
	Blocks      []block      `json:"blocks"`
	Comment     *comment     `json:"comment"` // of an older message about a file
	BotProfile  struct {
		Name string `json:"name"`
	} `json:"bot_profile"`
	UserProfile struct { // of a sender who may not be in users.json
		RealName string `json:"real_name"`
		Name     string `json:"name"`
	} `json:"user_profile"`
}

type edited struct {
	TS stamp `json:"ts"`
}

type comment struct {
	User    string `json:"user"`
	Comment string `json:"comment"`
}

type reaction struct {
	Name  string   `json:"name"`
	Users []string `json:"users"`
}

// file is an uploaded file, or a link to one elsewhere.
type file struct {
	ID       string `json:"id"`
	Created  int64  `json:"created"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	User     string `json:"user"`
	Size     int64  `json:"size"`
	Mode     string `json:"mode"`        // hosted, snippet, external, tombstone, hidden_by_limit and others
	Access   string `json:"file_access"` // visible, access_denied, file_not_found and others
	URL      string `json:"url_private"`
	Download string `json:"url_private_download"`
}

// attachment is an addition to a bot's message, or the preview of a link.
type attachment struct {
	Fallback  string  `json:"fallback"`
	Pretext   string  `json:"pretext"`
	Author    string  `json:"author_name"`
	Title     string  `json:"title"`
	TitleLink string  `json:"title_link"`
	Text      string  `json:"text"`
	Fields    []field `json:"fields"`
	Image     string  `json:"image_url"`
	FromURL   string  `json:"from_url"` // of a preview
	IsMessage bool    `json:"is_msg_unfurl"`
	Blocks    []block `json:"blocks"`
}

type field struct {
	Title string `json:"title"`
	Value string `json:"value"`
}

// block is a part of a message. Messages from people have a text in addition to blocks, messages from bots may not.
type block struct {
	Type     string    `json:"type"`
	Text     blockText `json:"text"`
	Fields   []phrase  `json:"fields"`
	Elements []phrase  `json:"elements"` // of context
	Image    string    `json:"image_url"`
	Alt      string    `json:"alt_text"`
}

type phrase struct {
	Text blockText `json:"text"`
}

// blockText is a text or an object with one.
type blockText string

// UnmarshalJSON implements [json.Unmarshaler]. It treats other values as empty.
func (t *blockText) UnmarshalJSON(raw []byte) error {
	plain, object := "", struct {
		Text string `json:"text"`
	}{}
	if json.Unmarshal(raw, &plain) != nil {
		_ = json.Unmarshal(raw, &object) // as above
		plain = object.Text
	}
	*t = blockText(plain)
	return nil
}

// stamp is the time of a message in microseconds since 1970. It also identifies messages in a channel. 0: there is
// none.
type stamp int64

// UnmarshalJSON implements [json.Unmarshaler]. It accepts a text or a number in seconds. Other values, and times
// after the year 9999, become 0.
func (s *stamp) UnmarshalJSON(raw []byte) error {
	whole, fraction, _ := strings.Cut(strings.Trim(string(raw), `"`), ".")
	seconds, err := strconv.ParseUint(whole, 10, 63)
	micros, wrong := strconv.ParseUint((fraction + "000000")[:6], 10, 63)
	if *s = 0; err == nil && wrong == nil && seconds <= lastSecond {
		*s = stamp(seconds*1e6 + micros)
	}
	return nil
}

// lastSecond is the last second of the year 9999.
const lastSecond = 253402300799

func (s stamp) time() archive.Time { return archive.Time{Time: time.UnixMicro(int64(s)).UTC()} }

// seconds converts a time in seconds to one of an archive. Invalid times become 1970.
func seconds(n int64) archive.Time {
	if n < 0 || n > lastSecond {
		n = 0
	}
	return stamp(n * 1e6).time()
}

// decode decodes a row. It ignores members of invalid types. odd reports whether there are any.
func decode(raw json.RawMessage, row any) (odd bool, err error) {
	err = json.Unmarshal(raw, row)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return true, nil
	}
	return false, err
}

// size returns the approximate size of a message in memory, in bytes.
func (m *messageRow) size() int {
	n := 500 + len(m.Text) + 200*len(m.Files)
	for _, a := range m.Attachments {
		n += 300 + len(a.Text) + len(a.Pretext) + len(a.Fallback)
		for _, f := range a.Fields {
			n += len(f.Value)
		}
	}
	for _, r := range m.Reactions {
		n += 30 * len(r.Users)
	}
	for _, b := range m.Blocks {
		n += len(b.Text) + 100*(len(b.Elements)+len(b.Fields))
	}
	return min(n, math.MaxInt32)
}
