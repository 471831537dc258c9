-- Ends the sessions of a user, and the links that reset the password, if the password changes or the user may no longer sign in.
-- Called by account.
create or replace function end_sessions() returns trigger language plpgsql as $$
begin
  delete from session where user_id = new.owner_id;
  delete from mail_token where user_id = new.owner_id and purpose = 'reset-password';
  return null;
end $$;

create or replace trigger sessions_ended after update of password_hash, active, suspended on account for each row
  when (old.password_hash is distinct from new.password_hash or (old.active and not new.active) or (new.suspended and not old.suspended))
  execute function end_sessions();

-- Deletes the token of an application with its grant, however the grant ends. Called by oauth_access_token.
create or replace function end_oauth_access_token() returns trigger language plpgsql as $$
begin
  delete from access_token where id = old.token_id;
  return null;
end $$;

create or replace trigger oauth_access_token_ended after delete on oauth_access_token
  for each row execute function end_oauth_access_token();
