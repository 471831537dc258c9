DROP INDEX "issue_label_label";--> statement-breakpoint
ALTER TABLE "issue_label" ADD COLUMN "repository_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "issue_label" ADD COLUMN "is_pull" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "issue_label" ADD COLUMN "is_open" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "issue_label" ADD COLUMN "created_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "issue_label_listed" ON "issue_label" USING btree ("label_id","repository_id","is_pull","is_open","created_at","issue_id");--> statement-breakpoint
UPDATE "issue_label" SET "repository_id" = "issue"."repository_id", "is_pull" = "issue"."is_pull", "is_open" = "issue"."closed_at" IS NULL, "created_at" = "issue"."created_at"
	FROM "issue" WHERE "issue"."id" = "issue_label"."issue_id";
--> statement-breakpoint
-- The lock: whoever closes the issue at the same time must either see this row or be seen by it.
CREATE FUNCTION "set_issue_of_label"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	SELECT "repository_id", "is_pull", "closed_at" IS NULL, "created_at"
		INTO NEW."repository_id", NEW."is_pull", NEW."is_open", NEW."created_at"
		FROM "issue" WHERE "id" = NEW."issue_id" FOR NO KEY UPDATE;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "issue_labelled" BEFORE INSERT ON "issue_label" FOR EACH ROW EXECUTE FUNCTION "set_issue_of_label"();
--> statement-breakpoint
CREATE FUNCTION "follow_issue_of_label"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "issue_label" SET "repository_id" = NEW."repository_id", "is_pull" = NEW."is_pull", "is_open" = NEW."closed_at" IS NULL, "created_at" = NEW."created_at"
		WHERE "issue_id" = NEW."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "labelled_issue_changed" AFTER UPDATE OF "repository_id", "is_pull", "closed_at", "created_at" ON "issue" FOR EACH ROW
	WHEN ((OLD."closed_at" IS NULL) <> (NEW."closed_at" IS NULL) OR OLD."repository_id" <> NEW."repository_id"
		OR OLD."is_pull" <> NEW."is_pull" OR OLD."created_at" <> NEW."created_at")
	EXECUTE FUNCTION "follow_issue_of_label"();
--> statement-breakpoint
CREATE FUNCTION "note_issue_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"('issue-change', 0, 0::smallint, 1);
	RETURN NULL;
END $$;
--> statement-breakpoint
-- Everything that decides whether, where and in which order a search for words finds an issue.
CREATE TRIGGER "issue_found_otherwise" AFTER INSERT OR DELETE OR UPDATE OF "repository_id", "is_pull", "title", "body", "closed_at", "created_at" ON "issue"
	FOR EACH STATEMENT EXECUTE FUNCTION "note_issue_change"();
--> statement-breakpoint
INSERT INTO "list_total" ("list", "owner_id", "class", "count")
	SELECT 'comment', "repository_id", "is_pull"::integer, sum("comments") FROM "issue" GROUP BY "repository_id", "is_pull" HAVING sum("comments") > 0;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "count_comments"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	"of_one" record;
BEGIN
	FOR "of_one" IN
		WITH "counted" AS (
			UPDATE "issue" SET "comments" = "comments" + "some"."count",
					"updated_at" = CASE TG_OP WHEN 'INSERT' THEN greatest("issue"."updated_at", "some"."newest") ELSE "issue"."updated_at" END
				FROM (SELECT "issue_id", CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END AS "count", max("created_at") AS "newest"
					FROM "changed" WHERE "kind" = 'comment' GROUP BY "issue_id") AS "some"
				WHERE "issue"."id" = "some"."issue_id"
				RETURNING "issue"."repository_id", "issue"."is_pull", "some"."count"
		) SELECT "repository_id", "is_pull"::integer::smallint AS "class", sum("count")::bigint AS "count" FROM "counted" GROUP BY 1, 2
	LOOP
		PERFORM "add_list_total"('comment', "of_one"."repository_id", "of_one"."class", "of_one"."count");
	END LOOP;
	RETURN NULL;
END $$;
--> statement-breakpoint
-- The comments of an issue go after it, when "count_comments" finds no issue that they were of.
CREATE FUNCTION "count_comments_of_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"('comment', "repository_id", "class", -"comments")
		FROM (SELECT "repository_id", "is_pull"::integer::smallint AS "class", sum("comments")::bigint AS "comments" FROM "removed" GROUP BY 1, 2) AS "each"
		WHERE "comments" > 0;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "issue_comments_removed" AFTER DELETE ON "issue" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "count_comments_of_removed"();
