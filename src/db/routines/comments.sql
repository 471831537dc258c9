-- Counts issue.comments and, by repository and by issue or pull request, the list 'comment' of list_total. A new comment also
-- sets issue.updated_at. Once a statement, because a repository may have many. Called by comment.
create or replace function count_comments() returns trigger language plpgsql as $$
declare
  of_one record;
begin
  for of_one in
    with counted as (
      update issue set comments = comments + changes.count,
          updated_at = case tg_op when 'INSERT' then greatest(issue.updated_at, changes.newest) else issue.updated_at end
        from (select issue_id, case tg_op when 'INSERT' then count(*) else -count(*) end as count, max(created_at) as newest
          from changed where kind = 'comment' group by issue_id) as changes
        where issue.id = changes.issue_id
        returning issue.repository_id, issue.is_pull, changes.count
    ) select repository_id, is_pull::integer::smallint as class, sum(count)::bigint as count from counted group by 1, 2
  loop
    perform add_list_total('comment', of_one.repository_id, of_one.class, of_one.count);
  end loop;
  return null;
end $$;

create or replace trigger comments_added after insert on comment referencing new table as changed
  for each statement execute function count_comments();

create or replace trigger comments_removed after delete on comment referencing old table as changed
  for each statement execute function count_comments();

-- Takes the comments of a deleted issue from the list 'comment' of list_total. They are deleted after the issue, so
-- count_comments does not find it. Called by issue.
create or replace function count_comments_of_removed() returns trigger language plpgsql as $$
begin
  perform add_list_total('comment', repository_id, class, -comments)
    from (select repository_id, is_pull::integer::smallint as class, sum(comments)::bigint as comments from removed group by 1, 2) as each
    where comments > 0;
  return null;
end $$;

create or replace trigger issue_comments_removed after delete on issue referencing old table as removed
  for each statement execute function count_comments_of_removed();

-- Counts as note_issue_change does, if a search for words finds one of the comments. Called by comment.
create or replace function note_comments_change() returns trigger language plpgsql as $$
begin
  if exists (select from changed where kind in ('comment', 'code', 'review') and not pending and body <> '') then
    perform add_list_total('issue-change', 0, 0::smallint, 1);
  end if;
  return null;
end $$;

create or replace trigger comments_added_to_search after insert on comment referencing new table as changed
  for each statement execute function note_comments_change();

create or replace trigger comments_removed_from_search after delete on comment referencing old table as changed
  for each statement execute function note_comments_change();
