DROP INDEX "hook_event_unmade";--> statement-breakpoint
ALTER TABLE "hook_event" ADD COLUMN "owner_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "hook_event" ADD COLUMN "hook_ids" bigint[];--> statement-breakpoint
CREATE INDEX "hook_event_unmade" ON "hook_event" USING btree ("owner_id","id") WHERE "hook_event"."make_at" is not null;