-- The functions that indexes use. An index keeps what its function returned, so a change of one needs the index to be built again.
-- src/db/routines/search.sql has the functions that search these indexes.

-- Returns the parts of two and three characters of a text. An index of them finds the texts that contain a word, without an
-- extension.
create function text_grams(value text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(one || two) filter (where two is not null), '{}') || coalesce(array_agg(one || two || three) filter (where three is not null), '{}')
  from (select string_to_array(value, null) as letters) as text, unnest(letters, letters[2:], letters[3:]) as place (one, two, three)
$$;

-- Returns the text in which the list of repositories finds a word.
create function list_words(owner_name text, name text, topics text[]) returns text language sql immutable strict parallel safe as $$
  select owner_name || '/' || name || E'\n' || array_to_string(topics, E'\n')
$$;

-- Returns the tag and the title of a release in lower case; a search finds a part of them.
create function release_names(tag text, title text) returns text language sql immutable strict parallel safe as $$
  select lower((tag || E'\n' || title) collate "default")
$$;

-- Returns the words of a text. A tsvector takes a megabyte at most.
create function release_words(body text) returns tsvector language sql immutable strict parallel safe as $$
  select to_tsvector('simple', left(body, 100000))
$$;

-- Returns the words of a text, and its repository as a word that no text has. A tsvector takes a megabyte at most.
create function comment_words(repository_id bigint, body text) returns tsvector language sql immutable strict parallel safe as $$
  select to_tsvector('simple', left(body, 100000)) || array_to_tsvector(array['@' || repository_id])
$$;
