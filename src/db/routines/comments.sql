-- Once a statement, not once a row: a repository goes with any number of comments.
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

CREATE OR REPLACE TRIGGER "comments_added" AFTER INSERT ON "comment" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_comments"();

CREATE OR REPLACE TRIGGER "comments_removed" AFTER DELETE ON "comment" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_comments"();

-- The comments of an issue go after it, when "count_comments" finds no issue that they were of.
CREATE OR REPLACE FUNCTION "count_comments_of_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"('comment', "repository_id", "class", -"comments")
		FROM (SELECT "repository_id", "is_pull"::integer::smallint AS "class", sum("comments")::bigint AS "comments" FROM "removed" GROUP BY 1, 2) AS "each"
		WHERE "comments" > 0;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "issue_comments_removed" AFTER DELETE ON "issue" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "count_comments_of_removed"();

CREATE OR REPLACE FUNCTION "note_comments_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM "changed" WHERE "kind" IN ('comment', 'code', 'review') AND NOT "pending" AND "body" <> '') THEN
		PERFORM "add_list_total"('issue-change', 0, 0::smallint, 1);
	END IF;
	RETURN NULL;
END $$;

-- A search for words finds issues by their comments, too.
CREATE OR REPLACE TRIGGER "comments_added_to_search" AFTER INSERT ON "comment" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "note_comments_change"();

CREATE OR REPLACE TRIGGER "comments_removed_from_search" AFTER DELETE ON "comment" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "note_comments_change"();
