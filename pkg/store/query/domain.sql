-- name: EmailDomains :many
select domain, allow_subdomains from email_domains where org_id = current_setting('app.org')::bigint order by domain collate "C";

-- name: AddEmailDomain :one
insert into email_domains (domain, allow_subdomains) values (@domain, @allow_subdomains)
on conflict (org_id, domain) do nothing
returning domain_id;

-- name: ChangeEmailDomain :execrows
update email_domains set allow_subdomains = @allow_subdomains where domain = @domain;

-- name: RemoveEmailDomain :execrows
delete from email_domains where domain = @domain;

-- name: AllowsEmailDomain :one
-- Reports whether a domain is in the list, or one of its parents is and allows subdomains.
select exists (select from email_domains
    where domain = @domain::text or allow_subdomains and domain = any (@parents::text[])) as allowed;
