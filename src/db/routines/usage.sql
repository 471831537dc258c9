-- Adds to what owners use. Several are written in the order of their ids, so that two transactions do not wait for each other.
CREATE OR REPLACE FUNCTION "count_added_references"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "owner_usage" AS "u" ("owner_id", "git_lfs", "attachments_issues", "attachments_releases", "artifacts", "packages", "pictures", "guests_lfs", "guests_issues")
		SELECT "owner_id", coalesce(sum("bytes") FILTER (WHERE "kind" = 'lfs-object' AND NOT "by_guest"), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'issue-attachment' AND NOT "by_guest"), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'release-attachment'), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'artifact'), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" IN ('package', 'package-index')), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" IN ('avatar', 'repository-avatar')), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'lfs-object' AND "by_guest"), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'issue-attachment' AND "by_guest"), 0)
		FROM "added" GROUP BY "owner_id" ORDER BY "owner_id"
		ON CONFLICT ("owner_id") DO UPDATE SET "git_lfs" = "u"."git_lfs" + excluded."git_lfs",
			"attachments_issues" = "u"."attachments_issues" + excluded."attachments_issues",
			"attachments_releases" = "u"."attachments_releases" + excluded."attachments_releases",
			"artifacts" = "u"."artifacts" + excluded."artifacts", "packages" = "u"."packages" + excluded."packages",
			"pictures" = "u"."pictures" + excluded."pictures", "guests_lfs" = "u"."guests_lfs" + excluded."guests_lfs",
			"guests_issues" = "u"."guests_issues" + excluded."guests_issues";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "blob_reference_counted" AFTER INSERT ON "blob_reference" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "count_added_references"();

CREATE OR REPLACE TRIGGER "blob_reference_moved_to" AFTER UPDATE ON "blob_reference" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "count_added_references"();

-- Nothing is inserted: an owner who is deleted has no row any more.
CREATE OR REPLACE FUNCTION "count_removed_references"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "owner_usage" AS "u" SET "git_lfs" = "u"."git_lfs" - "some"."lfs", "attachments_issues" = "u"."attachments_issues" - "some"."issues",
		"attachments_releases" = "u"."attachments_releases" - "some"."releases", "artifacts" = "u"."artifacts" - "some"."artifacts",
		"packages" = "u"."packages" - "some"."packages", "pictures" = "u"."pictures" - "some"."pictures",
		"guests_lfs" = "u"."guests_lfs" - "some"."guests_lfs", "guests_issues" = "u"."guests_issues" - "some"."guests_issues"
		FROM (SELECT "owner_id", coalesce(sum("bytes") FILTER (WHERE "kind" = 'lfs-object' AND NOT "by_guest"), 0) AS "lfs",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'issue-attachment' AND NOT "by_guest"), 0) AS "issues",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'release-attachment'), 0) AS "releases",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'artifact'), 0) AS "artifacts",
			coalesce(sum("bytes") FILTER (WHERE "kind" IN ('package', 'package-index')), 0) AS "packages",
			coalesce(sum("bytes") FILTER (WHERE "kind" IN ('avatar', 'repository-avatar')), 0) AS "pictures",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'lfs-object' AND "by_guest"), 0) AS "guests_lfs",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'issue-attachment' AND "by_guest"), 0) AS "guests_issues"
			FROM "removed" GROUP BY "owner_id") AS "some"
		WHERE "u"."owner_id" = "some"."owner_id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "blob_reference_uncounted" AFTER DELETE ON "blob_reference" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "count_removed_references"();

CREATE OR REPLACE TRIGGER "blob_reference_moved_from" AFTER UPDATE ON "blob_reference" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "count_removed_references"();

