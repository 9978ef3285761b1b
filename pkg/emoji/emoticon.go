package emoji

// Emoticon is a sequence of punctuation that stands for an emoji.
type Emoticon struct {
	// Text is the sequence.
	Text string
	// Name is the name of the emoji.
	Name string
}

// Emoticons returns the emoticons that are translated for senders who have turned this on (rest-api.md, section 7.6).
func Emoticons() []Emoticon {
	return []Emoticon{
		{":)", "smile"},
		{"(:", "smile"},
		{":(", "frown"},
		{"<3", "heart"},
		{":|", "neutral"},
		{":/", "confused"},
		{";)", "wink"},
		{":D", "grinning"},
		{":o", "open_mouth"},
		{":O", "open_mouth"},
		{":p", "stuck_out_tongue"},
		{":P", "stuck_out_tongue"},
	}
}

// ByEmoticon returns the name of the emoji that an emoticon stands for.
func ByEmoticon(text string) (name string, ok bool) {
	for _, e := range Emoticons() {
		if e.Text == text {
			return e.Name, true
		}
	}
	return "", false
}
