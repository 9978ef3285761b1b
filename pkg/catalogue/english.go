package catalogue

import (
	"fmt"
	"strings"
	"time"
)

func english() Texts {
	return Texts{
		Code: "en",
		Mail: Mail{
			OpenAddress: "Or open this address in a browser:",
			Unsubscribe: "End these mails",
			ReplyAbove:  "Reply above this line",
			Earlier:     "earlier",
			Hidden:      "(hidden: it is shown where the message is)",

			Said: func(at time.Time, twentyFourHours bool) string {
				if twentyFourHours {
					return at.Format("15:04 on 2 January")
				}
				return at.Format("3:04 PM on 2 January")
			},

			ConfirmAddress: func(org, uri, account string) Letter {
				return Letter{
					Subject: "Confirm your new address for " + org,
					Before:  []string{"Somebody, probably you, wants to use this address for the account " + account + " at " + uri + "."},
					Button:  "Confirm the address",
					After:   []string{"The link works once, and for a day. If you didn't ask for it, do nothing."},
				}
			},
			AddressChanged: func(org, uri, address string) Letter {
				return Letter{
					Subject: "Your address for " + org + " has changed",
					Before: []string{
						"The address of your account at " + uri + " is now " + address + ".",
						"If it wasn't you who changed it, write to an administrator of " + org + " at once.",
					},
				}
			},
			NewOrg: func(uri string) Letter {
				return Letter{
					Subject: "Your new organization",
					Before:  []string{"Somebody, probably you, wants to sign up an organization at " + uri + " with this address."},
					Button:  "Sign it up",
					After:   []string{"The link works once, and for a day. If you didn't ask for it, do nothing."},
				}
			},
			NewAccount: func(org, uri, account string) Letter {
				return Letter{
					Subject: "Your account for " + org,
					Before:  []string{"You have an account at " + uri + " now, with the address " + account + "."},
					Button:  "Log in",
				}
			},
			FirstPassword: func(org, uri, account, reset string) Letter {
				return Letter{
					Subject: "Your account for " + org,
					Before:  []string{"You have an account at " + uri + " now, with the address " + account + "."},
					Button:  "Choose a password",
					After:   []string{"The link works once, and for ten days. After that, have another sent to you at " + reset + "."},
				}
			},
			NewLogin: func(org, uri, account, program, network string, at time.Time) Letter {
				return Letter{
					Subject: "New login to " + org,
					Before: []string{
						"A program has signed in as " + account + " at " + uri + ":",
						fmt.Sprintf("%s, from %s, at %s.", program, network, at.UTC().Format("15:04 on 2 January 2006 (UTC)")),
						"If that was you, all is well. If not, reset your password, which ends all logins:",
					},
					Button: "Reset the password",
					After:  []string{"These mails end when you switch off the setting enable_login_emails."},
				}
			},
			NewPassword: func(org, uri, account string, at time.Time) Letter {
				return Letter{
					Subject: "Your password for " + org + " was changed",
					Before: []string{
						"The password of your account " + account + " at " + uri + " was changed at " + at.UTC().Format("15:04 on 2 January 2006 (UTC)") + ".",
						"If that was you, all is well. If not, reset the password, which ends all logins:",
					},
					Button: "Reset the password",
				}
			},
			ResetPassword: func(org, uri, account string) Letter {
				return Letter{
					Subject: "Reset your password for " + org,
					Before:  []string{"Somebody, probably you, wants to reset the password of your account " + account + " at " + uri + "."},
					Button:  "Choose a new password",
					After:   []string{"The link works once, and for a day. If you didn't ask for it, do nothing: your password stays as it is."},
				}
			},
			Invitation: func(org, uri, inviter, person string) Letter {
				return Letter{
					Subject: inviter + " invites you to " + org,
					Before:  []string{fmt.Sprintf("%s invites you to join %s, where its people talk and work together: %s", person, org, uri)},
					Button:  "Join " + org,
					After:   []string{"The link is for you alone. It works once, and for 10 days."},
				}
			},
			SignUp: func(org, uri string) Letter {
				return Letter{
					Subject: "Join " + org,
					Before:  []string{"Somebody, probably you, wants to join " + org + " at " + uri + " with this address."},
					Button:  "Join " + org,
					After:   []string{"The link works once, and for 10 days. If you didn't ask for it, do nothing."},
				}
			},
			HasAccount: func(org, uri string) Letter {
				return Letter{
					Subject: "Join " + org,
					Before: []string{
						"Somebody, probably you, wants to join " + org + " with this address. You have an account there already: sign in at " + uri + ".",
					},
					Button: "If you have forgotten the password, reset it",
				}
			},

			Missed: Missed{
				Conversation: func(names []string, more int) string {
					title := "Private messages with " + strings.Join(names, ", ")
					if more > 0 {
						title += fmt.Sprintf(" and %d others", more)
					}
					return title
				},
				Subject:       "New messages",
				Conversations: func(count int) string { return fmt.Sprintf("Messages in %d conversations", count) },
				Unread: func(messages int, uri string) string {
					if messages == 1 {
						return "There is a message that you haven't read at " + uri + "."
					}
					return fmt.Sprintf("There are %d messages that you haven't read at %s.", messages, uri)
				},
				OrgForbids: "What they say isn't sent by mail, as your organization has decided.",
				YouForbid:  "What they say isn't sent by mail, as you have decided (message_content_in_email_notifications).",
				More:       func(messages int) string { return fmt.Sprintf("%d more messages aren't in this mail.", messages) },
			},
			Digest: Digest{
				Letter: func(org, uri string) Letter {
					return Letter{Subject: "While you were away from " + org, Before: []string{"This happened at " + uri + " in the last days."}}
				},
				Topic: func(name string, messages int) string {
					if messages == 1 {
						return name + " (one message)"
					}
					return fmt.Sprintf("%s (%d messages)", name, messages)
				},
				NewStream: func(name, description string) string { return "New stream: #" + name + inBrackets(description) },
			},
		},
		Notices: Notices{
			NewStreams:   "new streams",
			StreamEvents: "stream events",
			Signups:      "signups",

			StreamsCreated: func(who string, streams []string, more int) string {
				switch {
				case more > 0:
					return fmt.Sprintf("%s created the following streams: %s and %d more.", who, strings.Join(streams, ", "), more)
				case len(streams) == 1:
					return fmt.Sprintf("%s created a new stream %s.", who, streams[0])
				default:
					return fmt.Sprintf("%s created the following streams: %s.", who, strings.Join(streams, ", "))
				}
			},
			StreamCreated: func(who string) string { return fmt.Sprintf("Stream created by %s.", who) },
			StreamRenamed: func(who, before, after string) string {
				return fmt.Sprintf("%s renamed stream %s to %s.", who, before, after)
			},
			Subscribed: func(who string, streams []string, more int) string {
				switch {
				case more > 0:
					return fmt.Sprintf("%s subscribed you to the following streams:\n\n* %s\n* and %d more", who, strings.Join(streams, "\n* "), more)
				case len(streams) == 1:
					return fmt.Sprintf("%s subscribed you to the stream %s.", who, streams[0])
				default:
					return fmt.Sprintf("%s subscribed you to the following streams:\n\n* %s", who, strings.Join(streams, "\n* "))
				}
			},

			AMessage:  "a message",
			Messages:  "messages",
			ThisTopic: "this topic",
			MovedHere: func(who, what, from string) string { return fmt.Sprintf("%s moved %s here from %s.", who, what, from) },
			MovedAway: func(who, what, to string) string { return fmt.Sprintf("%s moved %s to %s.", who, what, to) },

			SignedUp: func(who string, people int) string {
				return fmt.Sprintf("%s just signed up. (total: **%d**)", who, people)
			},
			Welcome:  "Welcome! Every message in a stream has a topic. Choose a stream and a topic, and say hello.",
			Accepted: func(who string) string { return who + " accepted your invitation to join!" },

			NotSent: func(at, why string) string { return fmt.Sprintf("Your message for %s wasn't sent: %s", at, why) },

			StreamByID: func(stream string) string { return "the stream with the ID " + stream },
			NoStream: func(bot, stream string) string {
				return fmt.Sprintf("Your bot %s tried to send a message to %s, but it does not exist ([create a stream](#streams/new)).", bot, stream)
			},
			NoSubscribers: func(bot, stream string) string {
				return fmt.Sprintf("Your bot %s tried to send a message to %s, but nobody is subscribed to it.", bot, stream)
			},
			NotJSON: func(bot, integration string) string {
				return fmt.Sprintf("Your bot %s got a request for the integration %s that is not JSON. "+
					"Please check what the sender is configured to send, and where.", bot, integration)
			},
			TooLarge: func(bot, integration string) string {
				return fmt.Sprintf("Your bot %s got a request for the integration %s that is larger than 1 MiB, so there is no message about it. "+
					"Please have the sender report less at a time, if it can.", bot, integration)
			},
			NoHeader: func(bot, integration, header string) string {
				return fmt.Sprintf("Your bot %s got a request for the integration %s that lacks the header %s, which says what the request reports. "+
					"Please check what the sender is configured to send, and where.", bot, integration, header)
			},
			NoMessage: func(bot, integration string) string {
				return fmt.Sprintf("Your bot %s got a request for the integration %s that lacks what a message is made of. "+
					"Please check what the sender is configured to send, and where.", bot, integration)
			},
		},
		Pages: Pages{
			GoTo:       func(org string) string { return "Go to " + org },
			SignInAt:   func(uri string) string { return "Sign in with your program at " + uri + "." },
			SignInSoon: "Too many people are signing in at the moment. Sign in with your password in a few seconds.",
			Welcome:    "Welcome",
			Failed:     "Something went wrong here. Try again in a few seconds.",
			Email:      "Your email address",
			FullName:   "Your name",
			SignInAs:   "You sign in as",
			Password:   "A password, hard to guess",
			Hint:       "Several words that nobody would expect together are hard to guess, and easy to remember.",
			AskForLink: "We send you a link to go on with.",
			SendLink:   "Send the link",
			SendAgain:  "Send another link",
			Look:       "Look into your mail",

			Confirm: ConfirmPage{
				Title:    "Confirm your new address",
				Lost:     "If your address hasn’t changed, ask for another link in the settings of your account.",
				Text:     func(email string) string { return "From now on you sign in as " + email + "." },
				Button:   "Confirm",
				Done:     "Your address has changed",
				DoneText: "From now on you sign in with it.",
			},
			Reset: ResetPages{
				Ask:      "Reset your password",
				Sent:     "If there is an account with this address, a link is on its way to it. It works for a day.",
				Title:    "Choose a new password",
				Lost:     "Have another one sent to you.",
				Text:     "All programs that signed in with the password before are signed out.",
				Password: "New password, hard to guess",
				Button:   "Set the password",
				Done:     "Your password is set",
			},
			Join: JoinPages{
				Title:    "Join",
				Button:   "Join",
				Sent:     "A link to join is on its way to you.",
				LinkLost: "Ask whoever sent it to you for another one.",
				Lost:     "If you have joined already, sign in. Otherwise ask whoever invited you for another invitation.",

				NoPassword: "You need no password: you sign in by the organization’s identity provider, where this has to be your address.",
			},
			NewOrg: NewOrgPages{
				Title:         "Sign up an organization",
				Sent:          "A link is on its way to you. It works for a day.",
				Lost:          "If you haven’t signed it up yet, have another one sent to you.",
				Text:          "You are going to be its owner.",
				Button:        "Sign up",
				Name:          "The organization's name",
				Subdomain:     "Its name in the address",
				SubdomainHint: func(example string) string { return "Lowercase letters, numbers and hyphens: " + example },
				Done:          func(address string) string { return "Your organization is at " + address + "." },
				Go:            "Go there",
				Enter:         "Sign in",
				EnterLost:     "Sign in with your address and the password that you chose.",
			},
			Unknown: UnknownPage{
				Title: "There is no such page",
				Text:  "Its address may be mistyped, or the page may be gone.",
				Go:    "Go to the messages",
			},
			Unsubscribe: UnsubscribePage{
				Title:    "End these mails",
				Button:   "End them",
				Done:     "These mails end",
				DoneText: "Your program's settings of notifications can have them sent again.",
				Text: func(account string, about []string) string {
					return "No more mail to " + account + " about " + strings.Join(about, ", and ") + "."
				},
				Personal: "private messages and mentions",
				Streams:  "messages of the streams that the mail was about",
				Digest:   "what happened while you were away",
			},
			Providers: ProviderPages{
				Title:       "Signing in failed",
				SignedIn:    func(email string) string { return "You are signed in as " + email + "." },
				Continue:    "Continue",
				MakeAccount: "Make an account",
				Back:        "Back to signing in",
			},
		},
	}
}

// inBrackets returns a text in brackets, to be added to a name.
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
