-- Whoever deactivates an account or activates it again, users.away_since is right, also if that is a process of the release before, which
-- doesn't know of it. An account that such a process activated was taken for absent since: when it left a stream, or came back
-- from a later absence, it lost what it had received in between.

-- +goose Up

-- +goose StatementBegin
create function note_absence() returns trigger language plpgsql as $$
begin
    new.away_since := case when not new.active then next_message_id() end;
    return new;
end $$;
-- +goose StatementEnd
create trigger users_absences before update of active on users
    for each row when (old.active <> new.active) execute function note_absence();

update users set away_since = null where active and away_since is not null;
