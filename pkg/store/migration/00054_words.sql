-- Searches find words in angle brackets, and those of what PostgreSQL takes for one word: addresses, names of files, yes/no. It takes
-- <String> for a tag, and indexes none of it, and indexed https://docs.harbour.example/guide as docs.harbour.example, among others,
-- and not as harbour or guide. Versions and decimal numbers remain words. Letters with accents are found however they are encoded.
--
-- A generated column can't get another expression without all messages being written again.

-- +goose Up

alter table messages alter column search drop expression;
-- +goose StatementBegin
create function index_words() returns trigger language plpgsql as $$
declare
    words text := new.topic || ' ' || new.content;
begin
    if octet_length(words) <> length(words) then
        words := normalize(words);
    end if;
    new.search := to_tsvector('english', regexp_replace(words, '(?<![0-9])[./@]|[./@](?![0-9])|[<>]', ' ', 'g'));
    return new;
end $$;
-- +goose StatementEnd
create trigger messages_words before insert or update of topic, content on messages for each row execute function index_words();
