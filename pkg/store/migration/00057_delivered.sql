-- An index of what was delivered to a bot without a subscription (2048), and isn't marked as read (1): a bot that marks all of it
-- would otherwise look at every message that it has flagged.

-- +goose no transaction
-- +goose Up

set lock_timeout = 0;
drop index concurrently if exists message_flags_delivered;
create index concurrently message_flags_delivered on message_flags (org_id, user_id, message_id) where flags & 2049 = 2048;
reset lock_timeout;
