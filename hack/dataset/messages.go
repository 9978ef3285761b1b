package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
)

// messages inserts the messages without indexes, which are created afterwards.
func (l *loader) messages(ctx context.Context) error {
	first, err := collect[id.Message](ctx, l.db, `select setval('message_ids', nextval('message_ids') + $1) - $1`, l.Messages)
	if err != nil {
		return err
	}
	l.made.First, l.made.Last = first[0], first[0]+id.Message(l.Messages)-1
	return withoutIndexes(ctx, l.db, func() error {
		_, err := l.db.CopyFrom(ctx, pgx.Identifier{"messages"}, []string{
			"org_id", "message_id", "sender_id", "stream_id", "conversation_id", "topic", "content", "rendered", "renderer", "client", "sent_at",
		}, newSource(l))
		return err
	})
}

// withoutIndexes drops the indexes of messages except for the primary key, and recreates them after work.
func withoutIndexes(ctx context.Context, db *pgx.Conn, work func() error) error {
	definitions, err := collect[string](ctx, db, `select pg_get_indexdef(indexrelid) from pg_index
		where indrelid = 'messages'::regclass and not indisprimary order by indexrelid`)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, `do $$ declare i regclass; begin
		for i in select indexrelid::regclass from pg_index where indrelid = 'messages'::regclass and not indisprimary loop
			execute format('drop index %s', i);
		end loop; end $$; set maintenance_work_mem = '1GB'`); err != nil {
		return fmt.Errorf("drop indexes: %w", err)
	}
	if err := work(); err != nil {
		return err
	}
	for _, definition := range definitions {
		if _, err := db.Exec(ctx, definition); err != nil {
			return fmt.Errorf("%s: %w", definition, err)
		}
	}
	return nil
}

// finish updates the planner's statistics, and the streams' first messages.
func (l *loader) finish(ctx context.Context) error {
	if _, err := l.db.Exec(ctx, `update streams s set first_message_id = (select m.message_id from messages m
		where m.org_id = s.org_id and m.stream_id = s.stream_id order by m.message_id limit 1) where s.org_id = $1`, l.made.ID); err != nil {
		return err
	}
	_, err := l.db.Exec(ctx, "vacuum (analyze)")
	return err
}

// source generates random messages. It implements pgx.CopyFromSource.
type source struct {
	*loader
	random *rand.Rand
	stream *rand.Zipf
	topic  *rand.Zipf
	person *rand.Zipf
	other  *rand.Zipf
	word   *rand.Zipf
	words  []string
	n      int
	start  time.Time
}

func newSource(l *loader) *source {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
	zipf := func(count int) *rand.Zipf { return rand.NewZipf(random, 1.1, 8, uint64(count-1)) }
	words := Words()
	return &source{
		loader: l, random: random, stream: zipf(len(l.made.Streams)), topic: zipf(l.Topics), person: zipf(len(l.users)),
		other: zipf(len(l.partners)), word: zipf(len(words)), words: words, n: -1, start: time.Now().Add(-365 * 24 * time.Hour),
	}
}

// Next implements pgx.CopyFromSource.
func (s *source) Next() bool {
	s.n++
	return s.n < s.Messages
}

// Values implements pgx.CopyFromSource.
func (s *source) Values() ([]any, error) {
	text := strings.Builder{}
	for range 4 + s.random.IntN(12) {
		text.WriteString(s.words[s.word.Uint64()])
		text.WriteByte(' ')
	}
	content := text.String()[:text.Len()-1]
	sender, stream, conversation, topic := s.users[s.person.Uint64()], (*id.Stream)(nil), (*id.Conversation)(nil), ""
	if s.random.Float64() < s.Private {
		with := s.other.Uint64()
		conversation = &s.partners[with]
		sender = s.users[min(uint64(len(s.users)-1), (1+with)*s.random.Uint64N(2))]
	} else {
		stream, topic = &s.made.Streams[s.stream.Uint64()], Topic(int(s.topic.Uint64()))
	}
	sent := s.start.Add(time.Duration(float64(s.n) / float64(s.Messages) * 365 * 24 * float64(time.Hour)))
	return []any{
		int64(s.made.ID), int64(s.made.First) + int64(s.n), int64(sender), (*int64)(stream), (*int64)(conversation), topic,
		content, "<p>" + content + "</p>", int16(1), "dataset", sent,
	}, nil
}

// Err implements pgx.CopyFromSource.
func (*source) Err() error { return nil }

// Words returns the 20,000 random words that messages are made of, the most used first.
func Words() []string {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same each time
	const count = 20_000
	words, known := make([]string, 0, count), map[string]bool{}
	for len(words) < count {
		word := strings.Builder{}
		for range 2 + random.IntN(3) {
			word.WriteByte("bdfgklmnprst"[random.IntN(12)])
			word.WriteByte("aeiou"[random.IntN(5)])
		}
		word.WriteByte("kx"[random.IntN(2)]) // neither the stem of another word nor a stop word
		if !known[word.String()] {
			known[word.String()] = true
			words = append(words, word.String())
		}
	}
	return words
}
