ALTER TABLE "ref" DROP CONSTRAINT "ref_repository_id_git_store_id_fk";
--> statement-breakpoint
ALTER TABLE "repository_count" ADD COLUMN "forks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "repository" ADD COLUMN "fork_of" bigint;--> statement-breakpoint
ALTER TABLE "repository" ADD CONSTRAINT "repository_fork_of_repository_id_fk" FOREIGN KEY ("fork_of") REFERENCES "public"."repository"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "repository_count_forks" ON "repository_count" USING btree ("class","forks","repository_id");--> statement-breakpoint
CREATE INDEX "repository_fork" ON "repository" USING btree ("fork_of","owner_id");--> statement-breakpoint
-- A class tells forks apart: audience * 8 + fork * 4 + template * 2 + archived. Nothing is a fork yet.
CREATE FUNCTION "repository_class"("visibility" text, "private" boolean, "fork" boolean, "template" boolean, "archived" boolean) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT (CASE WHEN "private" THEN 24 WHEN "visibility" = 'public' THEN 0 WHEN "visibility" = 'limited' THEN 8 ELSE 16 END
		+ CASE WHEN "fork" THEN 4 ELSE 0 END + CASE WHEN "template" THEN 2 ELSE 0 END + CASE WHEN "archived" THEN 1 ELSE 0 END)::smallint
$$;
--> statement-breakpoint
-- The trigger on this table brings the other tables along. Who sees a repository does not change, so topics stay as they are.
ALTER TABLE "repository_listing" DISABLE TRIGGER "topics_changed";
--> statement-breakpoint
UPDATE "repository_listing" SET "class" = "class" + "class" - "class" % 4 WHERE "class" >= 4;
--> statement-breakpoint
ALTER TABLE "repository_listing" ENABLE TRIGGER "topics_changed";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "add_topics"("of_names" text[], "of_classes" smallint[], "changes" integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF "of_names" IS NULL THEN
		RETURN;
	END IF;
	INSERT INTO "topic" ("name", "open_to_all", "open_to_users", "repositories")
		SELECT "one"."name", coalesce(sum("change") FILTER (WHERE "class" < 8), 0), coalesce(sum("change") FILTER (WHERE "class" < 16), 0), sum("change")
		FROM unnest("of_names", "of_classes", "changes") AS "one" ("name", "class", "change") GROUP BY "one"."name"
		HAVING (coalesce(sum("change") FILTER (WHERE "class" < 8), 0), coalesce(sum("change") FILTER (WHERE "class" < 16), 0), sum("change")) <> (0, 0, 0)
		ORDER BY "one"."name" COLLATE "C"
		ON CONFLICT ("name") DO UPDATE SET "open_to_all" = "topic"."open_to_all" + excluded."open_to_all",
			"open_to_users" = "topic"."open_to_users" + excluded."open_to_users",
			"repositories" = "topic"."repositories" + excluded."repositories", "updated_at" = now();
	DELETE FROM "topic" WHERE "name" = ANY ("of_names") AND "repositories" = 0;
END $$;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "unlist_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "repository_listing" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "repository_size" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "repository_count" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'lfs-object' AND "subject_id" = "removed"."id";
	IF EXISTS (SELECT FROM "removed" WHERE "fork_of" IS NOT NULL) THEN
		UPDATE "repository_count" SET "forks" = "forks" - "forked"."count"
			FROM (SELECT "fork_of", count(*) AS "count" FROM "removed" WHERE "fork_of" IS NOT NULL GROUP BY "fork_of") AS "forked"
			WHERE "repository_id" = "forked"."fork_of";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "repository_relisted" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (
	(OLD."owner_id", OLD."lower_name", OLD."private", OLD."fork_of", OLD."template", OLD."archived_at", OLD."topics", OLD."description", OLD."updated_at")
	IS DISTINCT FROM (NEW."owner_id", NEW."lower_name", NEW."private", NEW."fork_of", NEW."template", NEW."archived_at", NEW."topics", NEW."description", NEW."updated_at")
) EXECUTE FUNCTION "relist_repository"();
--> statement-breakpoint
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
--> statement-breakpoint
DROP FUNCTION "repository_class"(text, boolean, boolean, boolean);
--> statement-breakpoint
CREATE FUNCTION "delete_refs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "ref" USING "removed" WHERE "ref"."repository_id" = "removed"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "refs_deleted" AFTER DELETE ON "git_store" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "delete_refs"();
