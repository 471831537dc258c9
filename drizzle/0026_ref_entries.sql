ALTER TABLE "comment" ADD COLUMN "other_repository_id" bigint;--> statement-breakpoint
ALTER TABLE "comment" ADD COLUMN "ref_done" boolean;--> statement-breakpoint
ALTER TABLE "comment" ADD COLUMN "ref_key" text;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "mail_choice" text;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_other_repository_id_repository_id_fk" FOREIGN KEY ("other_repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "comment_other_repository" ON "comment" USING btree ("other_repository_id") WHERE "comment"."other_repository_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "comment_reference" ON "comment" USING btree ("issue_id","ref_key") WHERE "comment"."ref_key" is not null;