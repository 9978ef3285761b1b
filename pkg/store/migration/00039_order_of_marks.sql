-- Changes of one's own marks have the order of their events.

-- +goose Up

-- mark_read also takes the lock that LockAccount takes before the reader's row. The row's lock alone comes too late: of several
-- transactions that wait for it, one may have its id already when another gets the lock first. The function gets this line more,
-- whatever migrations have made of the rest. (sqlc doesn't read the statement.)
-- +goose StatementBegin
do $do$
declare
    definition text := pg_get_functiondef('mark_read(read_request)'::regprocedure);
    place      text := '    perform from users u where u.user_id = r.reader for no key update;';
begin
    if length(definition) - length(replace(definition, place, '')) <> length(place) then
        raise exception 'mark_read has not exactly one %', place;
    end if;
    execute replace(definition, place, $sql$    perform pg_advisory_xact_lock(39, hashint8(r.reader));
$sql$ || place);
end $do$;
-- +goose StatementEnd
