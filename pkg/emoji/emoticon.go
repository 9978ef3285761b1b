package emoji

// Emoticon is a way to type an emoji with punctuation.
type Emoticon struct {
	// Text is what is typed.
	Text string
	// Name is the name of the emoji that it stands for.
	Name string
}

// Emoticons lists the emoticons that are translated for senders who want it (rest-api.md,
// section 7.6).
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
