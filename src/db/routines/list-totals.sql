-- Adds to the total of a list, owner and class: inserts a row, so that writers never wait for each other, and folds into it the
-- rows that no other transaction has locked. A total is the sum of its rows. Called by routines here and in listings, issues
-- and comments.
create or replace function add_list_total(of_list text, of_owner bigint, of_class smallint, added bigint) returns void language plpgsql as $$
declare
  total bigint;
begin
  with folded as (
    delete from list_total where id = any (array(
      select id from list_total where list = of_list and owner_id = of_owner and class = of_class for update skip locked
    )) returning count
  ) select coalesce(sum(count), 0) + added into total from folded;
  if total <> 0 then
    insert into list_total (list, owner_id, class, count) values (of_list, of_owner, of_class, total);
  end if;
end $$;

-- Returns the class of an owner in list_total: who may see the owner.
create or replace function owner_class(visibility text) returns smallint language sql immutable parallel safe as $$
  select (case visibility when 'public' then 0 when 'limited' then 1 else 2 end)::smallint
$$;

-- Counts users and organizations by class: the lists 'user' and 'organization' of list_total. Called by owner; relist_owner
-- counts changes.
create or replace function count_owners() returns trigger language plpgsql as $$
begin
  perform add_list_total(kind, 0, owner_class(visibility), case tg_op when 'INSERT' then count(*) else -count(*) end)
    from changed group by kind, visibility;
  return null;
end $$;

create or replace trigger owners_added after insert on owner referencing new table as changed
  for each statement execute function count_owners();

create or replace trigger owners_removed after delete on owner referencing old table as changed
  for each statement execute function count_owners();
