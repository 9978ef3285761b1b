-- Invitations that were withdrawn or accepted count for the limits on invitations a day, and so do mails that were sent again. Their
-- invited_at is the epoch, so that no release takes them for valid.

-- +goose Up

alter table invitations
    add mailed_at timestamptz,                -- when the last mail was sent; null: at invited_at
    add mails integer not null default 1;     -- that were sent, less than a day after one another
alter table invitations alter mailed_at set default now();
