DROP INDEX "hook_event_unmade";--> statement-breakpoint
ALTER TABLE "hook_event" ADD COLUMN "make_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "hook_event" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "hook_event_failed" ON "hook_event" USING btree ("id") WHERE "hook_event"."make_at" is null and "hook_event"."source" is not null;--> statement-breakpoint
CREATE INDEX "hook_event_unmade" ON "hook_event" USING btree ("id") WHERE "hook_event"."make_at" is not null;--> statement-breakpoint
UPDATE "hook_event" SET "make_at" = now() WHERE "source" IS NOT NULL;