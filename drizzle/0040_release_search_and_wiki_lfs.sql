-- The tag and the title of a release in lower case, as a part of them is looked for.
CREATE FUNCTION "release_names"("tag" text, "title" text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT lower(("tag" || E'\n' || "title") COLLATE "default")
$$;
--> statement-breakpoint
-- The words of a text; a tsvector takes a megabyte at most.
CREATE FUNCTION "release_words"("body" text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT to_tsvector('simple', left("body", 100000))
$$;
--> statement-breakpoint
-- Finds texts that have all words, the last one or what begins with it.
CREATE FUNCTION "beginning_query"("words" text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT CASE WHEN numnode("query") = 0 THEN "query" ELSE ("query"::text || ':*')::tsquery END FROM plainto_tsquery('simple', "words") AS "query"
$$;
--> statement-breakpoint
CREATE INDEX "release_stage" ON "release" USING btree ("repository_id","draft","prerelease");--> statement-breakpoint
CREATE INDEX "release_names" ON "release" USING gin (text_grams(release_names("tag_name", "title"))) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "release_words" ON "release" USING gin (release_words("body"));
--> statement-breakpoint
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
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "move_references"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "blob_reference" SET "owner_id" = NEW."owner_id" WHERE "kind" = 'lfs-object' AND "subject_id" IN (NEW."id", -NEW."id");
	RETURN NULL;
END $$;
