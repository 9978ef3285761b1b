package transfer

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/profile"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Limits of an account (packages alert and botstorage).
const (
	maxAlertWords = 1000
	maxStored     = 10_000_000 // characters
	maxKey        = 500        // characters
)

type mutedColumns struct {
	UserID   id.User   `json:"user_id"`
	StreamID id.Stream `json:"stream_id"`
	Topic    string    `json:"topic"`
	MutedAt  time.Time `json:"muted_at"`
}

type wordColumns struct {
	UserID id.User `json:"user_id"`
	Word   string  `json:"word"`
}

type statusColumns struct {
	UserID id.User `json:"user_id"`
	Away   bool    `json:"away"`
	Text   string  `json:"text"`
}

type serviceColumns struct {
	UserID    id.User `json:"user_id"`
	URL       string  `json:"url"`
	Interface int     `json:"interface"`
	Token     string  `json:"token"`
}

type configColumns struct {
	UserID id.User           `json:"user_id"`
	Config map[string]string `json:"config"`
}

type storedColumns struct {
	UserID id.User `json:"user_id"`
	Key    string  `json:"key"`
	Value  string  `json:"value"`
}

func (m *importing) mute(ctx context.Context, muted *table[mutedColumns], row archive.MutedTopic) error {
	who, in := m.users[row.User], m.streams[row.Stream]
	if who == 0 || in == 0 || cut(row.Topic, 60) == "" {
		m.report.leave("muted topics of unknown accounts or streams", row.Topic)
		return nil
	}
	m.report.count("muted topics", 1)
	return muted.add(ctx, 0, 0, mutedColumns{who, in, cut(row.Topic, 60), row.Muted.Time})
}

