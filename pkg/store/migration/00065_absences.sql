-- An account that is deactivated receives nothing until it is active again.

-- +goose Up

-- The first message that an account doesn't receive because it isn't active. Null for active accounts, and for those
-- that were deactivated before this column existed.
alter table users add column away_since bigint;
