CREATE TABLE "branch_protection" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "branch_protection_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"rule_name" text COLLATE "C" NOT NULL,
	"priority" integer NOT NULL,
	"enable_push" boolean DEFAULT false NOT NULL,
	"enable_push_list" boolean DEFAULT false NOT NULL,
	"push_deploy_keys" boolean DEFAULT false NOT NULL,
	"enable_force_push" boolean DEFAULT false NOT NULL,
	"enable_force_push_list" boolean DEFAULT false NOT NULL,
	"force_push_deploy_keys" boolean DEFAULT false NOT NULL,
	"enable_delete" boolean DEFAULT false NOT NULL,
	"enable_delete_list" boolean DEFAULT false NOT NULL,
	"delete_deploy_keys" boolean DEFAULT false NOT NULL,
	"enable_merge_list" boolean DEFAULT false NOT NULL,
	"enable_approvals_list" boolean DEFAULT false NOT NULL,
	"required_approvals" integer DEFAULT 0 NOT NULL,
	"enable_status_check" boolean DEFAULT false NOT NULL,
	"status_check_contexts" text[] DEFAULT '{}' NOT NULL,
	"block_on_rejected_reviews" boolean DEFAULT false NOT NULL,
	"block_on_official_review_requests" boolean DEFAULT false NOT NULL,
	"block_on_outdated_branch" boolean DEFAULT false NOT NULL,
	"dismiss_stale_approvals" boolean DEFAULT false NOT NULL,
	"ignore_stale_approvals" boolean DEFAULT false NOT NULL,
	"require_signed_commits" boolean DEFAULT false NOT NULL,
	"protected_file_patterns" text DEFAULT '' NOT NULL,
	"unprotected_file_patterns" text DEFAULT '' NOT NULL,
	"apply_to_admins" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "branch_protection_approvals" CHECK ("branch_protection"."required_approvals" >= 0)
);
--> statement-breakpoint
CREATE TABLE "branch_protection_team" (
	"protection_id" bigint NOT NULL,
	"list" text NOT NULL,
	"team_id" bigint NOT NULL,
	CONSTRAINT "branch_protection_team_protection_id_list_team_id_pk" PRIMARY KEY("protection_id","list","team_id")
);
--> statement-breakpoint
CREATE TABLE "branch_protection_user" (
	"protection_id" bigint NOT NULL,
	"list" text NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "branch_protection_user_protection_id_list_user_id_pk" PRIMARY KEY("protection_id","list","user_id")
);
--> statement-breakpoint
CREATE TABLE "tag_protection" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tag_protection_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"name_pattern" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tag_protection_team" (
	"protection_id" bigint NOT NULL,
	"team_id" bigint NOT NULL,
	CONSTRAINT "tag_protection_team_protection_id_team_id_pk" PRIMARY KEY("protection_id","team_id")
);
--> statement-breakpoint
CREATE TABLE "tag_protection_user" (
	"protection_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "tag_protection_user_protection_id_user_id_pk" PRIMARY KEY("protection_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "branch_protection" ADD CONSTRAINT "branch_protection_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection_team" ADD CONSTRAINT "branch_protection_team_protection_id_branch_protection_id_fk" FOREIGN KEY ("protection_id") REFERENCES "public"."branch_protection"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection_team" ADD CONSTRAINT "branch_protection_team_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection_user" ADD CONSTRAINT "branch_protection_user_protection_id_branch_protection_id_fk" FOREIGN KEY ("protection_id") REFERENCES "public"."branch_protection"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection_user" ADD CONSTRAINT "branch_protection_user_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection" ADD CONSTRAINT "tag_protection_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection_team" ADD CONSTRAINT "tag_protection_team_protection_id_tag_protection_id_fk" FOREIGN KEY ("protection_id") REFERENCES "public"."tag_protection"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection_team" ADD CONSTRAINT "tag_protection_team_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection_user" ADD CONSTRAINT "tag_protection_user_protection_id_tag_protection_id_fk" FOREIGN KEY ("protection_id") REFERENCES "public"."tag_protection"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection_user" ADD CONSTRAINT "tag_protection_user_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "branch_protection_name" ON "branch_protection" USING btree ("repository_id","rule_name");--> statement-breakpoint
CREATE INDEX "branch_protection_team_team" ON "branch_protection_team" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "branch_protection_user_user" ON "branch_protection_user" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tag_protection_name" ON "tag_protection" USING btree ("repository_id","name_pattern");--> statement-breakpoint
CREATE INDEX "tag_protection_team_team" ON "tag_protection_team" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "tag_protection_user_user" ON "tag_protection_user" USING btree ("user_id");