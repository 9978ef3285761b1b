-- Starred messages are found without looking at the rows of all messages that mention somebody.

-- +goose no transaction
-- +goose Up

set lock_timeout = 0;
drop index concurrently if exists message_flags_starred;
create index concurrently message_flags_starred on message_flags (org_id, user_id, message_id) where flags & 2 <> 0;
reset lock_timeout;
