CREATE OR REPLACE FUNCTION "open_pull"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "pull" SET "open" = NEW."closed_at" IS NULL WHERE "issue_id" = NEW."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "pull_opened" AFTER UPDATE OF "closed_at" ON "issue" FOR EACH ROW
	WHEN (NEW."is_pull" AND (OLD."closed_at" IS NULL) <> (NEW."closed_at" IS NULL)) EXECUTE FUNCTION "open_pull"();
