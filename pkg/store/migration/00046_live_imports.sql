-- Until an import ends, its organization is deactivated. Earlier releases could make it active before: the import can't be
-- continued, and would prevent changes of the organization for good.

-- +goose Up
delete from imports i using organizations o where o.org_id = i.org_id and not o.deactivated;
