CREATE TABLE "stopwatch" (
	"user_id" bigint NOT NULL,
	"issue_id" bigint NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stopwatch_user_id_pk" PRIMARY KEY("user_id")
);
--> statement-breakpoint
CREATE TABLE "tracked_time" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tracked_time_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"issue_id" bigint NOT NULL,
	"user_id" bigint,
	"seconds" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tracked_time_seconds" CHECK ("tracked_time"."seconds" > 0)
);
--> statement-breakpoint
ALTER TABLE "comment" ADD COLUMN "tracked_time_id" bigint;--> statement-breakpoint
ALTER TABLE "stopwatch" ADD CONSTRAINT "stopwatch_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stopwatch" ADD CONSTRAINT "stopwatch_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracked_time" ADD CONSTRAINT "tracked_time_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracked_time" ADD CONSTRAINT "tracked_time_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracked_time" ADD CONSTRAINT "tracked_time_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stopwatch_issue" ON "stopwatch" USING btree ("issue_id");--> statement-breakpoint
CREATE INDEX "tracked_time_issue" ON "tracked_time" USING btree ("issue_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tracked_time_repository" ON "tracked_time" USING btree ("repository_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tracked_time_user" ON "tracked_time" USING btree ("user_id","created_at","id");--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_tracked_time_id_tracked_time_id_fk" FOREIGN KEY ("tracked_time_id") REFERENCES "public"."tracked_time"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "comment_tracked_time" ON "comment" USING btree ("tracked_time_id") WHERE "comment"."tracked_time_id" is not null;--> statement-breakpoint
CREATE INDEX "notification_read" ON "notification" USING btree ("updated_at") WHERE "notification"."status" = 'read';