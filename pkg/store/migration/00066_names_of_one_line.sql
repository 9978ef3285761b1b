-- Names of streams, topics and groups are one line, as which they were shown: line breaks and tabs in them are blanks, as in the names that
-- are stored from now on. As in 00058, what two names would then share keeps its name, or gives way. Few names have any, so only those of
-- messages are changed in portions.

-- +goose no transaction
-- +goose Up

set lock_timeout = 0;
-- +goose StatementBegin
do $$
declare
    breaks constant text := E'\r\n|[\t-\r\u0085\u2028\u2029]';
    row             record;
    after_org       bigint := 0;
    after_message   bigint := 0;
    last_org        bigint;
    last_message    bigint;
begin
    for row in select ctid, name from streams where name ~ breaks loop
        begin
            update streams set name = regexp_replace(row.name, breaks, ' ', 'g') where ctid = row.ctid;
        exception when unique_violation then null;
        end;
    end loop;
    for row in select ctid, name from user_groups where name ~ breaks loop
        begin
            update user_groups set name = regexp_replace(row.name, breaks, ' ', 'g') where ctid = row.ctid;
        exception when unique_violation then null;
        end;
    end loop;
    for row in select ctid, topic from muted_topics where topic ~ breaks loop
        begin
            update muted_topics set topic = regexp_replace(row.topic, breaks, ' ', 'g') where ctid = row.ctid;
        exception when unique_violation then
            delete from muted_topics where ctid = row.ctid;
        end;
    end loop;
    for row in select ctid, topic_key from topic_marks where topic_key ~ breaks loop
        begin
            update topic_marks set topic_key = regexp_replace(row.topic_key, breaks, ' ', 'g') where ctid = row.ctid;
        exception when unique_violation then
            delete from topic_marks where ctid = row.ctid;
        end;
    end loop;
    loop
        select org_id, message_id into last_org, last_message from (
            select org_id, message_id from messages where (org_id, message_id) > (after_org, after_message) order by org_id, message_id limit 5000
        ) m order by org_id desc, message_id desc limit 1;
        exit when not found;
        update messages set topic = regexp_replace(topic, breaks, ' ', 'g')
            where (org_id, message_id) > (after_org, after_message) and (org_id, message_id) <= (last_org, last_message) and topic ~ breaks;
        commit;
        after_org := last_org;
        after_message := last_message;
    end loop;
end $$;
-- +goose StatementEnd
reset lock_timeout;
