-- Names with the same letters are the same, however these are encoded: é as one character (Unicode's NFC), in which form names are stored
-- from now on, or as an e and an accent. 00055 does this for the topics of messages. What two names of an organization would then share,
-- such as two streams, keeps its name; a topic's mark or mute gives way to that of the other spelling.

-- +goose Up

-- +goose StatementBegin
do $$
declare
    row record;
begin
    update users set full_name = normalize(full_name) where full_name is not normalized;
    for row in select ctid, name from streams where name is not normalized loop
        begin
            update streams set name = normalize(row.name) where ctid = row.ctid;
        exception when unique_violation then null;
        end;
    end loop;
    for row in select ctid, name from user_groups where name is not normalized loop
        begin
            update user_groups set name = normalize(row.name) where ctid = row.ctid;
        exception when unique_violation then null;
        end;
    end loop;
    for row in select ctid, topic from muted_topics where topic is not normalized loop
        begin
            update muted_topics set topic = normalize(row.topic) where ctid = row.ctid;
        exception when unique_violation then
            delete from muted_topics where ctid = row.ctid;
        end;
    end loop;
    for row in select ctid, topic_key from topic_marks where topic_key is not normalized loop
        begin
            update topic_marks set topic_key = normalize(row.topic_key) where ctid = row.ctid;
        exception when unique_violation then
            delete from topic_marks where ctid = row.ctid;
        end;
    end loop;
end $$;
-- +goose StatementEnd
