-- Once a statement, not once a row: a repository goes with any number of releases.
CREATE OR REPLACE FUNCTION "count_releases"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "repository_count" SET "releases" = "releases" + CASE TG_OP WHEN 'INSERT' THEN "some"."count" ELSE -"some"."count" END
		FROM (SELECT "repository_id", count(*) AS "count" FROM "changed" WHERE NOT "draft" GROUP BY "repository_id") AS "some"
		WHERE "repository_count"."repository_id" = "some"."repository_id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "releases_added" AFTER INSERT ON "release" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_releases"();

CREATE OR REPLACE TRIGGER "releases_removed" AFTER DELETE ON "release" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_releases"();

CREATE OR REPLACE FUNCTION "recount_releases"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "repository_count" SET "releases" = "releases" + "some"."change" FROM (
		SELECT "repository_id", sum("change") AS "change" FROM (
			SELECT "repository_id", -1 AS "change" FROM "before" WHERE NOT "draft" UNION ALL SELECT "repository_id", 1 FROM "after" WHERE NOT "draft"
		) AS "each" GROUP BY "repository_id" HAVING sum("change") <> 0
	) AS "some" WHERE "repository_count"."repository_id" = "some"."repository_id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "releases_changed" AFTER UPDATE ON "release" REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "recount_releases"();
