-- Those parts that a text has that contains this word: the longest ones are enough.
CREATE OR REPLACE FUNCTION "word_grams"("word" text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT coalesce(array_agg(DISTINCT substr("word", "place", 3)), '{}') FROM generate_series(1, greatest(length("word") - 2, 1)) AS "place" WHERE length("word") > 1
$$;

-- Finds texts that have all words, or words that begin with them. Without a word it finds nothing.
CREATE OR REPLACE FUNCTION "prefix_query"("words" text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT coalesce(string_agg('''' || replace(replace("word", '\', '\\'), '''', '''''') || ''':*', ' & ')::tsquery, ''::tsquery)
		FROM unnest(tsvector_to_array(to_tsvector('simple', "words"))) AS "word"
$$;

-- As prefix_query, of comments in one repository. Null without a word, so that it finds nothing.
CREATE OR REPLACE FUNCTION "prefix_query"("words" text, "repository_id" bigint) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT "query" && ('''@' || "repository_id" || '''')::tsquery FROM "prefix_query"("words") AS "query" WHERE numnode("query") > 0
$$;

-- Finds texts that have all words, the last one or what begins with it.
CREATE OR REPLACE FUNCTION "beginning_query"("words" text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT CASE WHEN numnode("query") = 0 THEN "query" ELSE ("query"::text || ':*')::tsquery END FROM plainto_tsquery('simple', "words") AS "query"
$$;
