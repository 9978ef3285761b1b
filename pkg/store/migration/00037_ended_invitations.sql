-- Invitations that were withdrawn or accepted count for the limits on invitations a day, and so do mails that were sent again.

-- +goose Up

alter table invitations
    add ended boolean not null default false,   -- withdrawn or accepted; removed when it counts no more
    add mails integer not null default 1;       -- that were sent, less than a day after one another
create index invitations_ended on invitations (org_id, invited_at) where ended;
