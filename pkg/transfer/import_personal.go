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

// personal imports the personal data of accounts.
type personal struct {
	*importing

	muted    *table[mutedColumns]
	words    *table[wordColumns]
	statuses *table[statusColumns]
	services *table[serviceColumns]
	configs  *table[configColumns]
	stored   *table[storedColumns]

	wordsOf   map[id.User]int // number of alert words
	configOf  map[id.User]map[string]string
	room      storageRoom
	answers   map[id.User][]profile.Answer // to be stored
	answering int64                        // the last account with an answer
}

// settings imports the personal data of accounts, and reads the recipients of messages.
func (m *importing) settings(ctx context.Context) error {
	p := &personal{
		importing: m, muted: newTable[mutedColumns](m, "muted_topics"), words: newTable[wordColumns](m, "alert_words"),
		statuses: newTable[statusColumns](m, "user_statuses"), services: newTable[serviceColumns](m, "bot_services"),
		configs: newTable[configColumns](m, "bot_configs"), stored: newTable[storedColumns](m, "bot_storage"),
		wordsOf: map[id.User]int{}, configOf: map[id.User]map[string]string{}, room: storageRoom{}, answers: map[id.User][]profile.Answer{},
	}
	err := m.tables(ctx, map[string]archive.Row{
		archive.Users:         rowsWith(ctx, m.botDefaults),
		archive.Recipients:    archive.Rows(m.readRecipient),
		archive.AuditLog:      archive.Rows(m.readAudit),
		archive.MutedTopics:   rowsWith(ctx, p.mute),
		archive.UserTopics:    rowsWith(ctx, p.userTopic),
		archive.AlertWords:    rowsWith(ctx, p.alertWord),
		archive.Statuses:      rowsWith(ctx, p.status),
		archive.Services:      rowsWith(ctx, p.service),
		archive.BotConfigs:    archive.Rows(p.botConfig),
		archive.BotStorage:    rowsWith(ctx, p.botText),
		archive.ProfileValues: rowsWith(ctx, p.profileValue),
	})
	if err != nil {
		return err
	}
	return p.end(ctx)
}

