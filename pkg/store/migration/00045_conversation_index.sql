-- An index that finds a conversation by its members: under row-level security the unique one doesn't, since comparing arrays isn't
-- leakproof. Comparing their first elements is, and they differ for nearly all conversations.

-- +goose Up

create index conversations_first on conversations (org_id, (members[1]), (coalesce(members[2], 0)));
