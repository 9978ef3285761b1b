-- Messages with links, and those with pictures or files, are found without looking at the others of their streams.

-- +goose no transaction
-- +goose Up

set lock_timeout = 0;
drop index concurrently if exists messages_links;
create index concurrently messages_links on messages (org_id, stream_id, message_id) where flags & 4 = 4;
drop index concurrently if exists messages_files;
create index concurrently messages_files on messages (org_id, stream_id, message_id) where flags & 24 > 0;
reset lock_timeout;
