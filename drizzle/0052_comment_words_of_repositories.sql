-- The words of a text, and its repository as one that no text has. A tsvector takes a megabyte at most.
CREATE FUNCTION "comment_words"("repository_id" bigint, "body" text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT to_tsvector('simple', left("body", 100000)) || array_to_tsvector(ARRAY['@' || "repository_id"])
$$;
--> statement-breakpoint
-- As prefix_query, of comments in one repository. Null without a word, so that it finds nothing.
CREATE FUNCTION "prefix_query"("words" text, "repository_id" bigint) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT "query" && ('''@' || "repository_id" || '''')::tsquery FROM "prefix_query"("words") AS "query" WHERE numnode("query") > 0
$$;
--> statement-breakpoint
DROP INDEX "comment_words";--> statement-breakpoint
CREATE INDEX "comment_words" ON "comment" USING gin (comment_words("repository_id", "body")) WHERE "comment"."kind" in ('comment', 'code', 'review') and not "comment"."pending" and "comment"."body" <> '';--> statement-breakpoint
DROP FUNCTION "comment_words"(text);
