-- Finding the notification bot.

-- +goose Up

-- Each notice asks for it; without the index, that reads all accounts that are older than it.
create index users_system on users (org_id, user_id) where system;