// end stores what is left.
func (p *personal) end(ctx context.Context) error {
	if err := p.storeAnswers(ctx); err != nil {
		return err
	}
	for who, config := range p.configOf {
		if err := p.configs.add(ctx, configColumns{who, config}); err != nil {
			return err
		}
	}
	for _, flush := range []func(context.Context) error{
		p.muted.flush, p.words.flush, p.statuses.flush, p.services.flush, p.stored.flush, p.configs.flush,
	} {
		if err := flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *importing) readRecipient(row archive.Recipient) error {
	switch row.Type {
	case archive.ToUser:
		m.recipients[row.ID] = recipient{user: row.TypeID}
	case archive.ToStream:
		m.recipients[row.ID] = recipient{stream: m.streams[row.TypeID]}
	case archive.ToHuddle:
		m.recipients[row.ID] = recipient{members: []int64{}}
	}
	return nil
}

// readAudit reads since when an account is subscribed to a stream.
func (m *importing) readAudit(row archive.Audit) error {
	kind := string(row.Kind)
	if row.User != nil && row.Stream != nil && row.LastMessage != nil && (kind == archive.Subscribed || kind == archive.SubscribedAgain) {
		m.readers.subscribedSince(m.users[*row.User], m.streams[*row.Stream], *row.LastMessage)
	}
	return nil
}

func (p *personal) mute(ctx context.Context, row archive.MutedTopic) error {
	who, in := p.users[row.User], p.streams[row.Stream]
	if who == 0 || in == 0 {
		p.report.leave("muted topics of unknown accounts or streams", row.Topic)
		return nil
	}
	p.report.count("muted topics", 1)
	return p.muted.add(ctx, mutedColumns{who, in, topicOf(row.Topic), row.Muted.Time})
}

func (p *personal) userTopic(ctx context.Context, row archive.UserTopic) error {
	if row.Policy != archive.TopicMuted {
		p.report.leave("followed and unmuted topics", row.Topic)
		return nil
	}
	return p.mute(ctx, archive.MutedTopic{User: row.User, Stream: row.Stream, Topic: row.Topic, Muted: row.Changed})
}

func (p *personal) alertWord(ctx context.Context, row archive.AlertWord) error {
	who, word := p.users[row.User], cut(row.Word, 100)
	if who == 0 || word == "" || p.wordsOf[who] == maxAlertWords {
		p.report.leave("alert words of unknown accounts, or beyond a thousand of an account", row.Word)
		return nil
	}
	p.wordsOf[who]++
	p.report.count("alert words", 1)
	return p.words.add(ctx, wordColumns{who, word})
}

func (p *personal) status(ctx context.Context, row archive.Status) error {
	who := p.users[row.User]
	if who == 0 {
		return nil
	}
	p.report.count("statuses", 1)
	return p.statuses.add(ctx, statusColumns{who, row.Away != 0, cut(row.Text, 60)})
}

func (p *personal) service(ctx context.Context, row archive.Service) error {
	who := p.users[row.User]
	if who == 0 || !strings.HasPrefix(row.URL, "http") || len(row.URL) > 2048 {
		p.report.leave("outgoing webhooks without a bot or an address", row.URL)
		return nil
	}
	token, err := user.NewKey()
	if err != nil {
		return err
	}
	p.report.count("outgoing webhooks", 1)
	return p.services.add(ctx, serviceColumns{who, cut(row.URL, 2048), max(1, min(row.Interface, 2)), token})
}

func (p *personal) botConfig(row archive.BotDatum) error {
	who := p.users[row.Bot]
	if who == 0 || len(p.configOf[who]) == 100 {
		p.report.leave("settings of unknown bots, or beyond a hundred of a bot", row.Key)
		return nil
	}
	if p.configOf[who] == nil {
		p.configOf[who] = map[string]string{}
	}
	p.configOf[who][cut(row.Key, 200)] = cut(row.Value, 10_000)
	p.report.count("settings of bots", 1)
	return nil
}

func (p *personal) botText(ctx context.Context, row archive.BotDatum) error {
	who := p.users[row.Bot]
	row.Key, row.Value = strings.ReplaceAll(row.Key, "\x00", ""), strings.ReplaceAll(row.Value, "\x00", "")
	if who == 0 || !p.room.take(who, row.Key, row.Value) {
		p.report.leave("stored data of unknown bots, or beyond the limit of a bot", row.Key)
		return nil
	}
	p.report.count("texts that bots keep", 1)
	return p.stored.add(ctx, storedColumns{who, row.Key, row.Value})
}

// profileValue collects an answer to a profile field. The answers of an account, which usually follow each other, are
// stored together.
func (p *personal) profileValue(ctx context.Context, row archive.ProfileValue) error {
	answer, ok := p.answer(row)
	if !ok {
		p.report.leave("answers of unknown accounts, or to unknown fields", row.Value)
		return nil
	}
	if p.answering != row.User {
		if err := p.storeAnswers(ctx); err != nil {
			return err
		}
		p.answering = row.User
	}
	who := p.users[row.User]
	p.answers[who] = append(p.answers[who], answer)
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
	return m.write(ctx, func(tx *store.Tx) error { return tx.SetBotDefaults(ctx, sending, events, m.users[row.ID]) })
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

// storeAnswers stores the collected answers.
func (p *personal) storeAnswers(ctx context.Context) error {
	for who, answers := range p.answers {
		for _, answer := range answers { // separately, since one may be invalid
			err := p.write(ctx, func(tx *store.Tx) error {
				change, err := p.Profiles.Prepare(ctx, tx, who, []profile.Answer{answer})
				if err != nil {
					return err
				}
				return change.Write(ctx, tx)
			})
			if err == nil {
				p.report.count("answers to profile fields", 1)
			}
			if err := p.leaveIf(err, "answers to profile fields", strconv.FormatInt(answer.Field, 10)); err != nil {
				return err
			}
		}
	}
	clear(p.answers)
	return nil
}
