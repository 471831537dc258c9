-- A class tells forks apart: audience * 8 + fork * 4 + template * 2 + archived. Nothing is a fork yet.
CREATE OR REPLACE FUNCTION "repository_class"("visibility" text, "private" boolean, "fork" boolean, "template" boolean, "archived" boolean) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT (CASE WHEN "private" THEN 24 WHEN "visibility" = 'public' THEN 0 WHEN "visibility" = 'limited' THEN 8 ELSE 16 END
		+ CASE WHEN "fork" THEN 4 ELSE 0 END + CASE WHEN "template" THEN 2 ELSE 0 END + CASE WHEN "archived" THEN 1 ELSE 0 END)::smallint
$$;

CREATE OR REPLACE FUNCTION "list_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Whoever shows the owner to others or to fewer has its row: the class is of before or after, and they see these rows or wait.
	PERFORM FROM "owner" WHERE "id" IN (SELECT "owner_id" FROM "added") ORDER BY "id" FOR SHARE;
	INSERT INTO "repository_listing" SELECT "added"."id", "added"."owner_id",
		"repository_class"("owner"."visibility", "added"."private", "added"."fork_of" IS NOT NULL, "added"."template", "added"."archived_at" IS NOT NULL),
		"owner"."lower_name", "added"."lower_name", "added"."created_at", "added"."topics", lower("added"."description")
		FROM "added" JOIN "owner" ON "owner"."id" = "added"."owner_id";
	INSERT INTO "repository_size" ("repository_id", "class", "updated_at")
		SELECT "added"."id", "class", "updated_at" FROM "added" JOIN "repository_listing" ON "repository_id" = "added"."id";
	INSERT INTO "repository_count" ("repository_id", "class")
		SELECT "added"."id", "class" FROM "added" JOIN "repository_listing" ON "repository_id" = "added"."id";
	IF EXISTS (SELECT FROM "added" WHERE "fork_of" IS NOT NULL) THEN
		UPDATE "repository_count" SET "forks" = "forks" + "forked"."count"
			FROM (SELECT "fork_of", count(*) AS "count" FROM "added" WHERE "fork_of" IS NOT NULL GROUP BY "fork_of") AS "forked"
			WHERE "repository_id" = "forked"."fork_of";
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_listed" AFTER INSERT ON "repository" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "list_repositories"();

CREATE OR REPLACE FUNCTION "relist_repository"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF (OLD."owner_id", OLD."lower_name", OLD."private", OLD."fork_of" IS NULL, OLD."template", OLD."archived_at" IS NULL, OLD."topics", OLD."description")
		IS DISTINCT FROM (NEW."owner_id", NEW."lower_name", NEW."private", NEW."fork_of" IS NULL, NEW."template", NEW."archived_at" IS NULL, NEW."topics", NEW."description") THEN
		PERFORM FROM "owner" WHERE "id" = NEW."owner_id" FOR SHARE;
		UPDATE "repository_listing" SET "owner_id" = NEW."owner_id",
			"class" = "repository_class"("owner"."visibility", NEW."private", NEW."fork_of" IS NOT NULL, NEW."template", NEW."archived_at" IS NOT NULL),
			"owner_name" = "owner"."lower_name", "name" = NEW."lower_name", "topics" = NEW."topics", "description" = lower(NEW."description")
			FROM "owner" WHERE "owner"."id" = NEW."owner_id" AND "repository_id" = NEW."id";
	END IF;
	UPDATE "repository_size" SET "updated_at" = NEW."updated_at" WHERE "repository_id" = NEW."id" AND "updated_at" <> NEW."updated_at";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_relisted" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (
	(OLD."owner_id", OLD."lower_name", OLD."private", OLD."fork_of", OLD."template", OLD."archived_at", OLD."topics", OLD."description", OLD."updated_at")
	IS DISTINCT FROM (NEW."owner_id", NEW."lower_name", NEW."private", NEW."fork_of", NEW."template", NEW."archived_at", NEW."topics", NEW."description", NEW."updated_at")
) EXECUTE FUNCTION "relist_repository"();

CREATE OR REPLACE FUNCTION "relist_owner"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "repository_listing" SET "owner_name" = NEW."lower_name",
		"class" = "repository_class"(NEW."visibility", "class" >= 24, "class" & 4 > 0, "class" & 2 > 0, "class" & 1 > 0) WHERE "owner_id" = NEW."id";
	IF OLD."visibility" <> NEW."visibility" THEN
		PERFORM "add_list_total"(OLD."kind", 0, "owner_class"(OLD."visibility"), -1);
		PERFORM "add_list_total"(NEW."kind", 0, "owner_class"(NEW."visibility"), 1);
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "owner_relisted" AFTER UPDATE ON "owner" FOR EACH ROW
	WHEN ((OLD."visibility", OLD."lower_name") IS DISTINCT FROM (NEW."visibility", NEW."lower_name")) EXECUTE FUNCTION "relist_owner"();

-- The LFS objects of a wiki hang on the id that its refs and packs hang on: minus that of the repository.
CREATE OR REPLACE FUNCTION "unlist_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "repository_listing" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "repository_size" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "repository_count" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'lfs-object' AND "subject_id" = "removed"."id";
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'lfs-object' AND "subject_id" = -"removed"."id";
	IF EXISTS (SELECT FROM "removed" WHERE "fork_of" IS NOT NULL) THEN
		UPDATE "repository_count" SET "forks" = "forks" - "forked"."count"
			FROM (SELECT "fork_of", count(*) AS "count" FROM "removed" WHERE "fork_of" IS NOT NULL GROUP BY "fork_of") AS "forked"
			WHERE "repository_id" = "forked"."fork_of";
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_unlisted" AFTER DELETE ON "repository" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "unlist_repositories"();

CREATE OR REPLACE FUNCTION "count_listed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"('repository', coalesce("owner_id", 0), "class", CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END)
		FROM "changed" GROUP BY GROUPING SETS (("owner_id", "class"), ("class"));
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "listings_added" AFTER INSERT ON "repository_listing" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_listed"();

CREATE OR REPLACE TRIGGER "listings_removed" AFTER DELETE ON "repository_listing" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_listed"();

CREATE OR REPLACE FUNCTION "count_relisted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"('repository', coalesce("owner_id", 0), "class", sum("change")::bigint) FROM (
		SELECT "owner_id", "class", -1 AS "change" FROM "before" UNION ALL SELECT "owner_id", "class", 1 FROM "after"
	) AS "moved" GROUP BY GROUPING SETS (("owner_id", "class"), ("class")) HAVING sum("change") <> 0;
	UPDATE "repository_size" SET "class" = "after"."class" FROM "after"
		WHERE "repository_size"."repository_id" = "after"."repository_id" AND "repository_size"."class" <> "after"."class";
	UPDATE "repository_count" SET "class" = "after"."class" FROM "after"
		WHERE "repository_count"."repository_id" = "after"."repository_id" AND "repository_count"."class" <> "after"."class";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "listings_changed" AFTER UPDATE ON "repository_listing" REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "count_relisted"();
