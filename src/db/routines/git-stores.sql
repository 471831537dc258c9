CREATE OR REPLACE FUNCTION "store_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "git_store" ("id") SELECT "id" FROM "added";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_stored" AFTER INSERT ON "repository" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "store_repositories"();

CREATE OR REPLACE FUNCTION "delete_refs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "ref" USING "removed" WHERE "ref"."repository_id" = "removed"."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "refs_deleted" AFTER DELETE ON "git_store" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "delete_refs"();
