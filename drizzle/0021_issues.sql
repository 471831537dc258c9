CREATE TABLE "issue" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "issue_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"is_pull" boolean DEFAULT false NOT NULL,
	"title" text NOT NULL,
	"body" text DEFAULT '' NOT NULL,
	"author_id" bigint,
	"closed_at" timestamp with time zone,
	"closed_by_id" bigint,
	"locked_at" timestamp with time zone,
	"lock_reason" text,
	"milestone_id" bigint,
	"due_at" timestamp with time zone,
	"ref" text DEFAULT '' NOT NULL,
	"comments" integer DEFAULT 0 NOT NULL,
	"pin_order" integer,
	"content_version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"words" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('simple', left("title", 1000)), 'A') || to_tsvector('simple', left("body", 100000))) STORED NOT NULL
);
--> statement-breakpoint
CREATE TABLE "issue_assignee" (
	"issue_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "issue_assignee_issue_id_user_id_pk" PRIMARY KEY("issue_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "issue_dependency" (
	"issue_id" bigint NOT NULL,
	"depends_on_id" bigint NOT NULL,
	CONSTRAINT "issue_dependency_issue_id_depends_on_id_pk" PRIMARY KEY("issue_id","depends_on_id"),
	CONSTRAINT "issue_dependency_other" CHECK ("issue_dependency"."issue_id" <> "issue_dependency"."depends_on_id")
);
--> statement-breakpoint
CREATE TABLE "issue_label" (
	"issue_id" bigint NOT NULL,
	"label_id" bigint NOT NULL,
	CONSTRAINT "issue_label_issue_id_label_id_pk" PRIMARY KEY("issue_id","label_id")
);
--> statement-breakpoint
CREATE TABLE "issue_mention" (
	"issue_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "issue_mention_issue_id_user_id_pk" PRIMARY KEY("issue_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "issue_sequence" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"last" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "issue_subscription" (
	"issue_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"watching" boolean NOT NULL,
	CONSTRAINT "issue_subscription_issue_id_user_id_pk" PRIMARY KEY("issue_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "label" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "label_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint,
	"owner_id" bigint,
	"name" text NOT NULL,
	"color" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"exclusive" boolean DEFAULT false NOT NULL,
	"archived_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "label_belongs" CHECK (num_nonnulls("label"."repository_id", "label"."owner_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "milestone" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "milestone_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"title" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"due_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	"open_issues" integer DEFAULT 0 NOT NULL,
	"closed_issues" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "repository_count" ADD COLUMN "open_issues" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "repository_count" ADD COLUMN "closed_issues" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "repository_count" ADD COLUMN "open_pulls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "repository_count" ADD COLUMN "closed_pulls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_author_id_account_owner_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_closed_by_id_account_owner_id_fk" FOREIGN KEY ("closed_by_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_milestone_id_milestone_id_fk" FOREIGN KEY ("milestone_id") REFERENCES "public"."milestone"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_assignee" ADD CONSTRAINT "issue_assignee_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_assignee" ADD CONSTRAINT "issue_assignee_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_dependency" ADD CONSTRAINT "issue_dependency_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_dependency" ADD CONSTRAINT "issue_dependency_depends_on_id_issue_id_fk" FOREIGN KEY ("depends_on_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_label" ADD CONSTRAINT "issue_label_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_label" ADD CONSTRAINT "issue_label_label_id_label_id_fk" FOREIGN KEY ("label_id") REFERENCES "public"."label"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_mention" ADD CONSTRAINT "issue_mention_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_mention" ADD CONSTRAINT "issue_mention_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_sequence" ADD CONSTRAINT "issue_sequence_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_subscription" ADD CONSTRAINT "issue_subscription_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_subscription" ADD CONSTRAINT "issue_subscription_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "label" ADD CONSTRAINT "label_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "label" ADD CONSTRAINT "label_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "milestone" ADD CONSTRAINT "milestone_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "issue_number" ON "issue" USING btree ("repository_id","number");--> statement-breakpoint
CREATE INDEX "issue_created" ON "issue" USING btree ("repository_id","is_pull",("closed_at" is null),"created_at","id");--> statement-breakpoint
CREATE INDEX "issue_updated" ON "issue" USING btree ("repository_id","is_pull",("closed_at" is null),"updated_at","id");--> statement-breakpoint
CREATE INDEX "issue_comments" ON "issue" USING btree ("repository_id","is_pull",("closed_at" is null),"comments","id");--> statement-breakpoint
CREATE INDEX "issue_due" ON "issue" USING btree ("repository_id","is_pull",("closed_at" is null),"due_at","id");--> statement-breakpoint
CREATE INDEX "issue_author" ON "issue" USING btree ("author_id","created_at");--> statement-breakpoint
CREATE INDEX "issue_closed_by" ON "issue" USING btree ("closed_by_id") WHERE "issue"."closed_by_id" is not null;--> statement-breakpoint
CREATE INDEX "issue_milestone" ON "issue" USING btree ("milestone_id");--> statement-breakpoint
CREATE UNIQUE INDEX "issue_pin" ON "issue" USING btree ("repository_id","is_pull","pin_order") WHERE "issue"."pin_order" is not null;--> statement-breakpoint
CREATE INDEX "issue_words" ON "issue" USING gin ("words");--> statement-breakpoint
CREATE INDEX "issue_assignee_user" ON "issue_assignee" USING btree ("user_id","issue_id");--> statement-breakpoint
CREATE INDEX "issue_dependency_on" ON "issue_dependency" USING btree ("depends_on_id","issue_id");--> statement-breakpoint
CREATE INDEX "issue_label_label" ON "issue_label" USING btree ("label_id","issue_id");--> statement-breakpoint
CREATE INDEX "issue_mention_user" ON "issue_mention" USING btree ("user_id","issue_id");--> statement-breakpoint
CREATE INDEX "issue_subscription_user" ON "issue_subscription" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "label_repository" ON "label" USING btree ("repository_id","name","id");--> statement-breakpoint
CREATE INDEX "label_owner" ON "label" USING btree ("owner_id","name","id");--> statement-breakpoint
CREATE INDEX "milestone_due" ON "milestone" USING btree ("repository_id","due_at","id");--> statement-breakpoint
CREATE INDEX "milestone_title" ON "milestone" USING btree ("repository_id",lower("title"));--> statement-breakpoint
CREATE FUNCTION "count_issue"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND OLD."milestone_id" IS NOT DISTINCT FROM NEW."milestone_id" AND (OLD."closed_at" IS NULL) = (NEW."closed_at" IS NULL) THEN
		RETURN NULL;
	END IF;
	IF TG_OP <> 'UPDATE' OR (OLD."closed_at" IS NULL) <> (NEW."closed_at" IS NULL) THEN
		UPDATE "repository_count" SET
			"open_issues" = "open_issues" + CASE WHEN TG_OP <> 'DELETE' AND NOT NEW."is_pull" AND NEW."closed_at" IS NULL THEN 1 ELSE 0 END
				- CASE WHEN TG_OP <> 'INSERT' AND NOT OLD."is_pull" AND OLD."closed_at" IS NULL THEN 1 ELSE 0 END,
			"closed_issues" = "closed_issues" + CASE WHEN TG_OP <> 'DELETE' AND NOT NEW."is_pull" AND NEW."closed_at" IS NOT NULL THEN 1 ELSE 0 END
				- CASE WHEN TG_OP <> 'INSERT' AND NOT OLD."is_pull" AND OLD."closed_at" IS NOT NULL THEN 1 ELSE 0 END,
			"open_pulls" = "open_pulls" + CASE WHEN TG_OP <> 'DELETE' AND NEW."is_pull" AND NEW."closed_at" IS NULL THEN 1 ELSE 0 END
				- CASE WHEN TG_OP <> 'INSERT' AND OLD."is_pull" AND OLD."closed_at" IS NULL THEN 1 ELSE 0 END,
			"closed_pulls" = "closed_pulls" + CASE WHEN TG_OP <> 'DELETE' AND NEW."is_pull" AND NEW."closed_at" IS NOT NULL THEN 1 ELSE 0 END
				- CASE WHEN TG_OP <> 'INSERT' AND OLD."is_pull" AND OLD."closed_at" IS NOT NULL THEN 1 ELSE 0 END
			WHERE "repository_id" = coalesce(NEW."repository_id", OLD."repository_id");
	END IF;
	-- In the order of ids, so that two who exchange the milestones of two issues do not wait for each other.
	PERFORM FROM "milestone" WHERE "id" IN (OLD."milestone_id", NEW."milestone_id") ORDER BY "id" FOR NO KEY UPDATE;
	IF TG_OP <> 'INSERT' AND OLD."milestone_id" IS NOT NULL THEN
		UPDATE "milestone" SET
			"open_issues" = "open_issues" - CASE WHEN OLD."closed_at" IS NULL THEN 1 ELSE 0 END,
			"closed_issues" = "closed_issues" - CASE WHEN OLD."closed_at" IS NULL THEN 0 ELSE 1 END
			WHERE "id" = OLD."milestone_id";
	END IF;
	IF TG_OP <> 'DELETE' AND NEW."milestone_id" IS NOT NULL THEN
		UPDATE "milestone" SET
			"open_issues" = "open_issues" + CASE WHEN NEW."closed_at" IS NULL THEN 1 ELSE 0 END,
			"closed_issues" = "closed_issues" + CASE WHEN NEW."closed_at" IS NULL THEN 0 ELSE 1 END
			WHERE "id" = NEW."milestone_id";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "issue_counted" AFTER INSERT OR DELETE OR UPDATE OF "closed_at", "milestone_id" ON "issue" FOR EACH ROW EXECUTE FUNCTION "count_issue"();