CREATE OR REPLACE FUNCTION "use_git_bytes"("of_owner" bigint, "in_private" boolean, "own" bigint, "of_guests" bigint, "of_wiki" bigint) RETURNS void LANGUAGE sql AS $$
	INSERT INTO "owner_usage" AS "u" ("owner_id", "repos_public", "repos_private", "guests_public", "guests_private", "wikis")
		VALUES ("of_owner", CASE WHEN "in_private" THEN 0 ELSE "own" END, CASE WHEN "in_private" THEN "own" ELSE 0 END,
			CASE WHEN "in_private" THEN 0 ELSE "of_guests" END, CASE WHEN "in_private" THEN "of_guests" ELSE 0 END, "of_wiki")
		ON CONFLICT ("owner_id") DO UPDATE SET "repos_public" = "u"."repos_public" + excluded."repos_public",
			"repos_private" = "u"."repos_private" + excluded."repos_private", "guests_public" = "u"."guests_public" + excluded."guests_public",
			"guests_private" = "u"."guests_private" + excluded."guests_private", "wikis" = "u"."wikis" + excluded."wikis"
$$;

CREATE OR REPLACE FUNCTION "count_git_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "use_git_bytes"("owner_id", "private", NEW."git_bytes" - NEW."guest_bytes" - OLD."git_bytes" + OLD."guest_bytes",
		NEW."guest_bytes" - OLD."guest_bytes", NEW."wiki_bytes" - OLD."wiki_bytes") FROM "repository" WHERE "id" = NEW."repository_id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_size_counted" AFTER UPDATE ON "repository_size" FOR EACH ROW
	WHEN (OLD."git_bytes" <> NEW."git_bytes" OR OLD."guest_bytes" <> NEW."guest_bytes" OR OLD."wiki_bytes" <> NEW."wiki_bytes") EXECUTE FUNCTION "count_git_bytes"();

CREATE OR REPLACE FUNCTION "count_wiki_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "repository_size" SET "wiki_bytes" = NEW."git_bytes" WHERE "repository_id" = -NEW."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "wiki_counted" AFTER UPDATE ON "wiki" FOR EACH ROW WHEN (OLD."git_bytes" <> NEW."git_bytes") EXECUTE FUNCTION "count_wiki_bytes"();

-- Whoever moves a repository, or shows it to others, has its row, as whoever writes a pack to it.
CREATE OR REPLACE FUNCTION "move_git_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	"moved" record;
BEGIN
	SELECT "git_bytes" - "guest_bytes" AS "own", "guest_bytes" AS "guests", "wiki_bytes" AS "wiki"
		INTO "moved" FROM "repository_size" WHERE "repository_id" = NEW."id";
	PERFORM "use_git_bytes"(OLD."owner_id", OLD."private", -"moved"."own", -"moved"."guests", -"moved"."wiki"),
		"use_git_bytes"(NEW."owner_id", NEW."private", "moved"."own", "moved"."guests", "moved"."wiki");
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_bytes_moved" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (OLD."owner_id" <> NEW."owner_id" OR OLD."private" <> NEW."private") EXECUTE FUNCTION "move_git_bytes"();

-- Runs before "repository_unlisted", which deletes the sizes: triggers run in the order of their names.
CREATE OR REPLACE FUNCTION "count_removed_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "owner_usage" AS "u" SET "repos_public" = "u"."repos_public" - "some"."public", "repos_private" = "u"."repos_private" - "some"."private",
		"guests_public" = "u"."guests_public" - "some"."guests_public", "guests_private" = "u"."guests_private" - "some"."guests_private",
		"wikis" = "u"."wikis" - "some"."wikis"
		FROM (SELECT "owner_id", sum("wiki_bytes") AS "wikis", coalesce(sum("git_bytes" - "guest_bytes") FILTER (WHERE NOT "removed"."private"), 0) AS "public",
			coalesce(sum("git_bytes" - "guest_bytes") FILTER (WHERE "removed"."private"), 0) AS "private",
			coalesce(sum("guest_bytes") FILTER (WHERE NOT "removed"."private"), 0) AS "guests_public",
			coalesce(sum("guest_bytes") FILTER (WHERE "removed"."private"), 0) AS "guests_private"
			FROM "removed" JOIN "repository_size" ON "repository_id" = "removed"."id" GROUP BY "owner_id") AS "some"
		WHERE "u"."owner_id" = "some"."owner_id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_bytes_gone" AFTER DELETE ON "repository" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "count_removed_repositories"();

CREATE OR REPLACE FUNCTION "forget_usage"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "owner_usage" WHERE "owner_id" = OLD."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "owner_usage_gone" AFTER DELETE ON "owner" FOR EACH ROW EXECUTE FUNCTION "forget_usage"();
