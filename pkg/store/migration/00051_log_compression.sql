-- Large events are compressed by LZ4, as large values of messages are: 00048 says why. That is another transaction, since some
-- transactions write events before messages.

-- +goose Up
-- +goose StatementBegin
do $$
declare
    part regclass;
begin
    if not exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
        return;
    end if;
    for part in select relid from pg_partition_tree('event_log') loop -- later partitions do as the table
        execute format('alter table %s alter payload set compression lz4, alter audience set compression lz4, alter change set compression lz4', part);
    end loop;
end $$;
-- +goose StatementEnd
