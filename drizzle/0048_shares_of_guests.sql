CREATE TABLE "pull_bytes" (
	"repository_id" bigint NOT NULL,
	"number" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "pull_bytes_repository_id_number_pk" PRIMARY KEY("repository_id","number")
);
--> statement-breakpoint
ALTER TABLE "blob_reference" ADD COLUMN "by_guest" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "repository_size" ADD COLUMN "guest_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "repository_size" ADD COLUMN "wiki_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owner_usage" ADD COLUMN "wikis" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owner_usage" ADD COLUMN "pictures" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owner_usage" ADD COLUMN "guests_public" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owner_usage" ADD COLUMN "guests_private" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owner_usage" ADD COLUMN "guests_lfs" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owner_usage" ADD COLUMN "guests_issues" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "attachment" ADD COLUMN "by_guest" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pull_bytes" ADD CONSTRAINT "pull_bytes_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "refer_to_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes", "by_guest")
		SELECT "added"."sha256", CASE WHEN "added"."issue_id" IS NULL THEN 'release-attachment' ELSE 'issue-attachment' END,
			"repository"."owner_id", "added"."id", "added"."bytes", "added"."by_guest"
		FROM "added" JOIN "repository" ON "repository"."id" = "added"."repository_id" WHERE "added"."sha256" IS NOT NULL;
	RETURN NULL;
END $$;
--> statement-breakpoint
DROP TRIGGER "repository_size_counted" ON "repository_size";
--> statement-breakpoint
DROP FUNCTION "use_git_bytes"(bigint, boolean, bigint) CASCADE;
--> statement-breakpoint
CREATE FUNCTION "use_git_bytes"("of_owner" bigint, "in_private" boolean, "own" bigint, "of_guests" bigint, "of_wiki" bigint) RETURNS void LANGUAGE sql AS $$
	INSERT INTO "owner_usage" AS "u" ("owner_id", "repos_public", "repos_private", "guests_public", "guests_private", "wikis")
		VALUES ("of_owner", CASE WHEN "in_private" THEN 0 ELSE "own" END, CASE WHEN "in_private" THEN "own" ELSE 0 END,
			CASE WHEN "in_private" THEN 0 ELSE "of_guests" END, CASE WHEN "in_private" THEN "of_guests" ELSE 0 END, "of_wiki")
		ON CONFLICT ("owner_id") DO UPDATE SET "repos_public" = "u"."repos_public" + excluded."repos_public",
			"repos_private" = "u"."repos_private" + excluded."repos_private", "guests_public" = "u"."guests_public" + excluded."guests_public",
			"guests_private" = "u"."guests_private" + excluded."guests_private", "wikis" = "u"."wikis" + excluded."wikis"
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "count_git_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "use_git_bytes"("owner_id", "private", NEW."git_bytes" - NEW."guest_bytes" - OLD."git_bytes" + OLD."guest_bytes",
		NEW."guest_bytes" - OLD."guest_bytes", NEW."wiki_bytes" - OLD."wiki_bytes") FROM "repository" WHERE "id" = NEW."repository_id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_size_counted" AFTER UPDATE ON "repository_size" FOR EACH ROW
	WHEN (OLD."git_bytes" <> NEW."git_bytes" OR OLD."guest_bytes" <> NEW."guest_bytes" OR OLD."wiki_bytes" <> NEW."wiki_bytes") EXECUTE FUNCTION "count_git_bytes"();
--> statement-breakpoint
CREATE FUNCTION "count_wiki_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "repository_size" SET "wiki_bytes" = NEW."git_bytes" WHERE "repository_id" = -NEW."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "wiki_counted" AFTER UPDATE ON "wiki" FOR EACH ROW WHEN (OLD."git_bytes" <> NEW."git_bytes") EXECUTE FUNCTION "count_wiki_bytes"();
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
UPDATE "repository_size" SET "wiki_bytes" = "wiki"."git_bytes" FROM "wiki" WHERE "wiki"."id" = -"repository_id" AND "wiki"."git_bytes" > 0;
--> statement-breakpoint
INSERT INTO "owner_usage" AS "u" ("owner_id", "packages", "pictures")
	SELECT "owner_id", coalesce(sum("bytes") FILTER (WHERE "kind" = 'package-index'), 0), coalesce(sum("bytes") FILTER (WHERE "kind" IN ('avatar', 'repository-avatar')), 0)
	FROM "blob_reference" WHERE "kind" IN ('package-index', 'avatar', 'repository-avatar') GROUP BY "owner_id"
	ON CONFLICT ("owner_id") DO UPDATE SET "packages" = "u"."packages" + excluded."packages", "pictures" = excluded."pictures";
