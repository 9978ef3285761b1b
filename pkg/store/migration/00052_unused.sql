-- What no code uses: keys aren't released but replaced, parts of the log aren't claimed but leased, searches call find_messages, and
-- each invitation has the time of its last mail.

-- +goose Up
alter table organizations drop column key_released;
alter table external_keys drop column released;
alter table missed_places drop column tries;
drop function search_messages(text, bigint, bigint, bigint, bigint, boolean, integer);
update invitations set mailed_at = invited_at where mailed_at is null;
alter table invitations alter mailed_at set not null;
