CREATE TABLE "comment" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "comment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"issue_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"author_id" bigint,
	"body" text DEFAULT '' NOT NULL,
	"content_version" bigint DEFAULT 0 NOT NULL,
	"label_id" bigint,
	"milestone_id" bigint,
	"old_milestone_id" bigint,
	"assignee_id" bigint,
	"added" boolean,
	"old_text" text,
	"new_text" text,
	"other_issue_id" bigint,
	"other_comment_id" bigint,
	"commit_oid" "bytea",
	"ref_action" text,
	"seconds" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_content" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "former_content_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"issue_id" bigint NOT NULL,
	"comment_id" bigint,
	"title" text,
	"body" text,
	"editor_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reaction" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reaction_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"issue_id" bigint NOT NULL,
	"comment_id" bigint,
	"user_id" bigint NOT NULL,
	"content" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reaction_content" CHECK (length("reaction"."content") between 1 and 50)
);
--> statement-breakpoint
ALTER TABLE "blob_reference" DROP CONSTRAINT "blob_reference_kind";--> statement-breakpoint
ALTER TABLE "attachment" DROP CONSTRAINT "attachment_belongs";--> statement-breakpoint
ALTER TABLE "attachment" ADD COLUMN "issue_id" bigint;--> statement-breakpoint
ALTER TABLE "attachment" ADD COLUMN "comment_id" bigint;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_author_id_account_owner_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_label_id_label_id_fk" FOREIGN KEY ("label_id") REFERENCES "public"."label"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_milestone_id_milestone_id_fk" FOREIGN KEY ("milestone_id") REFERENCES "public"."milestone"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_old_milestone_id_milestone_id_fk" FOREIGN KEY ("old_milestone_id") REFERENCES "public"."milestone"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_assignee_id_account_owner_id_fk" FOREIGN KEY ("assignee_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_other_issue_id_issue_id_fk" FOREIGN KEY ("other_issue_id") REFERENCES "public"."issue"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_other_comment_id_comment_id_fk" FOREIGN KEY ("other_comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_content" ADD CONSTRAINT "former_content_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_content" ADD CONSTRAINT "former_content_comment_id_comment_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_content" ADD CONSTRAINT "former_content_editor_id_account_owner_id_fk" FOREIGN KEY ("editor_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reaction" ADD CONSTRAINT "reaction_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reaction" ADD CONSTRAINT "reaction_comment_id_comment_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reaction" ADD CONSTRAINT "reaction_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "comment_issue" ON "comment" USING btree ("issue_id","created_at","id");--> statement-breakpoint
CREATE INDEX "comment_repository" ON "comment" USING btree ("repository_id","created_at","id") WHERE "comment"."kind" = 'comment';--> statement-breakpoint
CREATE INDEX "comment_author" ON "comment" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "comment_label" ON "comment" USING btree ("label_id") WHERE "comment"."label_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_milestone" ON "comment" USING btree ("milestone_id") WHERE "comment"."milestone_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_old_milestone" ON "comment" USING btree ("old_milestone_id") WHERE "comment"."old_milestone_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_assignee" ON "comment" USING btree ("assignee_id") WHERE "comment"."assignee_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_other_issue" ON "comment" USING btree ("other_issue_id") WHERE "comment"."other_issue_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_other_comment" ON "comment" USING btree ("other_comment_id") WHERE "comment"."other_comment_id" is not null;--> statement-breakpoint
CREATE INDEX "former_content_of" ON "former_content" USING btree ("issue_id","comment_id","id");--> statement-breakpoint
CREATE INDEX "former_content_comment" ON "former_content" USING btree ("comment_id");--> statement-breakpoint
CREATE INDEX "former_content_editor" ON "former_content" USING btree ("editor_id");--> statement-breakpoint
CREATE UNIQUE INDEX "reaction_once" ON "reaction" USING btree ("issue_id",coalesce("comment_id", 0),"user_id","content");--> statement-breakpoint
CREATE INDEX "reaction_comment" ON "reaction" USING btree ("comment_id");--> statement-breakpoint
CREATE INDEX "reaction_user" ON "reaction" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_comment_id_comment_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attachment_issue" ON "attachment" USING btree ("issue_id","id") WHERE "attachment"."issue_id" is not null;--> statement-breakpoint
CREATE INDEX "attachment_comment" ON "attachment" USING btree ("comment_id","id") WHERE "attachment"."comment_id" is not null;--> statement-breakpoint
ALTER TABLE "blob_reference" ADD CONSTRAINT "blob_reference_kind" CHECK ("blob_reference"."kind" in ('lfs-object', 'avatar', 'repository-avatar', 'release-attachment', 'issue-attachment'));--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_belongs" CHECK (num_nonnulls("attachment"."release_id", "attachment"."issue_id") = 1 and ("attachment"."comment_id" is null or "attachment"."issue_id" is not null));
--> statement-breakpoint
-- Once a statement, not once a row: a repository goes with any number of comments.
CREATE FUNCTION "count_comments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "issue" SET "comments" = "comments" + CASE TG_OP WHEN 'INSERT' THEN "some"."count" ELSE -"some"."count" END,
			"updated_at" = CASE TG_OP WHEN 'INSERT' THEN greatest("issue"."updated_at", "some"."newest") ELSE "issue"."updated_at" END
		FROM (SELECT "issue_id", count(*) AS "count", max("created_at") AS "newest" FROM "changed" WHERE "kind" = 'comment' GROUP BY "issue_id") AS "some"
		WHERE "issue"."id" = "some"."issue_id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "comments_added" AFTER INSERT ON "comment" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_comments"();
--> statement-breakpoint
CREATE TRIGGER "comments_removed" AFTER DELETE ON "comment" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_comments"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "refer_to_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
		SELECT "added"."sha256", CASE WHEN "added"."issue_id" IS NULL THEN 'release-attachment' ELSE 'issue-attachment' END,
			"repository"."owner_id", "added"."id", "added"."bytes"
		FROM "added" JOIN "repository" ON "repository"."id" = "added"."repository_id" WHERE "added"."sha256" IS NOT NULL;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "leave_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" IN ('release-attachment', 'issue-attachment') AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "move_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "blob_reference" SET "owner_id" = NEW."owner_id" FROM "attachment"
		WHERE "attachment"."repository_id" = NEW."id" AND "kind" IN ('release-attachment', 'issue-attachment') AND "subject_id" = "attachment"."id";
	RETURN NULL;
END $$;
