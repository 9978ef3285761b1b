package catalogue

import (
	"fmt"
	"strings"
	"time"
)

func german() Texts {
	return Texts{
		Code: "de", TwentyFourHours: true,
		Refusals: germanRefusals(),
		Mail: Mail{
			OpenAddress: "Oder öffne diese Adresse in einem Browser:",
			Unsubscribe: "Diese E-Mails abbestellen",
			ReplyAbove:  "Antworten bitte über diese Zeile schreiben",
			Earlier:     "früher",
			Hidden:      "(verborgen: dort zu sehen, wo die Nachricht steht)",

			Said: func(at time.Time, twentyFourHours bool) string {
				clock := "3:04 PM"
				if twentyFourHours {
					clock = "15:04 Uhr"
				}
				return germanDay(at) + ", " + at.Format(clock)
			},

			ConfirmAddress: func(org, uri, account string) Letter {
				return Letter{
					Subject: "Bestätige deine neue Adresse für " + org,
					Before:  []string{"Jemand, vermutlich du, möchte diese Adresse für das Konto " + account + " auf " + uri + " verwenden."},
					Button:  "Adresse bestätigen",
					After:   []string{"Der Link gilt einmal und einen Tag lang. Wenn du nicht darum gebeten hast, brauchst du nichts zu tun."},
				}
			},
			AddressChanged: func(org, uri, address string) Letter {
				return Letter{
					Subject: "Deine Adresse für " + org + " wurde geändert",
					Before: []string{
						"Die Adresse deines Kontos auf " + uri + " ist jetzt " + address + ".",
						"Wenn nicht du sie geändert hast, schreib sofort jemandem, der " + org + " verwaltet.",
					},
				}
			},
			NewOrg: func(uri string) Letter {
				return Letter{
					Subject: "Deine neue Organisation",
					Before:  []string{"Jemand, vermutlich du, möchte mit dieser Adresse auf " + uri + " eine Organisation anlegen."},
					Button:  "Organisation anlegen",
					After:   []string{"Der Link gilt einmal und einen Tag lang. Wenn du nicht darum gebeten hast, brauchst du nichts zu tun."},
				}
			},
			NewAccount: func(org, uri, account string) Letter {
				return Letter{
					Subject: "Dein Konto für " + org,
					Before:  []string{"Du hast jetzt ein Konto auf " + uri + ", mit der Adresse " + account + "."},
					Button:  "Anmelden",
				}
			},
			FirstPassword: func(org, uri, account, reset string) Letter {
				return Letter{
					Subject: "Dein Konto für " + org,
					Before:  []string{"Du hast jetzt ein Konto auf " + uri + ", mit der Adresse " + account + "."},
					Button:  "Passwort wählen",
					After:   []string{"Der Link gilt einmal und zehn Tage lang. Danach bekommst du einen neuen auf " + reset + "."},
				}
			},
			NewLogin: func(org, uri, account, program, network string, at time.Time) Letter {
				at = at.UTC()
				return Letter{
					Subject: "Neue Anmeldung bei " + org,
					Before: []string{
						"Ein Programm hat sich als " + account + " auf " + uri + " angemeldet:",
						fmt.Sprintf("%s, von %s, am %s %d um %s Uhr (UTC).", program, network, germanDay(at), at.Year(), at.Format("15:04")),
						"Wenn du das warst, ist alles in Ordnung. Wenn nicht, setz dein Passwort zurück; das beendet alle Anmeldungen:",
					},
					Button: "Passwort zurücksetzen",
					After:  []string{"Diese E-Mails enden, wenn du die Einstellung enable_login_emails ausschaltest."},
				}
			},
			NewPassword: func(org, uri, account string, at time.Time) Letter {
				at = at.UTC()
				return Letter{
					Subject: "Dein Passwort für " + org + " wurde geändert",
					Before: []string{
						fmt.Sprintf("Das Passwort deines Kontos %s auf %s wurde am %s %d um %s Uhr (UTC) geändert.", account, uri, germanDay(at), at.Year(), at.Format("15:04")),
						"Wenn du das warst, ist alles in Ordnung. Wenn nicht, setz das Passwort zurück; das beendet alle Anmeldungen:",
					},
					Button: "Passwort zurücksetzen",
				}
			},
			ResetPassword: func(org, uri, account string) Letter {
				return Letter{
					Subject: "Passwort für " + org + " zurücksetzen",
					Before:  []string{"Jemand, vermutlich du, möchte das Passwort deines Kontos " + account + " auf " + uri + " zurücksetzen."},
					Button:  "Neues Passwort wählen",
					After: []string{
						"Der Link gilt einmal und einen Tag lang. Wenn du nicht darum gebeten hast, brauchst du nichts zu tun: Dein Passwort bleibt, wie es ist.",
					},
				}
			},
			Invitation: func(org, uri, inviter, person string) Letter {
				return Letter{
					Subject: inviter + " lädt dich zu " + org + " ein",
					Before: []string{
						fmt.Sprintf("%s lädt dich zu %s ein. Dort spricht und arbeitet man miteinander: %s", person, org, uri),
					},
					Button: org + " beitreten",
					After:  []string{"Der Link ist nur für dich. Er gilt einmal und 10 Tage lang."},
				}
			},
			SignUp: func(org, uri string) Letter {
				return Letter{
					Subject: org + " beitreten",
					Before:  []string{"Jemand, vermutlich du, möchte mit dieser Adresse " + org + " auf " + uri + " beitreten."},
					Button:  org + " beitreten",
					After:   []string{"Der Link gilt einmal und 10 Tage lang. Wenn du nicht darum gebeten hast, brauchst du nichts zu tun."},
				}
			},
			HasAccount: func(org, uri string) Letter {
				return Letter{
					Subject: org + " beitreten",
					Before: []string{
						"Jemand, vermutlich du, möchte mit dieser Adresse " + org + " beitreten. Du hast dort schon ein Konto: Melde dich auf " + uri + " an.",
					},
					Button: "Wenn du das Passwort vergessen hast, setz es zurück",
				}
			},

			Missed: Missed{
				Conversation: func(names []string, more int) string {
					title := "Private Nachrichten mit " + strings.Join(names, ", ")
					if more > 0 {
						title += fmt.Sprintf(" und %d weiteren", more)
					}
					return title
				},
				Subject:       "Neue Nachrichten",
				Conversations: func(count int) string { return fmt.Sprintf("Nachrichten in %d Unterhaltungen", count) },
				Unread: func(messages int, uri string) string {
					if messages == 1 {
						return "Auf " + uri + " wartet eine ungelesene Nachricht."
					}
					return fmt.Sprintf("Auf %[2]s warten %[1]d ungelesene Nachrichten.", messages, uri)
				},
				OrgForbids: "Ihr Inhalt wird nicht per E-Mail verschickt. So hat es deine Organisation festgelegt.",
				YouForbid:  "Ihr Inhalt wird nicht per E-Mail verschickt. So hast du es festgelegt (message_content_in_email_notifications).",
				More: func(messages int) string {
					return fmt.Sprintf("%d weitere Nachrichten stehen nicht in dieser E-Mail.", messages)
				},
			},
			Digest: Digest{
				Letter: func(org, uri string) Letter {
					return Letter{Subject: "Während du nicht bei " + org + " warst", Before: []string{"Das ist in den letzten Tagen auf " + uri + " passiert."}}
				},
				Topic: func(name string, messages int) string {
					if messages == 1 {
						return name + " (eine Nachricht)"
					}
					return fmt.Sprintf("%s (%d Nachrichten)", name, messages)
				},
				NewStream: func(name, description string) string { return "Neuer Stream: #" + name + inBrackets(description) },
			},
		},
		Notices: Notices{
			NewStreams:   "neue Streams",
			StreamEvents: "Änderungen am Stream",
			Signups:      "neue Konten",

			StreamsCreated: func(who string, streams []string, more int) string {
				switch {
				case more > 0:
					return fmt.Sprintf("%s hat diese Streams angelegt: %s und %d weitere.", who, strings.Join(streams, ", "), more)
				case len(streams) == 1:
					return fmt.Sprintf("%s hat den Stream %s angelegt.", who, streams[0])
				default:
					return fmt.Sprintf("%s hat diese Streams angelegt: %s.", who, strings.Join(streams, ", "))
				}
			},
			StreamCreated: func(who string) string { return who + " hat diesen Stream angelegt." },
			StreamRenamed: func(who, before, after string) string {
				return fmt.Sprintf("%s hat den Stream %s in %s umbenannt.", who, before, after)
			},
			Subscribed: func(who string, streams []string, more int) string {
				switch {
				case more > 0:
					return fmt.Sprintf("%s hat dich zu diesen Streams hinzugefügt:\n\n* %s\n* und %d weitere", who, strings.Join(streams, "\n* "), more)
				case len(streams) == 1:
					return fmt.Sprintf("%s hat dich zum Stream %s hinzugefügt.", who, streams[0])
				default:
					return fmt.Sprintf("%s hat dich zu diesen Streams hinzugefügt:\n\n* %s", who, strings.Join(streams, "\n* "))
				}
			},

			AMessage:  "eine Nachricht",
			Messages:  "Nachrichten",
			ThisTopic: "dieses Thema",
			MovedHere: func(who, what, from string) string {
				return fmt.Sprintf("%s hat %s aus %s hierher verschoben.", who, what, from)
			},
			MovedAway: func(who, what, to string) string { return fmt.Sprintf("%s hat %s nach %s verschoben.", who, what, to) },

			SignedUp: func(who string, people int) string {
				return fmt.Sprintf("%s ist jetzt dabei. (insgesamt: **%d**)", who, people)
			},
			Welcome:  "Willkommen! Jede Nachricht in einem Stream hat ein Thema. Such dir einen Stream und ein Thema aus, und sag hallo.",
			Accepted: func(who string) string { return who + " hat deine Einladung angenommen!" },

			NotSent: func(at, why string) string {
				return fmt.Sprintf("Deine Nachricht für %s wurde nicht gesendet: %s", at, why)
			},

			StreamByID: func(stream string) string { return "den Stream mit der ID " + stream },
			NoStream: func(bot, stream string) string {
				return fmt.Sprintf("Dein Bot %s wollte eine Nachricht an %s senden, aber diesen Stream gibt es nicht ([Stream anlegen](#streams/new)).", bot, stream)
			},
			NoSubscribers: func(bot, stream string) string {
				return fmt.Sprintf("Dein Bot %s hat eine Nachricht an %s gesendet, aber niemand hat diesen Stream abonniert.", bot, stream)
			},
			NotJSON: func(bot, integration string) string {
				return fmt.Sprintf("Dein Bot %s hat eine Anfrage für die Integration %s bekommen, die kein JSON ist. "+
					"Prüf bitte, was der Absender senden soll, und wohin.", bot, integration)
			},
			TooLarge: func(bot, integration string) string {
				return fmt.Sprintf("Dein Bot %s hat eine Anfrage für die Integration %s bekommen, die größer als 1 MiB ist. Deshalb gibt es keine Nachricht über sie. "+
					"Lass den Absender auf einmal weniger melden, wenn er das kann.", bot, integration)
			},
			NoHeader: func(bot, integration, header string) string {
				return fmt.Sprintf("Dein Bot %s hat eine Anfrage für die Integration %s bekommen, der die Kopfzeile %s fehlt. In ihr steht, was gemeldet wird. "+
					"Prüf bitte, was der Absender senden soll, und wohin.", bot, integration, header)
			},
			NoMessage: func(bot, integration string) string {
				return fmt.Sprintf("Dein Bot %s hat eine Anfrage für die Integration %s bekommen, in der fehlt, woraus eine Nachricht entsteht. "+
					"Prüf bitte, was der Absender senden soll, und wohin.", bot, integration)
			},
		},
		Pages: Pages{
			GoTo:       func(org string) string { return "Weiter zu " + org },
			SignInAt:   func(uri string) string { return "Melde dich mit deinem Programm auf " + uri + " an." },
			SignInSoon: "Gerade melden sich zu viele an. Melde dich in ein paar Sekunden mit deinem Passwort an.",
			Welcome:    "Willkommen",
			Failed:     "Hier ist etwas schiefgegangen. Versuch es in ein paar Sekunden noch einmal.",
			Email:      "Deine E-Mail-Adresse",
			FullName:   "Dein Name",
			SignInAs:   "Du meldest dich an als",
			Password:   "Ein Passwort, das schwer zu erraten ist",
			Hint:       "Mehrere Wörter, die niemand zusammen erwartet, sind schwer zu erraten und leicht zu merken.",
			AskForLink: "Wir schicken dir einen Link, mit dem es weitergeht.",
			SendLink:   "Link schicken",
			SendAgain:  "Noch einen Link schicken",
			Look:       "Sieh in deine E-Mails",

			Confirm: ConfirmPage{
				Title:    "Neue Adresse bestätigen",
				Lost:     "Wenn sich deine Adresse nicht geändert hat, fordere in den Einstellungen deines Kontos einen neuen Link an.",
				Text:     func(email string) string { return "Von jetzt an meldest du dich als " + email + " an." },
				Button:   "Bestätigen",
				Done:     "Deine Adresse ist geändert",
				DoneText: "Von jetzt an meldest du dich mit ihr an.",
			},
			Reset: ResetPages{
				Ask:      "Passwort zurücksetzen",
				Sent:     "Wenn es ein Konto mit dieser Adresse gibt, ist ein Link dorthin unterwegs. Er gilt einen Tag lang.",
				Title:    "Neues Passwort wählen",
				Lost:     "Lass dir einen neuen schicken.",
				Text:     "Alle Programme, die mit dem bisherigen Passwort angemeldet sind, werden abgemeldet.",
				Password: "Neues Passwort, das schwer zu erraten ist",
				Button:   "Passwort setzen",
				Done:     "Dein Passwort ist gesetzt",
			},
			Join: JoinPages{
				Title:    "Beitreten",
				Button:   "Beitreten",
				Sent:     "Ein Link zum Beitreten ist zu dir unterwegs.",
				LinkLost: "Bitte um einen neuen, wo du ihn herhast.",
				Lost:     "Wenn du schon beigetreten bist, melde dich an. Sonst bitte um eine neue Einladung.",

				NoPassword: "Du brauchst kein Passwort: Du meldest dich über den Identitätsanbieter der Organisation an, wo dies deine Adresse sein muss.",
			},
			NewOrg: NewOrgPages{
				Title:         "Organisation anlegen",
				Sent:          "Ein Link ist zu dir unterwegs. Er gilt einen Tag lang.",
				Lost:          "Wenn du die Organisation noch nicht angelegt hast, lass dir einen neuen schicken.",
				Text:          "Du wirst ihr Besitzer oder ihre Besitzerin.",
				Button:        "Anlegen",
				Name:          "Name der Organisation",
				Subdomain:     "Ihr Name in der Adresse",
				SubdomainHint: func(example string) string { return "Kleinbuchstaben, Ziffern und Bindestriche: " + example },
				Done:          func(address string) string { return "Deine Organisation ist auf " + address + "." },
				Go:            "Dorthin",
				Enter:         "Anmelden",
				EnterLost:     "Melde dich mit deiner Adresse und dem Passwort an, das du gewählt hast.",
			},
			Unknown: UnknownPage{
				Title: "Diese Seite gibt es nicht",
				Text:  "Vielleicht ist die Adresse vertippt, oder es gibt die Seite nicht mehr.",
				Go:    "Zu den Nachrichten",
			},
			Unsubscribe: UnsubscribePage{
				Title:    "Diese E-Mails abbestellen",
				Button:   "Abbestellen",
				Done:     "Diese E-Mails sind abbestellt",
				DoneText: "In den Einstellungen kannst du sie unter Benachrichtigungen wieder einschalten.",
				Text: func(account string, about []string) string {
					return "Keine E-Mails mehr an " + account + " über " + strings.Join(about, " und ") + "."
				},
				Personal: "private Nachrichten und Erwähnungen",
				Streams:  "Nachrichten der Streams, um die es in der E-Mail ging",
				Digest:   "das, was in deiner Abwesenheit passiert ist",
			},
			Providers: ProviderPages{
				Title:       "Die Anmeldung ist gescheitert",
				SignedIn:    func(email string) string { return "Du bist als " + email + " angemeldet." },
				Continue:    "Weiter",
				MakeAccount: "Konto anlegen",
				Back:        "Zurück zur Anmeldung",
			},
		},
	}
}

// germanDay writes a day, as in 2. Januar.
func germanDay(at time.Time) string {
	months := [...]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
	return fmt.Sprintf("%d. %s", at.Day(), months[at.Month()-1])
}
