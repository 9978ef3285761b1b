package catalogue

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/text/language"
)

// longestHeader is how many bytes of a header Accept-Language are read. Browsers send some dozens.
const longestHeader = 1000

// Texts are what the server says in one language.
type Texts struct {
	// Code is the language, as in the setting default_language.
	Code string
	// RightToLeft says that lines begin at the right.
	RightToLeft bool
	Mail        Mail
	Pages       Pages
	// Refusals are, for texts of faults as they are declared in English, those of this language, with the same verbs. A verb has an
	// explicit index, such as %[2]s, where the order is another one. What is missing is said in English.
	Refusals map[string]string
}

//nolint:gochecknoglobals // a value that doesn't change
var all = sync.OnceValue(func() []Texts { return []Texts{english(), german()} })

//nolint:gochecknoglobals // a value that doesn't change
var matcher = sync.OnceValue(func() language.Matcher {
	known := make([]language.Tag, len(all()))
	for i, one := range all() {
		known[i] = language.Make(one.Code)
	}
	return language.NewMatcher(known)
})

// All returns the languages that the server speaks. The first is for those who speak none of them.
func All() []Texts { return slices.Clone(all()) }

// In returns the language with a code, or else the first one.
func In(code string) Texts {
	for _, one := range all() {
		if one.Code == code {
			return one
		}
	}
	return all()[0]
}

// Best returns the first of the wanted languages that the server speaks, or else English. Each of wanted is a code, such as de-at, a
// header Accept-Language, or empty.
func Best(wanted ...string) Texts {
	bounded := make([]string, 0, len(wanted))
	for _, one := range wanted {
		if len(one) <= longestHeader {
			bounded = append(bounded, one)
		}
	}
	_, found := language.MatchStrings(matcher(), bounded...)
	return all()[found]
}

// Direction is where lines begin, as HTML's attribute dir says it.
func (t Texts) Direction() string {
	if t.RightToLeft {
		return "rtl"
	}
	return "ltr"
}

// Refusal returns the text of a fault that is declared with an English one; empty: there is none.
func (t Texts) Refusal(declared string) string { return t.Refusals[declared] }

// Letter is what a mail says, with paragraphs before and after its button.
type Letter struct {
	Subject string
	Before  []string
	Button  string
	After   []string
}

// Mail is what mails say. Uri is the organization's address, org its name, and account the address of an account.
type Mail struct {
	OpenAddress string // above the address that the button leads to, for programs that show no buttons
	Unsubscribe string // a link that ends such mail
	Earlier     string // beside a message that is there for the reader to remember
	Hidden      string // in place of what a spoiler hides

	// Said is when something was said.
	Said func(at time.Time, twentyFourHours bool) string

	ConfirmAddress func(org, uri, account string) Letter
	AddressChanged func(org, uri, address string) Letter
	Founding       func(uri string) Letter
	NewAccount     func(org, uri, account string) Letter // of somebody who can sign in
	FirstPassword  func(org, uri, account, reset string) Letter
	NewLogin       func(org, uri, account, program, network string, at time.Time) Letter
	ResetPassword  func(org, uri, account string) Letter
	Invitation     func(org, uri, inviter, address string) Letter
	SignUp         func(org, uri string) Letter
	HasAccount     func(org, uri string) Letter // who signs up has one

	Missed Missed
	Digest Digest
}

// Missed is what mails about missed messages say.
type Missed struct {
	Conversation  func(names []string, more int) string // a private one, with some of its people and a number of further ones
	Subject       string                                // of a mail that doesn't say what about
	Conversations func(count int) string                // a subject
	Unread        func(messages int, uri string) string
	OrgForbids    string // what messages say
	YouForbid     string
	More          func(messages int) string // than the mail has
}

// Digest is what a mail says about what happened while somebody was away.
type Digest struct {
	Letter    func(org, uri string) Letter
	Topic     func(name string, messages int) string
	NewStream func(name, description string) string // description: empty where there is none
}

// Pages are what pages without script say.
type Pages struct {
	GoTo       func(org string) string // a link
	SignInAt   func(uri string) string
	Welcome    string
	Failed     string // something went wrong at the server
	Email      string
	FullName   string
	SignInAs   string
	Password   string
	Hint       string // what passwords are good
	AskForLink string
	SendLink   string
	SendAgain  string
	Look       string // into the mail, for a link

	Confirm     ConfirmPage
	Reset       ResetPages
	Join        JoinPages
	Found       FoundPages
	Unsubscribe UnsubscribePage
	Providers   ProviderPages
}

// ConfirmPage is where somebody confirms a new address.
type ConfirmPage struct {
	Title, Lost, Button, Done, DoneText string
	Text                                func(email string) string
}

// ResetPages are where somebody gets a new password.
type ResetPages struct {
	Ask, Sent                                 string
	Title, Lost, Text, Password, Button, Done string
}

// JoinPages are where somebody joins an organization.
type JoinPages struct {
	Title, Button  string
	Sent, LinkLost string // of a link for anybody
	Lost           string // of an invitation
}

// FoundPages are where somebody signs up an organization.
type FoundPages struct {
	Title, Sent, Lost, Text, Button string
	Name, Subdomain                 string
	SubdomainHint                   func(example string) string
	Done                            func(address string) string
	Go                              string
}

// UnsubscribePage is where somebody ends mail.
type UnsubscribePage struct {
	Title, Button, Done, DoneText string
	// Text says that mail to an account about something ends: some of what follows.
	Text                      func(account string, about []string) string
	Personal, Streams, Digest string
}

// ProviderPages are on the way to identity providers and back.
type ProviderPages struct {
	Title                       string // of a failure
	SignedIn                    func(email string) string
	Continue, MakeAccount, Back string
}
