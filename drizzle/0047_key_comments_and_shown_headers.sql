ALTER TABLE "hook" ADD COLUMN "authorization_shown" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "deploy_key" ADD COLUMN "comment" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "ssh_key" ADD COLUMN "comment" text DEFAULT '' NOT NULL;