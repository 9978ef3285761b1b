package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
)

// portionSize is the number of messages in a portion, which get their ids together.
const portionSize = 1000

// placed is a message of the archive, with the sender and the stream or conversation here.
type placed struct {
	archive.Message

	sender       id.User
	stream       id.Stream
	conversation id.Conversation
}

// portion is messages that are stored by one worker.
type portion struct {
	number   int
	ids      []int64
	stored   int // how many of them are stored
	messages []placed
}

// messages imports all messages. Their new ids have the order of their times, as this server requires. Whether a message is left out depends only on the
// archive, so that portions are the same when an import is continued.
func (m *importing) messages(ctx context.Context) error {
	begun, err := m.begunPortions(ctx)
	if err != nil {
		return err
	}
	if err := m.huddles(ctx); err != nil {
		return err
	}
	content, err := m.newContent(ctx)
	if err != nil {
		return err
	}
	workers, inner := errgroup.WithContext(ctx)
	queue, done := make(chan portion), &progress{in: m}
	for range m.Workers {
		workers.Go(func() error {
			for p := range queue {
				if err := content.store(inner, p); err != nil {
					return err
				}
				done.add(len(p.messages))
			}
			return nil
		})
	}
	workers.Go(func() error {
		defer close(queue)
		return m.dispatch(inner, begun, queue)
	})
	if err := workers.Wait(); err != nil {
		return err
	}
	m.readers.sort()
	m.report.count("messages", len(m.readers.sources))
	return m.firstMessages(ctx)
}

// progress counts the messages that workers have stored.
type progress struct {
	mu   sync.Mutex
	in   *importing
	done int
}

func (p *progress) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.in.Progress("messages", p.done, p.in.index.total)
}

// begunPortions returns the portions that got their ids in an interrupted import.
func (m *importing) begunPortions(ctx context.Context) (map[int]portion, error) {
	begun := map[int]portion{}
	err := m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) error {
		rows, err := tx.ImportPortions(ctx)
		for _, row := range rows {
			begun[int(row.Portion)] = portion{number: int(row.Portion), ids: row.Messages, stored: int(row.Stored)}
		}
		return err
	})
	return begun, err
}

// dispatch reads the messages and hands portions of them to the workers.
func (m *importing) dispatch(ctx context.Context, begun map[int]portion, queue chan<- portion) error {
	collected, number := []placed(nil), 0
	conversations := map[string]id.Conversation{}
	hand := func() error {
		number++
		p, ok := begun[number]
		if !ok {
			err := m.write(ctx, func(tx *store.Tx) (err error) {
				p.ids, err = tx.TakeImportPortion(ctx, int32(number), int32(len(collected)))
				return err
			})
			if err != nil {
				return err
			}
		}
		if len(p.ids) != len(collected) {
			return errors.New("the archive has changed since the import began: continue with the same archive")
		}
		p.number, p.messages = number, collected
		for i, one := range collected {
			m.readers.addMessage(one.ID, p.ids[i], one.stream)
		}
		collected = nil
		select {
		case queue <- p:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := m.index.each(ctx, m.Archive, m.report, func(one archive.Message) error {
		found, err := m.place(ctx, one, conversations)
		if err != nil || found == nil {
			return err
		}
		if collected = append(collected, *found); len(collected) < portionSize {
			return nil
		}
		return hand()
	})
	if err == nil && len(collected) > 0 {
		err = hand()
	}
	return err
}

// place finds the sender and the stream or conversation of a message. It returns nil if the message is left out.
func (m *importing) place(ctx context.Context, one archive.Message, conversations map[string]id.Conversation) (*placed, error) {
	p := placed{Message: one, sender: m.users[one.Sender]}
	p.Content = cleanContent(one.Content)
	to, ok := m.recipients[one.Recipient]
	switch {
	case p.sender == 0:
		m.report.leave("messages with an unknown sender", strconv.FormatInt(one.ID, 10))
		return nil, nil
	case !ok || to.stream == 0 && to.members == nil && m.users[to.user] == 0:
		m.report.leave("messages with an unknown recipient", strconv.FormatInt(one.ID, 10))
		return nil, nil
	case p.Content == "":
		m.report.leave("messages without content", strconv.FormatInt(one.ID, 10))
		return nil, nil
	case to.stream != 0:
		p.stream, p.Subject = to.stream, topicOf(one.Subject)
		return &p, nil
	}
	p.Subject = ""
	var err error
	p.conversation, err = m.conversation(ctx, p.sender, to, conversations)
	return &p, err
}

// topicOf returns a valid topic of a stream message.
func topicOf(subject string) string {
	if topic := cut(spelling.Name(subject), message.MaxTopic); !spelling.IsBlank(topic) {
		return topic
	}
	return "(no topic)"
}

// conversation finds or creates the conversation of a sender with a recipient. known caches conversations by their members.
func (m *importing) conversation(ctx context.Context, sender id.User, to recipient, known map[string]id.Conversation) (id.Conversation, error) {
	members := []id.User{sender}
	for _, member := range append(slices.Clone(to.members), to.user) {
		if made := m.users[member]; made != 0 {
			members = append(members, made)
		}
	}
	slices.Sort(members)
	members = slices.Compact(members)
	key := strings.Join(lists.Map(members, id.User.String), ",")
	if found := known[key]; found != 0 {
		return found, nil
	}
	found := id.Conversation(0)
	err := m.write(ctx, func(tx *store.Tx) (err error) {
		if found, err = tx.CreateConversation(ctx, members); err != nil {
			return err
		}
		return tx.AddConversationMembers(ctx, id.Convert[int64](members), found)
	})
	known[key] = found
	return found, err
}

// huddles reads the members of private conversations, and subscriptions.
func (m *importing) huddles(ctx context.Context) error {
	return m.tables(ctx, map[string]archive.Row{archive.Subscriptions: archive.Rows(func(row archive.Subscription) error {
		to := m.recipients[row.Recipient]
		switch {
		case to.members != nil:
			if len(to.members) == message.MaxRecipients {
				m.report.leave(fmt.Sprintf("members of private conversations beyond %d", message.MaxRecipients), strconv.FormatInt(row.User, 10))
				return nil
			}
			to.members = append(to.members, row.User)
			m.recipients[row.Recipient] = to
		case to.stream != 0:
			m.readers.subscribe(m.users[row.User], to.stream, row)
		}
		return nil
	})})
}

// firstMessages stores the first message of each stream.
func (m *importing) firstMessages(ctx context.Context) error {
	for stream := range m.readers.inStream {
		if err := m.write(ctx, func(tx *store.Tx) error { return tx.SetFirstMessage(ctx, stream) }); err != nil {
			return err
		}
	}
	return nil
}
