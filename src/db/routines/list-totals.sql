-- Adds to a number, and folds into the new row those that nobody else holds.
CREATE OR REPLACE FUNCTION "add_list_total"("of_list" text, "of_owner" bigint, "of_class" smallint, "added" bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	"total" bigint;
BEGIN
	WITH "folded" AS (
		DELETE FROM "list_total" WHERE "id" = ANY (ARRAY(
			SELECT "id" FROM "list_total" WHERE "list" = "of_list" AND "owner_id" = "of_owner" AND "class" = "of_class" FOR UPDATE SKIP LOCKED
		)) RETURNING "count"
	) SELECT coalesce(sum("count"), 0) + "added" INTO "total" FROM "folded";
	IF "total" <> 0 THEN
		INSERT INTO "list_total" ("list", "owner_id", "class", "count") VALUES ("of_list", "of_owner", "of_class", "total");
	END IF;
END $$;

CREATE OR REPLACE FUNCTION "owner_class"("visibility" text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT (CASE "visibility" WHEN 'public' THEN 0 WHEN 'limited' THEN 1 ELSE 2 END)::smallint
$$;

CREATE OR REPLACE FUNCTION "count_owners"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"("kind", 0, "owner_class"("visibility"), CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END) FROM "changed" GROUP BY "kind", "visibility";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "owners_added" AFTER INSERT ON "owner" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_owners"();

CREATE OR REPLACE TRIGGER "owners_removed" AFTER DELETE ON "owner" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_owners"();
