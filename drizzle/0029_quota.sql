CREATE TABLE "owner_usage" (
	"owner_id" bigint PRIMARY KEY NOT NULL,
	"repos_public" bigint DEFAULT 0 NOT NULL,
	"repos_private" bigint DEFAULT 0 NOT NULL,
	"git_lfs" bigint DEFAULT 0 NOT NULL,
	"attachments_issues" bigint DEFAULT 0 NOT NULL,
	"attachments_releases" bigint DEFAULT 0 NOT NULL,
	"artifacts" bigint DEFAULT 0 NOT NULL,
	"packages" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quota_group" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quota_group_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quota_group_owner" (
	"group_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	CONSTRAINT "quota_group_owner_owner_id_group_id_pk" PRIMARY KEY("owner_id","group_id")
);
--> statement-breakpoint
CREATE TABLE "quota_group_rule" (
	"group_id" bigint NOT NULL,
	"rule_id" bigint NOT NULL,
	CONSTRAINT "quota_group_rule_group_id_rule_id_pk" PRIMARY KEY("group_id","rule_id")
);
--> statement-breakpoint
CREATE TABLE "quota_rule" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quota_rule_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text COLLATE "C" NOT NULL,
	"limit_bytes" bigint NOT NULL,
	"subjects" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "quota_group_owner" ADD CONSTRAINT "quota_group_owner_group_id_quota_group_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."quota_group"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_group_owner" ADD CONSTRAINT "quota_group_owner_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_group_rule" ADD CONSTRAINT "quota_group_rule_group_id_quota_group_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."quota_group"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_group_rule" ADD CONSTRAINT "quota_group_rule_rule_id_quota_rule_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."quota_rule"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "quota_group_name" ON "quota_group" USING btree ("name");--> statement-breakpoint
CREATE INDEX "quota_group_owner_group" ON "quota_group_owner" USING btree ("group_id","owner_id");--> statement-breakpoint
CREATE INDEX "quota_group_rule_rule" ON "quota_group_rule" USING btree ("rule_id");--> statement-breakpoint
CREATE UNIQUE INDEX "quota_rule_name" ON "quota_rule" USING btree ("name");--> statement-breakpoint
CREATE INDEX "blob_reference_attachments" ON "blob_reference" USING btree ("owner_id","bytes" DESC NULLS LAST,"subject_id") WHERE "blob_reference"."kind" in ('release-attachment', 'issue-attachment');--> statement-breakpoint
-- Adds to what owners use. Several are written in the order of their ids, so that two transactions do not wait for each other.
CREATE FUNCTION "count_added_references"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "owner_usage" AS "u" ("owner_id", "git_lfs", "attachments_issues", "attachments_releases", "artifacts", "packages")
		SELECT "owner_id", coalesce(sum("bytes") FILTER (WHERE "kind" = 'lfs-object'), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'issue-attachment'), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'release-attachment'), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'artifact'), 0),
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'package'), 0)
		FROM "added" WHERE "kind" IN ('lfs-object', 'issue-attachment', 'release-attachment', 'artifact', 'package')
		GROUP BY "owner_id" ORDER BY "owner_id"
		ON CONFLICT ("owner_id") DO UPDATE SET "git_lfs" = "u"."git_lfs" + excluded."git_lfs",
			"attachments_issues" = "u"."attachments_issues" + excluded."attachments_issues",
			"attachments_releases" = "u"."attachments_releases" + excluded."attachments_releases",
			"artifacts" = "u"."artifacts" + excluded."artifacts", "packages" = "u"."packages" + excluded."packages";
	RETURN NULL;
END $$;
--> statement-breakpoint
-- Nothing is inserted: an owner who is deleted has no row any more.
CREATE FUNCTION "count_removed_references"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "owner_usage" SET "git_lfs" = "git_lfs" - "some"."lfs", "attachments_issues" = "attachments_issues" - "some"."issues",
		"attachments_releases" = "attachments_releases" - "some"."releases", "artifacts" = "owner_usage"."artifacts" - "some"."artifacts",
		"packages" = "owner_usage"."packages" - "some"."packages"
		FROM (SELECT "owner_id", coalesce(sum("bytes") FILTER (WHERE "kind" = 'lfs-object'), 0) AS "lfs",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'issue-attachment'), 0) AS "issues",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'release-attachment'), 0) AS "releases",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'artifact'), 0) AS "artifacts",
			coalesce(sum("bytes") FILTER (WHERE "kind" = 'package'), 0) AS "packages"
			FROM "removed" WHERE "kind" IN ('lfs-object', 'issue-attachment', 'release-attachment', 'artifact', 'package')
			GROUP BY "owner_id") AS "some"
		WHERE "owner_usage"."owner_id" = "some"."owner_id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "blob_reference_counted" AFTER INSERT ON "blob_reference" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "count_added_references"();
