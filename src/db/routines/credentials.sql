-- Sessions end with the password that began them, and with the right to sign in, whoever changes it.
CREATE OR REPLACE FUNCTION "end_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "session" WHERE "user_id" = NEW."owner_id";
	DELETE FROM "mail_token" WHERE "user_id" = NEW."owner_id" AND "purpose" = 'reset-password';
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "sessions_ended" AFTER UPDATE OF "password_hash", "active", "suspended" ON "account" FOR EACH ROW
	WHEN (OLD."password_hash" IS DISTINCT FROM NEW."password_hash" OR (OLD."active" AND NOT NEW."active") OR (NEW."suspended" AND NOT OLD."suspended"))
	EXECUTE FUNCTION "end_sessions"();

-- A token that was issued to an application is nothing without its grant, however the grant ends.
CREATE OR REPLACE FUNCTION "end_oauth_access_token"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "access_token" WHERE "id" = OLD."token_id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "oauth_access_token_ended" AFTER DELETE ON "oauth_access_token" FOR EACH ROW EXECUTE FUNCTION "end_oauth_access_token"();
