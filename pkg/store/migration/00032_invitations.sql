-- Invitations count as long as who sent them may still send them.

-- +goose Up

-- may_invite says whether an account may invite people as a role: by a mail, or by a link for anybody, which is for administrators.
create function may_invite(inviter bigint, as_role smallint, link text) returns boolean language sql stable parallel safe as $$
    select exists (select from users u
        where u.org_id = current_setting('app.org')::bigint and u.user_id = inviter and u.active
            and u.role <= least(as_role, case when link is null then 400 else 200 end))
$$;