// settings imports the personal data of accounts, and reads the recipients of messages.
func (m *importing) settings(ctx context.Context) error {
	muted, words, statuses := newTable[mutedColumns](m, "muted_topics", ""), newTable[wordColumns](m, "alert_words", ""), newTable[statusColumns](m, "user_statuses", "")
	services, stored := newTable[serviceColumns](m, "bot_services", ""), newTable[storedColumns](m, "bot_storage", "")
	configs, wordsOf, room := map[id.User]map[string]string{}, map[id.User]int{}, storageRoom{}
	answers, answering := map[id.User][]profile.Answer{}, int64(0)
	err := m.tables(ctx, map[string]archive.Row{
		archive.Users: archive.Rows(func(row archive.User) error { return m.botDefaults(ctx, row) }),
		archive.Recipients: archive.Rows(func(row archive.Recipient) error {
			switch row.Type {
			case archive.ToUser:
				m.recipients[row.ID] = recipient{user: row.TypeID}
			case archive.ToStream:
				m.recipients[row.ID] = recipient{stream: m.streams[row.TypeID]}
			case archive.ToHuddle:
				m.recipients[row.ID] = recipient{members: []int64{}}
			}
			return nil
		}),
		archive.AuditLog: archive.Rows(func(row archive.Audit) error {
			kind := string(row.Kind)
			if row.User != nil && row.Stream != nil && row.LastMessage != nil && (kind == archive.Subscribed || kind == archive.SubscribedAgain) {
				m.readers.subscribedSince(m.users[*row.User], m.streams[*row.Stream], *row.LastMessage)
			}
			return nil
		}),
		archive.MutedTopics: archive.Rows(func(row archive.MutedTopic) error { return m.mute(ctx, muted, row) }),
		archive.UserTopics: archive.Rows(func(row archive.UserTopic) error {
			if row.Policy != archive.TopicMuted {
				m.report.leave("followed and unmuted topics", row.Topic)
				return nil
			}
			return m.mute(ctx, muted, archive.MutedTopic{User: row.User, Stream: row.Stream, Topic: row.Topic, Muted: row.Changed})
		}),
		archive.AlertWords: archive.Rows(func(row archive.AlertWord) error {
			who, word := m.users[row.User], cut(row.Word, 100)
			if who == 0 || word == "" || wordsOf[who] == maxAlertWords {
				m.report.leave("alert words of unknown accounts, or beyond a thousand of an account", row.Word)
				return nil
			}
			wordsOf[who]++
			m.report.count("alert words", 1)
			return words.add(ctx, 0, 0, wordColumns{who, word})
		}),
		archive.Statuses: archive.Rows(func(row archive.Status) error {
			if who := m.users[row.User]; who != 0 {
				m.report.count("statuses", 1)
				return statuses.add(ctx, 0, 0, statusColumns{who, row.Away != 0, cut(row.Text, 60)})
			}
			return nil
		}),
		archive.Services: archive.Rows(func(row archive.Service) error {
			who := m.users[row.User]
			if who == 0 || !strings.HasPrefix(row.URL, "http") || len(row.URL) > 2048 {
				m.report.leave("outgoing webhooks without a bot or an address", row.URL)
				return nil
			}
			token, err := user.NewKey()
			if err != nil {
				return err
			}
			m.report.count("outgoing webhooks", 1)
			return services.add(ctx, 0, 0, serviceColumns{who, cut(row.URL, 2048), max(1, min(row.Interface, 2)), token})
		}),
		archive.BotConfigs: archive.Rows(func(row archive.BotDatum) error {
			who := m.users[row.Bot]
			if who == 0 || len(configs[who]) == 100 {
				m.report.leave("settings of unknown bots, or beyond a hundred of a bot", row.Key)
				return nil
			}
			if configs[who] == nil {
				configs[who] = map[string]string{}
			}
			configs[who][cut(row.Key, 200)] = cut(row.Value, 10_000)
			m.report.count("settings of bots", 1)
			return nil
		}),
		archive.BotStorage: archive.Rows(func(row archive.BotDatum) error {
			who := m.users[row.Bot]
			row.Key, row.Value = strings.ReplaceAll(row.Key, "\x00", ""), strings.ReplaceAll(row.Value, "\x00", "")
			if who == 0 || !room.take(who, row.Key, row.Value) {
				m.report.leave("texts of unknown bots, or of bots that keep too much", row.Key)
				return nil
			}
			m.report.count("texts that bots keep", 1)
			return stored.add(ctx, 0, 0, storedColumns{who, row.Key, row.Value})
		}),
		archive.ProfileValues: archive.Rows(func(row archive.ProfileValue) error {
			answer, ok := m.answer(row)
			if !ok {
				m.report.leave("answers of unknown accounts, or to unknown fields", row.Value)
				return nil
			}
			if answering != row.User { // usually, the answers of an account follow each other
				if err := m.storeAnswers(ctx, answers); err != nil {
					return err
				}
				answering = row.User
			}
			who := m.users[row.User]
			answers[who] = append(answers[who], answer)
			return nil
		}),
	})
	if err != nil {
		return err
	}
	if err := m.storeAnswers(ctx, answers); err != nil {
		return err
	}
	rows := newTable[configColumns](m, "bot_configs", "")
	for who, config := range configs {
		if err := rows.add(ctx, 0, 0, configColumns{who, config}); err != nil {
			return err
		}
	}
	for _, flush := range []func(context.Context) error{muted.flush, words.flush, statuses.flush, services.flush, stored.flush, rows.flush} {
		if err := flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// storageRoom is the number of characters that each account has stored.
type storageRoom map[id.User]int

// take reports whether an account may store another entry and, if so, counts it.
func (r storageRoom) take(who id.User, key, value string) bool {
	inKey := utf8.RuneCountInString(key)
	all := r[who] + inKey + utf8.RuneCountInString(value)
	if inKey > maxKey || all > maxStored {
		return false
	}
	r[who] = all
	return true
}

// botDefaults sets the default streams of a bot, which are imported after the bot.
func (m *importing) botDefaults(ctx context.Context, row archive.User) error {
	place := func(source *int64) *int64 {
		if source == nil || m.streams[*source] == 0 {
			return nil
		}
		return new(int64(m.streams[*source]))
	}
	sending, events := place(row.SendingStream), place(row.EventsStream)
	if sending == nil && events == nil {
		return nil
	}
	return m.DB.Write(ctx, m.org.ID, func(tx *store.Tx) error { return tx.SetBotDefaults(ctx, sending, events, m.users[row.ID]) })
}

// answer returns an answer to a profile field; ok is false if the account or the field is unknown, or the answer is invalid.
func (m *importing) answer(row archive.ProfileValue) (answer profile.Answer, ok bool) {
	field := m.fields[row.Field]
	if field == 0 || m.users[row.User] == 0 {
		return answer, false
	}
	if m.kinds[row.Field] != user.Person {
		return profile.Answer{Field: field, Text: new(strings.ReplaceAll(row.Value, "\x00", ""))}, true
	}
	named, people := []int64{}, []id.User{}
	if json.Unmarshal([]byte(row.Value), &named) != nil {
		return answer, false
	}
	for _, one := range named {
		if m.users[one] != 0 {
			people = append(people, m.users[one])
		}
	}
	return profile.Answer{Field: field, People: people}, true
}

// storeAnswers stores the collected answers, and clears the map.
func (m *importing) storeAnswers(ctx context.Context, collected map[id.User][]profile.Answer) error {
	for who, answers := range collected {
		for _, answer := range answers { // separately, since one may be invalid
			err := m.DB.Write(ctx, m.org.ID, func(tx *store.Tx) error {
				change, err := m.Profiles.Prepare(ctx, tx, who, []profile.Answer{answer})
				if err != nil {
					return err
				}
				return change.Write(ctx, tx)
			})
			if err == nil {
				m.report.count("answers to profile fields", 1)
			}
			if err := m.leaveIf(err, "answers to profile fields", strconv.FormatInt(answer.Field, 10)); err != nil {
				return err
			}
		}
	}
	clear(collected)
	return nil
}
