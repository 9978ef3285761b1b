-- Thumbnails of uploaded images (rest-api.md, section 7.9).

-- +goose Up

alter table attachments
    add column thumbnail_path text, -- in files; null: there is none
    add column thumbnail_type text, -- its media type; empty: the file itself is shown; null: nobody has asked for one
    add constraint attachments_thumbnail foreign key (org_id, thumbnail_path) references files,
    add constraint attachments_thumbnail_type check ((thumbnail_path is not null) = (coalesce(thumbnail_type, '') <> ''));
create unique index attachments_thumbnails on attachments (org_id, thumbnail_path) where thumbnail_path is not null;

-- A thumbnail goes with its file, whoever deletes that.
-- +goose StatementBegin
create function drop_thumbnail() returns trigger language plpgsql as $$
begin
    delete from files f where f.org_id = old.org_id and f.path = old.thumbnail_path;
    return null;
end $$;
-- +goose StatementEnd
create trigger attachments_deleted after delete on attachments
    for each row when (old.thumbnail_path is not null) execute function drop_thumbnail();
