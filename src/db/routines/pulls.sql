-- Copies to pull.open whether the issue of a pull request is open, so that an index of pull can have it. Called by issue.
create or replace function open_pull() returns trigger language plpgsql as $$
begin
  update pull set open = new.closed_at is null where issue_id = new.id;
  return null;
end $$;

create or replace trigger pull_opened after update of closed_at on issue for each row
  when (new.is_pull and (old.closed_at is null) <> (new.closed_at is null)) execute function open_pull();
