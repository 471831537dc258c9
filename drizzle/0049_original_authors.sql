ALTER TABLE "comment" ADD COLUMN "original_author" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "comment" ADD COLUMN "original_author_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "issue" ADD COLUMN "original_author" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "issue" ADD COLUMN "original_author_id" bigint DEFAULT 0 NOT NULL;