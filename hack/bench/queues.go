//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// registrars is how many accounts register at a time.
const registrars = 8

// eventQueue is a queue of an account, and how far it is read.
type eventQueue struct {
	account int
	ID      string `json:"queue_id"`
	Last    int64  `json:"last_event_id"`
}

// register makes queues for messages, for those of the accounts that have none.
func (b *bench) register(ctx context.Context, accounts ...int) error {
	return b.registerFor(ctx, url.Values{
		"event_types": {`["message"]`}, "fetch_event_types": {`[]`}, "queue_lifespan_secs": {"86400"},
	}, accounts...)
}

// registerFor makes queues for what a form says, for those of the accounts that have none.
func (b *bench) registerFor(ctx context.Context, form url.Values, accounts ...int) error {
	var mutex sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(registrars)
	for _, account := range accounts {
		mutex.Lock()
		has := b.queues[account] != nil
		mutex.Unlock()
		if has {
			continue
		}
		group.Go(func() error {
			q := &eventQueue{account: account}
			if err := b.call(ctx, account, http.MethodPost, "/api/v1/register", form, q); err != nil {
				return err
			}
			mutex.Lock()
			defer mutex.Unlock()
			b.queues[account] = q
			return nil
		})
	}
	return group.Wait()
}

// unregister deletes the accounts' queues.
func (b *bench) unregister(ctx context.Context, accounts ...int) error {
	for _, account := range accounts {
		q := b.queues[account]
		if q == nil {
			continue
		}
		if err := b.call(ctx, account, http.MethodDelete, "/api/v1/events", url.Values{"queue_id": {q.ID}}, nil); err != nil {
			return err
		}
		delete(b.queues, account)
	}
	return nil
}

// call is one request to the service events, and its answer.
func (b *bench) call(ctx context.Context, account int, method, path string, form url.Values, answer any) error {
	return ask(ctx, method, "http://"+b.events.addr+path, authorization(account), form.Encode(), answer)
}

// ask makes one request outside of what is measured, and decodes its answer unless that is nil.
func ask(ctx context.Context, method, url, authorization, body string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded") // the admin interface takes any
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it is read
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, url, response.Status, raw)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(raw, answer)
}
