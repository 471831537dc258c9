CREATE TABLE "notification" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notification_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	"subject" text NOT NULL,
	"issue_id" bigint,
	"status" text DEFAULT 'unread' NOT NULL,
	"reason" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_subject" CHECK (("notification"."issue_id" is null) = ("notification"."subject" = 'repository'))
);
--> statement-breakpoint
ALTER TABLE "notification" ADD CONSTRAINT "notification_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification" ADD CONSTRAINT "notification_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification" ADD CONSTRAINT "notification_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_once" ON "notification" USING btree ("user_id","repository_id",coalesce("issue_id", 0));--> statement-breakpoint
CREATE INDEX "notification_listed" ON "notification" USING btree ("user_id","updated_at","id") WHERE "notification"."status" <> 'read';--> statement-breakpoint
CREATE INDEX "notification_counted" ON "notification" USING btree ("user_id","repository_id","subject","status") WHERE "notification"."status" <> 'read';--> statement-breakpoint
CREATE INDEX "notification_user" ON "notification" USING btree ("user_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "notification_of_repository" ON "notification" USING btree ("user_id","repository_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "notification_issue" ON "notification" USING btree ("issue_id");--> statement-breakpoint
CREATE INDEX "notification_repository" ON "notification" USING btree ("repository_id");