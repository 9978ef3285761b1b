-- Who made a stream.

-- +goose Up

-- Null: the server itself, or a release before this one. It counts how many streams an account makes in a day.
alter table streams add column creator_id bigint;
create index streams_creator on streams (org_id, creator_id, created_at) where creator_id is not null;
