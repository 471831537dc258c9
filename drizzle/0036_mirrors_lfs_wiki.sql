ALTER TABLE "pull_mirror" ADD COLUMN "lfs" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pull_mirror" ADD COLUMN "wiki" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pull_mirror" ADD COLUMN "lfs_endpoint" text DEFAULT '' NOT NULL;