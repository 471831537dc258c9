CREATE TABLE "package_cleanup_rule" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_cleanup_rule_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"enabled" boolean NOT NULL,
	"keep_count" integer NOT NULL,
	"keep_pattern" text NOT NULL,
	"remove_days" integer NOT NULL,
	"remove_pattern" text NOT NULL,
	"match_full_name" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"followed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "package_download" (
	"version_id" bigint PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "package_cleanup_rule" ADD CONSTRAINT "package_cleanup_rule_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_download" ADD CONSTRAINT "package_download_version_id_package_version_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."package_version"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "package_cleanup_rule_owner" ON "package_cleanup_rule" USING btree ("owner_id","type");