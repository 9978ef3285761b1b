-- Who has left a stream still has what was received before: editing and deleting messages looks for them among all subscriptions.

-- +goose Up
create index subscriptions_former on subscriptions (org_id, stream_id, user_id) where not active;
