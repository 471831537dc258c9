-- The parts of a text of two and three characters. Their indexes find what a word is part of, and need no extension.
CREATE FUNCTION "text_grams"("value" text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT coalesce(array_agg("one" || "two") FILTER (WHERE "two" IS NOT NULL), '{}') || coalesce(array_agg("one" || "two" || "three") FILTER (WHERE "three" IS NOT NULL), '{}')
	FROM (SELECT string_to_array("value", NULL) AS "all") AS "text", unnest("all", "all"[2:], "all"[3:]) AS "place" ("one", "two", "three")
$$;

CREATE FUNCTION "list_words"("owner_name" text, "name" text, "topics" text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT "owner_name" || '/' || "name" || E'\n' || array_to_string("topics", E'\n')
$$;

-- The tag and the title of a release in lower case, as a part of them is looked for.
CREATE FUNCTION "release_names"("tag" text, "title" text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT lower(("tag" || E'\n' || "title") COLLATE "default")
$$;

-- The words of a text; a tsvector takes a megabyte at most.
CREATE FUNCTION "release_words"("body" text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT to_tsvector('simple', left("body", 100000))
$$;

-- The words of a text, and its repository as one that no text has. A tsvector takes a megabyte at most.
CREATE FUNCTION "comment_words"("repository_id" bigint, "body" text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT to_tsvector('simple', left("body", 100000)) || array_to_tsvector(ARRAY['@' || "repository_id"])
$$;
