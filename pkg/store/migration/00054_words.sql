-- Searches find words in angle brackets. PostgreSQL takes <String> for a tag, and indexes none of it, so List<String> was found only
-- by "list". A generated column can't get another expression without all messages being written again.

-- +goose Up

alter table messages alter column search drop expression;
-- +goose StatementBegin
create function index_words() returns trigger language plpgsql as $$
begin
    new.search := to_tsvector('english', translate(new.topic || ' ' || new.content, '<>', '  '));
    return new;
end $$;
-- +goose StatementEnd
create trigger messages_words before insert or update of topic, content on messages for each row execute function index_words();
