CREATE TABLE "quota_warning" (
	"owner_id" bigint PRIMARY KEY NOT NULL,
	"warned_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "quota_warning" ADD CONSTRAINT "quota_warning_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;