package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// ErrIntegration is returned if the server has no such integration.
var ErrIntegration = fault.Bad("There is no integration '%s'.")

// details are the fields of a webhook that its account doesn't have.
type details struct {
	Integration string `json:"integration"`
	Topic       string `json:"topic,omitempty"`
}

// EnsureWebhook creates or updates the incoming webhook with a key, and activates it. If it sends to a private stream, it is
// subscribed to that.
func (s *Service) EnsureWebhook(ctx context.Context, orgKey, key string, spec adminapi.WebhookSpec) (adminapi.Ensured[adminapi.Webhook], error) {
	none := adminapi.Ensured[adminapi.Webhook]{}
	if spec.Integration != nil && !slices.Contains(s.Integrations, *spec.Integration) {
		return none, ErrIntegration.Format(*spec.Integration)
	}
	w := wanted{
		kind: Webhook, bot: actor.IncomingWebhook, shortName: spec.ShortName, owner: spec.Owner, adopt: spec.Adopt, adoptFrom: spec.AdoptFrom, key: spec.KeySpec,
		change: user.Change{FullName: spec.FullName},
	}
	changed, private := []string(nil), ""
	out, who, err := s.ensure(ctx, orgKey, key, w, func(tx *store.Tx, w *wanted, stored []byte) (kept []byte, err error) {
		private = ""
		if kept, changed, err = wantedDetails(stored, spec); err != nil || spec.Stream == nil {
			return kept, err
		}
		w.change.Sending = new(id.Stream(0))
		if *spec.Stream == "" {
			return kept, nil
		}
		row, err := tx.StreamByName(ctx, 0, spelling.Name(*spec.Stream))
		if store.IsNotFound(err) {
			return nil, stream.ErrInvalidName.Format(*spec.Stream)
		}
		if err != nil {
			return nil, fmt.Errorf("read stream %q: %w", *spec.Stream, err)
		}
		w.change.Sending = &row.Stream.StreamID
		if row.Stream.InviteOnly {
			private = row.Stream.Name
		}
		return kept, nil
	})
	if err != nil {
		return none, err
	}
	if private != "" {
		if _, err := s.subscribe(ctx, who, out.id, []string{private}); err != nil {
			return none, err
		}
	}
	if !out.created {
		out.changed = append(out.changed, changed...)
	}
	state, err := s.Webhook(ctx, orgKey, key)
	if err == nil && out.secret != nil {
		out.secret.URL = state.WithKey(out.secret.APIKey)
	}
	return adminapi.Ensured[adminapi.Webhook]{State: state, Created: out.created, Changed: out.changed, Secret: out.secret}, err
}

// wantedDetails returns the desired details of a webhook, with the names of the fields that differ from those that are stored.
func wantedDetails(stored []byte, spec adminapi.WebhookSpec) (kept []byte, changed []string, err error) {
	d, err := readDetails(stored)
	if err != nil {
		return nil, nil, err
	}
	if spec.Integration != nil && *spec.Integration != d.Integration {
		d.Integration, changed = *spec.Integration, append(changed, "integration")
	}
	if spec.Topic != nil && *spec.Topic != d.Topic {
		d.Topic, changed = *spec.Topic, append(changed, "topic")
	}
	if d.Integration == "" {
		return nil, nil, fault.Missing("integration")
	}
	if len(changed) == 0 {
		return stored, nil, nil
	}
	kept, err = json.Marshal(d)
	return kept, changed, err
}

func readDetails(stored []byte) (d details, err error) {
	if err := json.Unmarshal(stored, &d); err != nil {
		return details{}, fmt.Errorf("decode details of a webhook: %w", err)
	}
	return d, nil
}

// Webhook returns the current state of the incoming webhook with a key.
func (s *Service) Webhook(ctx context.Context, orgKey, key string) (state adminapi.Webhook, err error) {
	err = s.read(ctx, orgKey, func(tx *store.Tx) error {
		was, err := theObject(ctx, tx, Webhook, key)
		if err != nil {
			return err
		}
		d, err := readDetails(was.details)
		if err != nil {
			return err
		}
		account := id.User(was.object)
		if state.Account, state.Owner, err = s.state(ctx, tx, key, account); err != nil {
			return err
		}
		state.Integration, state.Topic = d.Integration, d.Topic
		u, err := user.ByID(ctx, tx, account)
		if err != nil {
			return err
		}
		if to := u.Register.SendingStream; to != 0 {
			row, err := streamRow(ctx, tx, to)
			if err != nil {
				return err
			}
			state.Stream = row.Name
		}
		o, err := s.Orgs.Load(ctx, tx)
		state.URL = o.URI + "/api/v1/external/" + state.Integration + parameters(state)
		return err
	})
	return state, err
}

func parameters(state adminapi.Webhook) string {
	text := ""
	if state.Stream != "" {
		text = "?stream=" + url.QueryEscape(state.Stream)
		if state.Topic != "" {
			text += "&topic=" + url.QueryEscape(state.Topic)
		}
	}
	return text
}