--> statement-breakpoint
CREATE TRIGGER "blob_reference_uncounted" AFTER DELETE ON "blob_reference" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "count_removed_references"();
--> statement-breakpoint
CREATE TRIGGER "blob_reference_moved_from" AFTER UPDATE ON "blob_reference" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "count_removed_references"();
--> statement-breakpoint
CREATE TRIGGER "blob_reference_moved_to" AFTER UPDATE ON "blob_reference" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "count_added_references"();
--> statement-breakpoint
CREATE FUNCTION "use_git_bytes"("of_owner" bigint, "in_private" boolean, "more" bigint) RETURNS void LANGUAGE sql AS $$
	INSERT INTO "owner_usage" AS "u" ("owner_id", "repos_public", "repos_private")
		VALUES ("of_owner", CASE WHEN "in_private" THEN 0 ELSE "more" END, CASE WHEN "in_private" THEN "more" ELSE 0 END)
		ON CONFLICT ("owner_id") DO UPDATE SET "repos_public" = "u"."repos_public" + excluded."repos_public",
			"repos_private" = "u"."repos_private" + excluded."repos_private"
$$;
--> statement-breakpoint
CREATE FUNCTION "count_git_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "use_git_bytes"("owner_id", "private", NEW."git_bytes" - OLD."git_bytes") FROM "repository" WHERE "id" = NEW."repository_id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_size_counted" AFTER UPDATE ON "repository_size" FOR EACH ROW WHEN (OLD."git_bytes" <> NEW."git_bytes") EXECUTE FUNCTION "count_git_bytes"();
--> statement-breakpoint
-- Whoever moves a repository, or shows it to others, has its row, as whoever writes a pack to it.
CREATE FUNCTION "move_git_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE "moved" bigint := (SELECT "git_bytes" FROM "repository_size" WHERE "repository_id" = NEW."id");
BEGIN
	PERFORM "use_git_bytes"(OLD."owner_id", OLD."private", -"moved"), "use_git_bytes"(NEW."owner_id", NEW."private", "moved");
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_bytes_moved" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (OLD."owner_id" <> NEW."owner_id" OR OLD."private" <> NEW."private") EXECUTE FUNCTION "move_git_bytes"();
--> statement-breakpoint
-- Runs before "repository_unlisted", which deletes the sizes: triggers run in the order of their names.
CREATE FUNCTION "count_removed_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "owner_usage" SET "repos_public" = "repos_public" - "some"."public", "repos_private" = "repos_private" - "some"."private"
		FROM (SELECT "owner_id", coalesce(sum("git_bytes") FILTER (WHERE NOT "removed"."private"), 0) AS "public",
			coalesce(sum("git_bytes") FILTER (WHERE "removed"."private"), 0) AS "private"
			FROM "removed" JOIN "repository_size" ON "repository_id" = "removed"."id" GROUP BY "owner_id") AS "some"
		WHERE "owner_usage"."owner_id" = "some"."owner_id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_bytes_gone" AFTER DELETE ON "repository" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "count_removed_repositories"();
--> statement-breakpoint
CREATE FUNCTION "forget_usage"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "owner_usage" WHERE "owner_id" = OLD."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "owner_usage_gone" AFTER DELETE ON "owner" FOR EACH ROW EXECUTE FUNCTION "forget_usage"();
--> statement-breakpoint
INSERT INTO "owner_usage" AS "u" ("owner_id", "repos_public", "repos_private")
	SELECT "owner_id", coalesce(sum("git_bytes") FILTER (WHERE NOT "private"), 0), coalesce(sum("git_bytes") FILTER (WHERE "private"), 0)
	FROM "repository" JOIN "repository_size" ON "repository_id" = "id" GROUP BY "owner_id";
--> statement-breakpoint
INSERT INTO "owner_usage" AS "u" ("owner_id", "git_lfs", "attachments_issues", "attachments_releases")
	SELECT "owner_id", coalesce(sum("bytes") FILTER (WHERE "kind" = 'lfs-object'), 0),
		coalesce(sum("bytes") FILTER (WHERE "kind" = 'issue-attachment'), 0), coalesce(sum("bytes") FILTER (WHERE "kind" = 'release-attachment'), 0)
	FROM "blob_reference" WHERE "kind" IN ('lfs-object', 'issue-attachment', 'release-attachment') GROUP BY "owner_id"
	ON CONFLICT ("owner_id") DO UPDATE SET "git_lfs" = excluded."git_lfs", "attachments_issues" = excluded."attachments_issues",
		"attachments_releases" = excluded."attachments_releases";
