-- The parts of a text of two and three characters. Their indexes find what a word is part of, and need no extension.
CREATE FUNCTION "text_grams"("value" text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT coalesce(array_agg("one" || "two") FILTER (WHERE "two" IS NOT NULL), '{}') || coalesce(array_agg("one" || "two" || "three") FILTER (WHERE "three" IS NOT NULL), '{}')
	FROM (SELECT string_to_array("value", NULL) AS "all") AS "text", unnest("all", "all"[2:], "all"[3:]) AS "place" ("one", "two", "three")
$$;
--> statement-breakpoint
-- Those parts that a text has that contains this word: the longest ones are enough.
CREATE FUNCTION "word_grams"("word" text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT coalesce(array_agg(DISTINCT substr("word", "place", 3)), '{}') FROM generate_series(1, greatest(length("word") - 2, 1)) AS "place" WHERE length("word") > 1
$$;
--> statement-breakpoint
CREATE FUNCTION "list_words"("owner_name" text, "name" text, "topics" text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT "owner_name" || '/' || "name" || E'\n' || array_to_string("topics", E'\n')
$$;
--> statement-breakpoint
CREATE FUNCTION "repository_class"("visibility" text, "private" boolean, "template" boolean, "archived" boolean) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT (CASE WHEN "private" THEN 12 WHEN "visibility" = 'public' THEN 0 WHEN "visibility" = 'limited' THEN 4 ELSE 8 END
		+ CASE WHEN "template" THEN 2 ELSE 0 END + CASE WHEN "archived" THEN 1 ELSE 0 END)::smallint
$$;
--> statement-breakpoint
CREATE FUNCTION "owner_class"("visibility" text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT (CASE "visibility" WHEN 'public' THEN 0 WHEN 'limited' THEN 1 ELSE 2 END)::smallint
$$;
--> statement-breakpoint
CREATE TABLE "list_total" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "list_total_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"list" text NOT NULL,
	"owner_id" bigint NOT NULL,
	"class" smallint NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_count" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"class" smallint NOT NULL,
	"stars" integer DEFAULT 0 NOT NULL,
	"watchers" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_listing" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"owner_id" bigint NOT NULL,
	"class" smallint NOT NULL,
	"owner_name" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"topics" text[] NOT NULL,
	"description" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_size" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"class" smallint NOT NULL,
	"git_bytes" bigint DEFAULT 0 NOT NULL,
	"lfs_bytes" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint GENERATED ALWAYS AS (git_bytes + lfs_bytes) STORED NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
INSERT INTO "repository_listing" SELECT "repository"."id", "repository"."owner_id",
	"repository_class"("owner"."visibility", "repository"."private", "repository"."template", "repository"."archived_at" IS NOT NULL),
	"owner"."lower_name", "repository"."lower_name", "repository"."created_at", "repository"."topics", lower("repository"."description")
	FROM "repository" JOIN "owner" ON "owner"."id" = "repository"."owner_id";
--> statement-breakpoint
INSERT INTO "repository_size" ("repository_id", "class", "git_bytes", "lfs_bytes", "updated_at")
	SELECT "id", "class", "git_bytes", "lfs_bytes", "updated_at" FROM "repository" JOIN "repository_listing" ON "repository_id" = "id";
--> statement-breakpoint
INSERT INTO "repository_count" SELECT "id", "class", "stars", "watchers" FROM "repository" JOIN "repository_listing" ON "repository_id" = "id";
--> statement-breakpoint
INSERT INTO "list_total" ("list", "owner_id", "class", "count")
	SELECT 'repository', coalesce("owner_id", 0), "class", count(*) FROM "repository_listing" GROUP BY GROUPING SETS (("owner_id", "class"), ("class"))
	UNION ALL SELECT "kind", 0, "owner_class"("visibility"), count(*) FROM "owner" GROUP BY 1, 3;
--> statement-breakpoint
DROP INDEX "repository_updated";--> statement-breakpoint
CREATE INDEX "list_total_key" ON "list_total" USING btree ("list","owner_id","class");--> statement-breakpoint
CREATE INDEX "repository_count_stars" ON "repository_count" USING btree ("class","stars","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_id" ON "repository_listing" USING btree ("class","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_full_name" ON "repository_listing" USING btree ("class","owner_name","name","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_name" ON "repository_listing" USING btree ("class","name","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_created" ON "repository_listing" USING btree ("class","created_at","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_owner_id" ON "repository_listing" USING btree ("owner_id","class","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_owner_name" ON "repository_listing" USING btree ("owner_id","class","name","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_words" ON "repository_listing" USING gin (text_grams(list_words("owner_name", "name", "topics"))) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "repository_listing_topics" ON "repository_listing" USING gin ("topics") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "repository_listing_description" ON "repository_listing" USING gin (text_grams("description")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "repository_size_bytes" ON "repository_size" USING btree ("class","bytes","repository_id");--> statement-breakpoint
CREATE INDEX "repository_size_git" ON "repository_size" USING btree ("class","git_bytes","repository_id");--> statement-breakpoint
CREATE INDEX "repository_size_lfs" ON "repository_size" USING btree ("class","lfs_bytes","repository_id");--> statement-breakpoint
CREATE INDEX "repository_size_updated" ON "repository_size" USING btree ("class","updated_at","repository_id");--> statement-breakpoint
CREATE INDEX "owner_listed" ON "owner" USING btree ("kind","visibility","lower_name");--> statement-breakpoint
CREATE INDEX "owner_name" ON "owner" USING btree ("kind","lower_name");--> statement-breakpoint
CREATE INDEX "owner_created" ON "owner" USING btree ("kind","created_at","id");--> statement-breakpoint
CREATE INDEX "owner_updated" ON "owner" USING btree ("kind","updated_at","id");--> statement-breakpoint
CREATE INDEX "owner_words" ON "owner" USING gin (text_grams("lower_name" || E'\n' || lower("full_name"))) WITH (fastupdate=false);--> statement-breakpoint
ALTER TABLE "repository" DROP COLUMN "git_bytes";--> statement-breakpoint
ALTER TABLE "repository" DROP COLUMN "lfs_bytes";--> statement-breakpoint
ALTER TABLE "repository" DROP COLUMN "stars";--> statement-breakpoint
ALTER TABLE "repository" DROP COLUMN "watchers";
--> statement-breakpoint
-- Adds to a number, and folds into the new row those that nobody else holds.
CREATE FUNCTION "add_list_total"("of_list" text, "of_owner" bigint, "of_class" smallint, "added" bigint) RETURNS void LANGUAGE plpgsql AS $$
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
--> statement-breakpoint
CREATE FUNCTION "list_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Whoever shows the owner to others or to fewer has its row: the class is of before or after, and they see these rows or wait.
	PERFORM FROM "owner" WHERE "id" IN (SELECT "owner_id" FROM "added") ORDER BY "id" FOR SHARE;
	INSERT INTO "repository_listing" SELECT "added"."id", "added"."owner_id",
		"repository_class"("owner"."visibility", "added"."private", "added"."template", "added"."archived_at" IS NOT NULL),
		"owner"."lower_name", "added"."lower_name", "added"."created_at", "added"."topics", lower("added"."description")
		FROM "added" JOIN "owner" ON "owner"."id" = "added"."owner_id";
	INSERT INTO "repository_size" ("repository_id", "class", "updated_at")
		SELECT "added"."id", "class", "updated_at" FROM "added" JOIN "repository_listing" ON "repository_id" = "added"."id";
	INSERT INTO "repository_count" ("repository_id", "class")
		SELECT "added"."id", "class" FROM "added" JOIN "repository_listing" ON "repository_id" = "added"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_listed" AFTER INSERT ON "repository" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "list_repositories"();
--> statement-breakpoint
CREATE FUNCTION "unlist_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "repository_listing" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "repository_size" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "repository_count" USING "removed" WHERE "repository_id" = "removed"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_unlisted" AFTER DELETE ON "repository" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "unlist_repositories"();
--> statement-breakpoint
CREATE FUNCTION "relist_repository"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF (OLD."owner_id", OLD."lower_name", OLD."private", OLD."template", OLD."archived_at" IS NULL, OLD."topics", OLD."description")
		IS DISTINCT FROM (NEW."owner_id", NEW."lower_name", NEW."private", NEW."template", NEW."archived_at" IS NULL, NEW."topics", NEW."description") THEN
		PERFORM FROM "owner" WHERE "id" = NEW."owner_id" FOR SHARE;
		UPDATE "repository_listing" SET "owner_id" = NEW."owner_id",
			"class" = "repository_class"("owner"."visibility", NEW."private", NEW."template", NEW."archived_at" IS NOT NULL),
			"owner_name" = "owner"."lower_name", "name" = NEW."lower_name", "topics" = NEW."topics", "description" = lower(NEW."description")
			FROM "owner" WHERE "owner"."id" = NEW."owner_id" AND "repository_id" = NEW."id";
	END IF;
	UPDATE "repository_size" SET "updated_at" = NEW."updated_at" WHERE "repository_id" = NEW."id" AND "updated_at" <> NEW."updated_at";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_relisted" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (
	(OLD."owner_id", OLD."lower_name", OLD."private", OLD."template", OLD."archived_at", OLD."topics", OLD."description", OLD."updated_at")
	IS DISTINCT FROM (NEW."owner_id", NEW."lower_name", NEW."private", NEW."template", NEW."archived_at", NEW."topics", NEW."description", NEW."updated_at")
) EXECUTE FUNCTION "relist_repository"();
--> statement-breakpoint
CREATE FUNCTION "relist_owner"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "repository_listing" SET "owner_name" = NEW."lower_name",
		"class" = "repository_class"(NEW."visibility", "class" >= 12, "class" & 2 > 0, "class" & 1 > 0) WHERE "owner_id" = NEW."id";
	IF OLD."visibility" <> NEW."visibility" THEN
		PERFORM "add_list_total"(OLD."kind", 0, "owner_class"(OLD."visibility"), -1);
		PERFORM "add_list_total"(NEW."kind", 0, "owner_class"(NEW."visibility"), 1);
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "owner_relisted" AFTER UPDATE ON "owner" FOR EACH ROW
	WHEN ((OLD."visibility", OLD."lower_name") IS DISTINCT FROM (NEW."visibility", NEW."lower_name")) EXECUTE FUNCTION "relist_owner"();
--> statement-breakpoint
CREATE FUNCTION "count_owners"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"("kind", 0, "owner_class"("visibility"), CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END) FROM "changed" GROUP BY "kind", "visibility";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "owners_added" AFTER INSERT ON "owner" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_owners"();
--> statement-breakpoint
CREATE TRIGGER "owners_removed" AFTER DELETE ON "owner" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_owners"();
--> statement-breakpoint
CREATE FUNCTION "count_listed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"('repository', coalesce("owner_id", 0), "class", CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END)
		FROM "changed" GROUP BY GROUPING SETS (("owner_id", "class"), ("class"));
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "listings_added" AFTER INSERT ON "repository_listing" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_listed"();
--> statement-breakpoint
CREATE TRIGGER "listings_removed" AFTER DELETE ON "repository_listing" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_listed"();
--> statement-breakpoint
CREATE FUNCTION "count_relisted"() RETURNS trigger LANGUAGE plpgsql AS $$
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
--> statement-breakpoint
CREATE TRIGGER "listings_changed" AFTER UPDATE ON "repository_listing" REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "count_relisted"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "count_star"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE "owner" SET "starred" = "starred" + 1 WHERE "id" = NEW."user_id";
		UPDATE "repository_count" SET "stars" = "stars" + 1 WHERE "repository_id" = NEW."repository_id";
	ELSE
		UPDATE "owner" SET "starred" = "starred" - 1 WHERE "id" = OLD."user_id";
		UPDATE "repository_count" SET "stars" = "stars" - 1 WHERE "repository_id" = OLD."repository_id";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "count_watch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE "repository_count" SET "watchers" = "watchers" + 1 WHERE "repository_id" = NEW."repository_id";
	ELSE
		UPDATE "repository_count" SET "watchers" = "watchers" - 1 WHERE "repository_id" = OLD."repository_id";
	END IF;
	RETURN NULL;
END $$;
