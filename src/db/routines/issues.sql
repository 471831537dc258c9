-- Counts the open and closed issues and pull requests of a repository (repository_count) and of a milestone. Called by issue.
create or replace function count_issue() returns trigger language plpgsql as $$
declare
  -- How many there are after the change less before it.
  more_open integer := (case when tg_op <> 'DELETE' and new.closed_at is null then 1 else 0 end)
    - (case when tg_op <> 'INSERT' and old.closed_at is null then 1 else 0 end);
  more_closed integer := (case when tg_op <> 'DELETE' and new.closed_at is not null then 1 else 0 end)
    - (case when tg_op <> 'INSERT' and old.closed_at is not null then 1 else 0 end);
begin
  if more_open <> 0 or more_closed <> 0 then
    if coalesce(new.is_pull, old.is_pull) then
      update repository_count set open_pulls = open_pulls + more_open, closed_pulls = closed_pulls + more_closed
        where repository_id = coalesce(new.repository_id, old.repository_id);
    else
      update repository_count set open_issues = open_issues + more_open, closed_issues = closed_issues + more_closed
        where repository_id = coalesce(new.repository_id, old.repository_id);
    end if;
  elsif old.milestone_id is not distinct from new.milestone_id then
    return null;
  end if;
  -- In the order of ids, so that two transactions that exchange the milestones of two issues do not deadlock.
  perform from milestone where id in (old.milestone_id, new.milestone_id) order by id for no key update;
  if tg_op <> 'INSERT' and old.milestone_id is not null then
    update milestone set
      open_issues = open_issues - case when old.closed_at is null then 1 else 0 end,
      closed_issues = closed_issues - case when old.closed_at is null then 0 else 1 end
      where id = old.milestone_id;
  end if;
  if tg_op <> 'DELETE' and new.milestone_id is not null then
    update milestone set
      open_issues = open_issues + case when new.closed_at is null then 1 else 0 end,
      closed_issues = closed_issues + case when new.closed_at is null then 0 else 1 end
      where id = new.milestone_id;
  end if;
  return null;
end $$;

create or replace trigger issue_counted after insert or delete or update of closed_at, milestone_id on issue
  for each row execute function count_issue();

-- Counts changes of what a search for words finds: the list 'issue-change' of list_total, by which a remembered result is found
-- to be old. Called by issue for all that decides whether, where and in which order a search finds it, and by comment for
-- another text; note_comments_change counts comments that come and go.
create or replace function note_issue_change() returns trigger language plpgsql as $$
begin
  perform add_list_total('issue-change', 0, 0::smallint, 1);
  return null;
end $$;

create or replace trigger issue_found_otherwise
  after insert or delete or update of repository_id, is_pull, title, body, closed_at, created_at on issue
  for each statement execute function note_issue_change();

create or replace trigger comment_found_otherwise after update of body, pending on comment for each row
  when (old.body <> new.body or old.pending <> new.pending) execute function note_issue_change();

-- Copies to a new row of issue_label what orders and counts the issues of a label. It locks the issue: a transaction that closes
-- it at the same time sees this row, or this row is from after it. Called by issue_label.
create or replace function set_issue_of_label() returns trigger language plpgsql as $$
begin
  select repository_id, is_pull, closed_at is null, created_at
    into new.repository_id, new.is_pull, new.is_open, new.created_at
    from issue where id = new.issue_id for no key update;
  return new;
end $$;

create or replace trigger issue_labelled before insert on issue_label for each row execute function set_issue_of_label();

-- Brings the copies of set_issue_of_label up to date. Called by issue.
create or replace function follow_issue_of_label() returns trigger language plpgsql as $$
begin
  update issue_label set repository_id = new.repository_id, is_pull = new.is_pull, is_open = new.closed_at is null, created_at = new.created_at
    where issue_id = new.id;
  return null;
end $$;

create or replace trigger labelled_issue_changed after update of repository_id, is_pull, closed_at, created_at on issue for each row
  when ((old.closed_at is null) <> (new.closed_at is null) or old.repository_id <> new.repository_id
    or old.is_pull <> new.is_pull or old.created_at <> new.created_at)
  execute function follow_issue_of_label();
