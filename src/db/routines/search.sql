-- The functions that read what drizzle/0000_baseline/indexed-functions.sql puts into indexes.

-- Returns the parts of a word that text_grams finds in each text that contains the word: the longest ones are enough. Called by
-- searches for a part of a name.
create or replace function word_grams(word text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct substr(word, place, 3)), '{}') from generate_series(1, greatest(length(word) - 2, 1)) as place where length(word) > 1
$$;

-- Returns a query for texts that have all words, or words that begin with them. Without a word it finds nothing. Called by the
-- search of issues.
create or replace function prefix_query(words text) returns tsquery language sql immutable strict parallel safe as $$
  select coalesce(string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || ''':*', ' & ')::tsquery, ''::tsquery)
    from unnest(tsvector_to_array(to_tsvector('simple', words))) as word
$$;

-- Returns prefix_query for comments of one repository. Null without a word, so that it finds nothing. Called by the search of
-- the issues of a repository.
create or replace function prefix_query(words text, repository_id bigint) returns tsquery language sql immutable strict parallel safe as $$
  select query && ('''@' || repository_id || '''')::tsquery from prefix_query(words) as query where numnode(query) > 0
$$;

-- Returns a query for texts that have all words, the last one as a beginning. Called by the search of releases.
create or replace function beginning_query(words text) returns tsquery language sql immutable strict parallel safe as $$
  select case when numnode(query) = 0 then query else (query::text || ':*')::tsquery end from plainto_tsquery('simple', words) as query
$$;
