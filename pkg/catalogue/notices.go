package catalogue

// Notice says something in the language of texts, as Markdown.
type Notice func(in Texts) string

// StreamNotice says something in a topic of a stream in the language of texts. The text is Markdown.
type StreamNotice func(in Texts) (topic, text string)

// Notices has the texts of the notification bot's messages, which are Markdown except for topics. In parameters, who is the mention of a
// person; streams, topics and bots are Markdown that shows them.
type Notices struct {
	NewStreams   string // topic of announcements of new streams
	StreamEvents string // topic of messages about a stream, in the stream itself
	Signups      string // topic of messages about new accounts

	StreamsCreated func(who string, streams []string, more int) string // an announcement; more is the number of further streams
	StreamCreated  func(who string) string                             // in the stream itself
	StreamRenamed  func(who, before, after string) string
	Subscribed     func(who string, streams []string, more int) string // to a person whom who has subscribed

	AMessage, Messages, ThisTopic string // what was moved
	MovedHere                     func(who, what, from string) string
	MovedAway                     func(who, what, to string) string

	SignedUp func(who string, people int) string // people is the number of all people
	Welcome  string                              // to a new account
	Accepted func(who string) string             // to the person who invited who

	NotSent func(at, why string) string // a scheduled message; at is a time as Markdown

	// To the owner of a bot, about a message or a request of it.
	StreamByID    func(stream string) string // a stream, in the next two
	NoStream      func(bot, stream string) string
	NoSubscribers func(bot, stream string) string
	NotJSON       func(bot, integration string) string
	TooLarge      func(bot, integration string) string
	NoHeader      func(bot, integration, header string) string // the request lacks it
	NoMessage     func(bot, integration string) string         // the payload has nothing that a message could be made of
}
