-- name: ImageKeys :many
select key from image_keys order by key_id desc;
