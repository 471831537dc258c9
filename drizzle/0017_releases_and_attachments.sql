CREATE TABLE "attachment" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "attachment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"repository_id" bigint NOT NULL,
	"uploader_id" bigint,
	"release_id" bigint,
	"name" text NOT NULL,
	"sha256" "bytea",
	"external_url" text,
	"bytes" bigint NOT NULL,
	"content_type" text NOT NULL,
	"width" integer,
	"height" integer,
	"downloads" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attachment_belongs" CHECK (num_nonnulls("attachment"."release_id") = 1),
	CONSTRAINT "attachment_content" CHECK (num_nonnulls("attachment"."sha256", "attachment"."external_url") = 1)
);
--> statement-breakpoint
CREATE TABLE "release" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "release_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"tag_name" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"target" text NOT NULL,
	"draft" boolean NOT NULL,
	"prerelease" boolean NOT NULL,
	"hide_archive_links" boolean NOT NULL,
	"author_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "blob_reference" DROP CONSTRAINT "blob_reference_kind";--> statement-breakpoint
ALTER TABLE "repository_count" ADD COLUMN "releases" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_uploader_id_account_owner_id_fk" FOREIGN KEY ("uploader_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_release_id_release_id_fk" FOREIGN KEY ("release_id") REFERENCES "public"."release"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release" ADD CONSTRAINT "release_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release" ADD CONSTRAINT "release_author_id_account_owner_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "attachment_uuid" ON "attachment" USING btree ("uuid");--> statement-breakpoint
CREATE INDEX "attachment_repository" ON "attachment" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "attachment_release" ON "attachment" USING btree ("release_id","id");--> statement-breakpoint
CREATE INDEX "attachment_uploader" ON "attachment" USING btree ("uploader_id");--> statement-breakpoint
CREATE UNIQUE INDEX "release_tag" ON "release" USING btree ("repository_id","tag_name");--> statement-breakpoint
CREATE INDEX "release_published" ON "release" USING btree ("repository_id","published_at","id");--> statement-breakpoint
CREATE INDEX "release_latest" ON "release" USING btree ("repository_id","published_at","id") WHERE not "release"."draft" and not "release"."prerelease";--> statement-breakpoint
CREATE INDEX "release_author" ON "release" USING btree ("author_id");--> statement-breakpoint
ALTER TABLE "blob_reference" ADD CONSTRAINT "blob_reference_kind" CHECK ("blob_reference"."kind" in ('lfs-object', 'avatar', 'repository-avatar', 'release-attachment'));
--> statement-breakpoint
-- Once a statement, not once a row: a repository goes with any number of releases.
CREATE FUNCTION "count_releases"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "repository_count" SET "releases" = "releases" + CASE TG_OP WHEN 'INSERT' THEN "some"."count" ELSE -"some"."count" END
		FROM (SELECT "repository_id", count(*) AS "count" FROM "changed" WHERE NOT "draft" GROUP BY "repository_id") AS "some"
		WHERE "repository_count"."repository_id" = "some"."repository_id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "releases_added" AFTER INSERT ON "release" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_releases"();
--> statement-breakpoint
CREATE TRIGGER "releases_removed" AFTER DELETE ON "release" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_releases"();
--> statement-breakpoint
CREATE FUNCTION "recount_releases"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "repository_count" SET "releases" = "releases" + "some"."change" FROM (
		SELECT "repository_id", sum("change") AS "change" FROM (
			SELECT "repository_id", -1 AS "change" FROM "before" WHERE NOT "draft" UNION ALL SELECT "repository_id", 1 FROM "after" WHERE NOT "draft"
		) AS "each" GROUP BY "repository_id" HAVING sum("change") <> 0
	) AS "some" WHERE "repository_count"."repository_id" = "some"."repository_id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "releases_changed" AFTER UPDATE ON "release" REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "recount_releases"();
--> statement-breakpoint
CREATE FUNCTION "refer_to_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
		SELECT "added"."sha256", 'release-attachment', "repository"."owner_id", "added"."id", "added"."bytes"
		FROM "added" JOIN "repository" ON "repository"."id" = "added"."repository_id" WHERE "added"."sha256" IS NOT NULL;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "attachments_added" AFTER INSERT ON "attachment" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "refer_to_attachments"();
--> statement-breakpoint
CREATE FUNCTION "leave_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'release-attachment' AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "attachments_removed" AFTER DELETE ON "attachment" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "leave_attachments"();
--> statement-breakpoint
-- The bytes of a repository that gets another owner are the other owner's.
CREATE FUNCTION "move_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "blob_reference" SET "owner_id" = NEW."owner_id" FROM "attachment"
		WHERE "attachment"."repository_id" = NEW."id" AND "kind" = 'release-attachment' AND "subject_id" = "attachment"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_attachments_moved" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (OLD."owner_id" <> NEW."owner_id") EXECUTE FUNCTION "move_attachments"();
