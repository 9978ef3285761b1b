-- An index that finds a conversation by its members: under row-level security the unique one doesn't, since comparing arrays isn't
-- leakproof. Comparing their first elements is, and they differ for nearly all conversations.

-- +goose no transaction
-- +goose Up

set lock_timeout = 0;
drop index concurrently if exists conversations_first;
create index concurrently conversations_first on conversations (org_id, (members[1]), (coalesce(members[2], 0)));
reset lock_timeout;
