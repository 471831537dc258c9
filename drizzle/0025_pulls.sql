CREATE TABLE "review_comment" (
	"comment_id" bigint PRIMARY KEY NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"side" text NOT NULL,
	"line" integer NOT NULL,
	"commit_oid" "bytea" NOT NULL,
	"original_commit_oid" "bytea" NOT NULL,
	"original_line" integer NOT NULL,
	"diff_hunk" text DEFAULT '' NOT NULL,
	"invalidated" boolean DEFAULT false NOT NULL,
	"resolver_id" bigint,
	"resolved_at" timestamp with time zone,
	"reply_to" bigint,
	CONSTRAINT "review_comment_line" CHECK ("review_comment"."line" > 0 and "review_comment"."original_line" > 0)
);
--> statement-breakpoint
CREATE TABLE "pull" (
	"issue_id" bigint PRIMARY KEY NOT NULL,
	"open" boolean DEFAULT true NOT NULL,
	"base_repository_id" bigint NOT NULL,
	"base_branch" text COLLATE "C" NOT NULL,
	"base_oid" "bytea" NOT NULL,
	"flow" text DEFAULT 'branch' NOT NULL,
	"head_repository_id" bigint,
	"head_branch" text COLLATE "C" NOT NULL,
	"head_oid" "bytea" NOT NULL,
	"merge_base_oid" "bytea",
	"mergeability" text DEFAULT 'checking' NOT NULL,
	"checked_head_oid" "bytea",
	"checked_base_oid" "bytea",
	"conflicted_files" text[] DEFAULT '{}' NOT NULL,
	"additions" integer DEFAULT 0 NOT NULL,
	"deletions" integer DEFAULT 0 NOT NULL,
	"changed_files" integer DEFAULT 0 NOT NULL,
	"commit_count" integer DEFAULT 0 NOT NULL,
	"behind_count" integer DEFAULT 0 NOT NULL,
	"allow_maintainer_edit" boolean DEFAULT false NOT NULL,
	"review_comments" integer DEFAULT 0 NOT NULL,
	"merged_at" timestamp with time zone,
	"merged_by_id" bigint,
	"merge_commit_oid" "bytea",
	"merge_style" text,
	CONSTRAINT "pull_merged" CHECK (("pull"."merged_at" is null) = ("pull"."merge_commit_oid" is null)),
	CONSTRAINT "pull_counts" CHECK (least("pull"."additions", "pull"."deletions", "pull"."changed_files", "pull"."commit_count", "pull"."behind_count", "pull"."review_comments") >= 0)
);
--> statement-breakpoint
CREATE TABLE "pull_auto_merge" (
	"pull_id" bigint PRIMARY KEY NOT NULL,
	"doer_id" bigint NOT NULL,
	"style" text NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	"delete_branch" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "review" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "review_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"pull_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"reviewer_id" bigint,
	"team_id" bigint,
	"body" text DEFAULT '' NOT NULL,
	"content_version" integer DEFAULT 0 NOT NULL,
	"commit_oid" "bytea",
	"official" boolean DEFAULT false NOT NULL,
	"stale" boolean DEFAULT false NOT NULL,
	"dismissed" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"submitted_at" timestamp with time zone,
	CONSTRAINT "review_team_request" CHECK ("review"."team_id" is null or ("review"."kind" = 'request' and "review"."reviewer_id" is null))
);
--> statement-breakpoint
ALTER TABLE "comment" ADD COLUMN "assignee_team_id" bigint;--> statement-breakpoint
ALTER TABLE "comment" ADD COLUMN "review_id" bigint;--> statement-breakpoint
ALTER TABLE "comment" ADD COLUMN "pending" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "review_comment" ADD CONSTRAINT "review_comment_comment_id_comment_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_comment" ADD CONSTRAINT "review_comment_resolver_id_account_owner_id_fk" FOREIGN KEY ("resolver_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_comment" ADD CONSTRAINT "review_comment_reply_to_review_comment_comment_id_fk" FOREIGN KEY ("reply_to") REFERENCES "public"."review_comment"("comment_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_base_repository_id_repository_id_fk" FOREIGN KEY ("base_repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_head_repository_id_repository_id_fk" FOREIGN KEY ("head_repository_id") REFERENCES "public"."repository"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_merged_by_id_account_owner_id_fk" FOREIGN KEY ("merged_by_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_auto_merge" ADD CONSTRAINT "pull_auto_merge_pull_id_pull_issue_id_fk" FOREIGN KEY ("pull_id") REFERENCES "public"."pull"("issue_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_auto_merge" ADD CONSTRAINT "pull_auto_merge_doer_id_account_owner_id_fk" FOREIGN KEY ("doer_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review" ADD CONSTRAINT "review_pull_id_pull_issue_id_fk" FOREIGN KEY ("pull_id") REFERENCES "public"."pull"("issue_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review" ADD CONSTRAINT "review_reviewer_id_account_owner_id_fk" FOREIGN KEY ("reviewer_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review" ADD CONSTRAINT "review_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "review_comment_resolver" ON "review_comment" USING btree ("resolver_id") WHERE "review_comment"."resolver_id" is not null;--> statement-breakpoint
CREATE INDEX "review_comment_reply" ON "review_comment" USING btree ("reply_to") WHERE "review_comment"."reply_to" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "pull_open" ON "pull" USING btree ("base_repository_id","base_branch","head_repository_id","head_branch","flow") WHERE "pull"."open";--> statement-breakpoint
CREATE INDEX "pull_base" ON "pull" USING btree ("base_repository_id","base_branch","issue_id");--> statement-breakpoint
CREATE INDEX "pull_head" ON "pull" USING btree ("head_repository_id","head_branch","issue_id");--> statement-breakpoint
CREATE INDEX "pull_head_oid" ON "pull" USING btree ("base_repository_id","head_oid") WHERE "pull"."open";--> statement-breakpoint
CREATE INDEX "pull_merge_commit" ON "pull" USING btree ("base_repository_id","merge_commit_oid") WHERE "pull"."merge_commit_oid" is not null;--> statement-breakpoint
CREATE INDEX "pull_merged_by" ON "pull" USING btree ("merged_by_id") WHERE "pull"."merged_by_id" is not null;--> statement-breakpoint
CREATE INDEX "pull_auto_merge_doer" ON "pull_auto_merge" USING btree ("doer_id");--> statement-breakpoint
CREATE INDEX "review_pull" ON "review" USING btree ("pull_id","id");--> statement-breakpoint
CREATE INDEX "review_reviewer" ON "review" USING btree ("reviewer_id","kind","pull_id");--> statement-breakpoint
CREATE INDEX "review_team" ON "review" USING btree ("team_id","pull_id") WHERE "review"."team_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "review_pending" ON "review" USING btree ("pull_id","reviewer_id") WHERE "review"."kind" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "review_requested" ON "review" USING btree ("pull_id","reviewer_id") WHERE "review"."kind" = 'request' and "review"."reviewer_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "review_requested_team" ON "review" USING btree ("pull_id","team_id") WHERE "review"."kind" = 'request' and "review"."team_id" is not null;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_assignee_team_id_team_id_fk" FOREIGN KEY ("assignee_team_id") REFERENCES "public"."team"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_review_id_review_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."review"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "comment_assignee_team" ON "comment" USING btree ("assignee_team_id") WHERE "comment"."assignee_team_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_review" ON "comment" USING btree ("review_id","id") WHERE "comment"."review_id" is not null;
--> statement-breakpoint
CREATE FUNCTION "open_pull"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "pull" SET "open" = NEW."closed_at" IS NULL WHERE "issue_id" = NEW."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "pull_opened" AFTER UPDATE OF "closed_at" ON "issue" FOR EACH ROW
	WHEN (NEW."is_pull" AND (OLD."closed_at" IS NULL) <> (NEW."closed_at" IS NULL)) EXECUTE FUNCTION "open_pull"();
