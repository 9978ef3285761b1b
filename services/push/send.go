package push

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/SherClockHolmes/webpush-go"

	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/push"
	"chatserver.dev/services/remote"
)

// send sends a notification to a browser, unless another process has claimed it. It returns only errors of the
// database.
func (w *Worker) send(ctx context.Context, due push.Due) error {
	claimed, ok, err := w.Pushes.Claim(ctx, due)
	if err != nil || !ok {
		return err
	}
	notice, done, err := w.Missed.Notice(ctx, claimed.Org, claimed.User, claimed.Messages)
	if err != nil {
		return err
	}
	if notice == nil {
		return w.Pushes.End(ctx, claimed, done)
	}
	status, err := w.deliver(ctx, claimed, notice)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // another process sends it when the lease ends
	}
	switch {
	case err == nil && status/100 == 2:
		w.Count(ctx, Sent)
		return w.Pushes.End(ctx, claimed, done)
	case status == http.StatusNotFound || status == http.StatusGone:
		w.Count(ctx, Gone)
		return w.Pushes.Drop(ctx, claimed)
	}
	attributes := append(about(due), slog.Int("status", status), slog.Any("error", err))
	if final(status, err) {
		w.Count(ctx, Failed)
		w.Logger.WarnContext(ctx, "a notification can't be sent", attributes...)
		return w.Pushes.End(ctx, claimed, done)
	}
	again, err := w.Pushes.Fail(ctx, claimed)
	if again {
		w.Count(ctx, Delayed)
		w.Logger.InfoContext(ctx, "a notification will be tried again", attributes...)
		return err
	}
	w.Count(ctx, Failed)
	w.Logger.WarnContext(ctx, "gave up on a notification", attributes...)
	return err
}

// final reports whether the failure is permanent.
func final(status int, err error) bool {
	if err != nil {
		return errors.Is(err, remote.ErrForbidden)
	}
	return status/100 != 5 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout
}

// deliver encrypts a notification for its browser (RFC 8291), sends it to the push service, and returns the status of the response, whose
// body it doesn't read.
func (w *Worker) deliver(ctx context.Context, c push.Claimed, notice *missed.Notice) (status int, err error) {
	text, err := json.Marshal(notice)
	if err != nil {
		return 0, fmt.Errorf("encode a notification: %w", err)
	}
	answer, err := webpush.SendNotificationWithContext(ctx, text, &webpush.Subscription{
		Endpoint: c.Endpoint,
		Keys:     webpush.Keys{P256dh: base64.RawURLEncoding.EncodeToString(c.Key), Auth: base64.RawURLEncoding.EncodeToString(c.Auth)},
	}, &webpush.Options{
		HTTPClient: w.client, Subscriber: w.Contact, VAPIDPublicKey: w.Pushes.Keys.Public, VAPIDPrivateKey: w.Pushes.Keys.Private,
		TTL: int(missed.NoticeLife / time.Second), Urgency: webpush.UrgencyHigh,
	})
	if err != nil {
		return 0, shorten(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode, nil
}

// shorten returns an error of the HTTP client without the address, which is a secret.
func shorten(err error) error {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}
