package catalogue

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/text/language"
)

// maxHeader is the maximum length of a header Accept-Language in bytes. Browsers send some dozens.
const maxHeader = 1000

// Texts are the texts of the server in one language.
type Texts struct {
	// Code is the language, as in the setting default_language.
	Code string
	// RightToLeft says that the language is written from right to left.
	RightToLeft bool
	// TwentyFourHours says that times are usually written as 17:00, and not as 5:00 PM.
	TwentyFourHours bool
	Mail            Mail
	Pages           Pages
	Notices         Notices
	// Refusals maps the English texts of faults, as declared, to translations with the same verbs. If the order of the verbs differs,
	// they have explicit indexes, such as %[2]s. Texts without a translation stay in English.
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

// All returns the texts in all languages. The first is the default.
func All() []Texts { return slices.Clone(all()) }

// In returns the texts in the language with a code, or else those in the default language.
func In(code string) Texts {
	for _, one := range all() {
		if one.Code == code {
			return one
		}
	}
	return all()[0]
}

// Best returns the texts in the first of the wanted languages that exists, or else in English. Each of wanted is a code, such as de-at,
// a header Accept-Language, or empty.
func Best(wanted ...string) Texts {
	bounded := make([]string, 0, len(wanted))
	for _, one := range wanted {
		if len(one) <= maxHeader {
			bounded = append(bounded, one)
		}
	}
	_, found := language.MatchStrings(matcher(), bounded...)
	return all()[found]
}

// Direction returns the value of the HTML attribute dir.
func (t Texts) Direction() string {
	if t.RightToLeft {
		return "rtl"
	}
	return "ltr"
}

// Refusal returns the translation of the English text of a fault, or "" if there is none.
func (t Texts) Refusal(declared string) string { return t.Refusals[declared] }

// Letter is the text of a mail, with paragraphs before and after its button.
type Letter struct {
	Subject string
	Before  []string
	Button  string
	After   []string
}

// Mail has the texts of mails. In parameters, uri is the organization's address, org its name, and account the address of an account.
type Mail struct {
	OpenAddress string // above the address that the button leads to, for programs that show no buttons
	Unsubscribe string // a link that ends such mail
	ReplyAbove  string // the first line of mail that can be answered: programs quote it, and an answer is cut there
	Earlier     string // with an earlier message that is shown as context
	Hidden      string // in place of the hidden text of a spoiler

	// Said returns the time of a message.
	Said func(at time.Time, twentyFourHours bool) string

	ConfirmAddress func(org, uri, account string) Letter
	AddressChanged func(org, uri, address string) Letter
	NewOrg         func(uri string) Letter
	NewAccount     func(org, uri, account string) Letter // of a person who can sign in
	FirstPassword  func(org, uri, account, reset string) Letter
	NewLogin       func(org, uri, account, program, network string, at time.Time) Letter
	NewPassword    func(org, uri, account string, at time.Time) Letter // of a person who had one
	ResetPassword  func(org, uri, account string) Letter
	Invitation     func(org, uri, inviter, person string) Letter // person: the inviter's name, and the address unless it is hidden
	SignUp         func(org, uri string) Letter
	HasAccount     func(org, uri string) Letter // to a person who signs up but has an account

	Missed Missed
	Digest Digest
}

// Missed has the texts of mails about missed messages.
type Missed struct {
	Conversation  func(names []string, more int) string // private; some of its participants and the number of the others
	Subject       string                                // of a mail without details
	Conversations func(count int) string                // a subject
	Unread        func(messages int, uri string) string
	OrgForbids    string // to show the content of messages
	YouForbid     string
	More          func(messages int) string // than the mail shows
}

// Digest has the texts of a mail that summarizes recent activity.
type Digest struct {
	Letter    func(org, uri string) Letter
	Topic     func(name string, messages int) string
	NewStream func(name, description string) string // description may be empty
}

// Pages has the texts of pages without scripts.
type Pages struct {
	GoTo       func(org string) string // a link
	SignInAt   func(uri string) string
	SignInSoon string // instead, while too many people are signing in
	Welcome    string
	Failed     string // an internal error
	Email      string
	FullName   string
	SignInAs   string
	Password   string
	Hint       string // how to choose a good password
	AskForLink string
	SendLink   string
	SendAgain  string
	Look       string // asks the reader to open the link in a mail

	Confirm     ConfirmPage
	Reset       ResetPages
	Join        JoinPages
	NewOrg      NewOrgPages
	Unsubscribe UnsubscribePage
	Providers   ProviderPages
	Unknown     UnknownPage
}

// UnknownPage has the texts of the page for an address at which there is none.
type UnknownPage struct {
	Title, Text string
	Go          string // a link to the web client
}

// ConfirmPage has the texts of the page for confirming a new address.
type ConfirmPage struct {
	Title, Lost, Button, Done, DoneText string
	Text                                func(email string) string
}

// ResetPages has the texts of the pages for resetting a password.
type ResetPages struct {
	Ask, Sent                                 string
	Title, Lost, Text, Password, Button, Done string
}

// JoinPages has the texts of the pages for joining an organization.
type JoinPages struct {
	Title, Button  string
	Sent, LinkLost string // of a link for anybody
	Lost           string // of an invitation
	NoPassword     string // in place of a field for one
}

// NewOrgPages has the texts of the pages for signing up an organization.
type NewOrgPages struct {
	Title, Sent, Lost, Text, Button string
	Name, Subdomain                 string
	SubdomainHint                   func(example string) string
	Done                            func(address string) string
	Go                              string
	Enter, EnterLost                string // of the page behind that link, which signs the owner in
}

// UnsubscribePage has the texts of the page for unsubscribing from mail.
type UnsubscribePage struct {
	Title, Button, Done, DoneText string
	// Text says that the account gets no more mail about these subjects, each one of the following texts.
	Text                      func(account string, about []string) string
	Personal, Streams, Digest string
}

// ProviderPages has the texts of the pages for signing in with an identity provider.
type ProviderPages struct {
	Title                       string // of a failure
	SignedIn                    func(email string) string
	Continue, MakeAccount, Back string
}
