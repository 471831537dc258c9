CREATE OR REPLACE FUNCTION "count_transfer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE "repository_count" SET "transfers" = "transfers" + 1 WHERE "repository_id" = NEW."repository_id";
	ELSE
		-- Whoever was let in to look at what they were offered has no further reason to be.
		DELETE FROM "collaborator" WHERE "repository_id" = OLD."repository_id" AND "for_transfer";
		UPDATE "repository_count" SET "transfers" = "transfers" - 1 WHERE "repository_id" = OLD."repository_id";
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "transfer_counted" AFTER INSERT OR DELETE ON "repository_transfer" FOR EACH ROW EXECUTE FUNCTION "count_transfer"();
