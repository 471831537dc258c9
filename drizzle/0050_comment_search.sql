-- The words of a text; a tsvector takes a megabyte at most.
CREATE FUNCTION "comment_words"("body" text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT to_tsvector('simple', left("body", 100000))
$$;
--> statement-breakpoint
-- Finds texts that have all words, or words that begin with them. Without a word it finds nothing.
CREATE FUNCTION "prefix_query"("words" text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT coalesce(string_agg('''' || replace(replace("word", '\', '\\'), '''', '''''') || ''':*', ' & ')::tsquery, ''::tsquery)
		FROM unnest(tsvector_to_array(to_tsvector('simple', "words"))) AS "word"
$$;
--> statement-breakpoint
CREATE INDEX "comment_words" ON "comment" USING gin (comment_words("body")) WHERE "comment"."kind" in ('comment', 'code', 'review') and not "comment"."pending" and "comment"."body" <> '';
--> statement-breakpoint
CREATE FUNCTION "note_comments_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM "changed" WHERE "kind" IN ('comment', 'code', 'review') AND NOT "pending" AND "body" <> '') THEN
		PERFORM "add_list_total"('issue-change', 0, 0::smallint, 1);
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
-- A search for words finds issues by their comments, too.
CREATE TRIGGER "comments_added_to_search" AFTER INSERT ON "comment" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "note_comments_change"();
--> statement-breakpoint
CREATE TRIGGER "comments_removed_from_search" AFTER DELETE ON "comment" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "note_comments_change"();
--> statement-breakpoint
CREATE TRIGGER "comment_found_otherwise" AFTER UPDATE OF "body", "pending" ON "comment" FOR EACH ROW
	WHEN (OLD."body" <> NEW."body" OR OLD."pending" <> NEW."pending") EXECUTE FUNCTION "note_issue_change"();
