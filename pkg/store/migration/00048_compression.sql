-- Large values are compressed by LZ4, if PostgreSQL has it: pglz takes 20 ms for the edits of a message (1 MiB), while events of all
-- organizations wait for the transaction.

-- +goose Up
-- +goose StatementBegin
do $$
declare
    part regclass;
begin
    if not exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
        return;
    end if;
    alter table messages alter content set compression lz4, alter rendered set compression lz4, alter edits set compression lz4;
    for part in select relid from pg_partition_tree('event_log') loop -- later partitions do as the table
        execute format('alter table %s alter payload set compression lz4, alter audience set compression lz4, alter change set compression lz4', part);
    end loop;
end $$;
-- +goose StatementEnd
