-- Searches find the words of what PostgreSQL takes for one word: addresses, names of files, yes/no. It indexed
-- https://docs.harbour.example/guide as docs.harbour.example, among others, and not as harbour or guide. Versions and decimal numbers
-- remain words. Letters with accents are found however they are encoded.

-- +goose Up

-- +goose StatementBegin
create or replace function index_words() returns trigger language plpgsql as $$
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
