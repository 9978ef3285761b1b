package smoke

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/boot"
)

// topic is the topic of the messages.
const topic = "helm test"

// Config configures the server and the accounts of the test.
type Config struct {
	// Site is the organization's address, as clients have it: https://chat.example.
	Site string `env:"SITE,notEmpty"`
	// Email and APIKey identify an account that is subscribed to Stream.
	Email  string `env:"EMAIL,notEmpty"`
	APIKey string `env:"API_KEY,notEmpty"`
	// WebhookKey is the API key of an incoming webhook bot that may send to Stream.
	WebhookKey string `env:"WEBHOOK_KEY,notEmpty"`
	// Stream is the name of the stream to send to.
	Stream string `env:"STREAM,notEmpty"`
	// API, Events and Webhook are the addresses of the services; empty: the address of the site.
	API     string `env:"API_URL"`
	Events  string `env:"EVENTS_URL"`
	Webhook string `env:"WEBHOOK_URL"`
	// Timeout is the timeout of the whole test.
	Timeout time.Duration `env:"TIMEOUT" envDefault:"2m"`
}

// Run tests the server that the environment names, see [Config], and prints a line for each step. The error
// names the step that failed.
func Run(ctx context.Context, environ []string, out io.Writer) error {
	config := Config{}
	if err := boot.Read(environ, &config); err != nil {
		return err
	}
	site, err := url.Parse(config.Site)
	if err != nil || site.Host == "" {
		return fmt.Errorf("SITE: %q is not an address such as https://chat.example", config.Site)
	}
	ctx, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	t := &trial{Config: config, out: out, client: client{http: &http.Client{}, host: site.Host, email: config.Email, key: config.APIKey}}
	return t.run(ctx)
}

// trial is one run.
type trial struct {
	Config
	client

	out   io.Writer
	queue string
	last  int64 // the event that was seen last
}

func (t *trial) run(ctx context.Context) error {
	for _, step := range []struct {
		about string
		do    func(context.Context) error
	}{
		{"create an event queue", t.register},
		{"send a message and get its event", t.message},
		{"send a message and get its event by a stream", t.streamed},
		{"call an incoming webhook and get the event of its message", t.webhook},
		{"delete the event queue", t.unregister},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.about, err)
		}
		if _, err := fmt.Fprintf(t.out, "ok: %s\n", step.about); err != nil {
			return fmt.Errorf("print a step: %w", err)
		}
	}
	return nil
}

// at returns the address of a path of the interface, at a service or else at the site.
func (t *trial) at(service, path string) string { return cmp.Or(service, t.Site) + "/api/v1" + path }

func (t *trial) register(ctx context.Context) error {
	reply := struct {
		QueueID     string `json:"queue_id"`
		LastEventID int64  `json:"last_event_id"`
	}{}
	err := t.form(ctx, http.MethodPost, t.at(t.Events, "/register"), url.Values{
		"event_types": {`["message"]`}, "fetch_event_types": {`[]`},
	}, &reply)
	t.queue, t.last = reply.QueueID, reply.LastEventID
	return err
}

func (t *trial) unregister(ctx context.Context) error {
	return t.form(ctx, http.MethodDelete, t.at(t.Events, "/events"), url.Values{"queue_id": {t.queue}}, &struct{}{})
}

func (t *trial) message(ctx context.Context) error { return t.send(ctx, t.follow) }

func (t *trial) streamed(ctx context.Context) error { return t.send(ctx, t.stream) }

// send sends a message, and waits for its event.
func (t *trial) send(ctx context.Context, follow func(ctx context.Context, mark string) error) error {
	return t.checkEvent(ctx, follow, func(mark string) error {
		return t.form(ctx, http.MethodPost, t.at(t.API, "/messages"), url.Values{
			"type": {"stream"}, "to": {t.Stream}, "topic": {topic}, "content": {"This is a test: " + mark},
		}, &struct{}{})
	})
}

func (t *trial) webhook(ctx context.Context) error {
	return t.checkEvent(ctx, t.follow, func(mark string) error {
		payload, err := json.Marshal(map[string]string{"featured_title": mark, "featured_url": t.Site})
		if err != nil {
			return fmt.Errorf("encode a payload: %w", err)
		}
		query := url.Values{"api_key": {t.WebhookKey}, "stream": {t.Stream}, "topic": {topic}}
		return t.call(ctx, http.MethodPost, t.at(t.Webhook, "/external/helloworld")+"?"+query.Encode(), "application/json", string(payload), &struct{}{})
	})
}

// checkEvent sends a message that contains a mark, and waits for its event. It calls follow, which returns when the
// event has come, before it sends, so that follow really waits.
func (t *trial) checkEvent(ctx context.Context, follow func(ctx context.Context, mark string) error, send func(mark string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	mark := fmt.Sprintf("%s-%d", t.queue, t.last)
	polled := make(chan error, 1)
	go func() { polled <- follow(ctx, mark) }()
	if err := send(mark); err != nil {
		cancel()
		<-polled //nolint:errcheck // it only reports that it was stopped.
		return err
	}
	err := <-polled
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it was sent, but there was no event; is %s subscribed to %q? %w", t.Email, t.Stream, err)
	}
	return err
}

// follow polls until a message with the mark has come.
func (t *trial) follow(ctx context.Context, mark string) error {
	for {
		reply := struct{ Events []received }{}
		err := t.form(ctx, http.MethodGet, t.at(t.Events, "/events"), url.Values{
			"queue_id": {t.queue}, "last_event_id": {strconv.FormatInt(t.last, 10)},
		}, &reply)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(reply.Events, func(e received) bool { return t.has(e, mark) }) {
			return nil
		}
	}
}

// received is an event.
type received struct {
	ID      int64 `json:"id"`
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
}

// has records an event, and reports whether it is the event of a message with the mark.
func (t *trial) has(e received, mark string) bool {
	t.last = max(t.last, e.ID)
	return strings.Contains(e.Message.Content, mark)
}
