CREATE TABLE "blob" (
	"sha256" "bytea" PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lfs_lock" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lfs_lock_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"user_id" bigint NOT NULL,
	"ref_name" text DEFAULT '' NOT NULL,
	"locked_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lfs_object" (
	"repository_id" bigint NOT NULL,
	"sha256" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "lfs_object_repository_id_sha256_pk" PRIMARY KEY("repository_id","sha256")
);
--> statement-breakpoint
CREATE TABLE "deploy_key" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "deploy_key_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	"title" text NOT NULL,
	"read_only" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "ssh_key" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ssh_key_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"fingerprint" text COLLATE "C" NOT NULL,
	"content" text COLLATE "C" NOT NULL,
	"user_id" bigint,
	"title" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "ssh_key_title" CHECK ("ssh_key"."user_id" is not null or "ssh_key"."title" = '')
);
--> statement-breakpoint
ALTER TABLE "repository" ADD COLUMN "lfs_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "lfs_lock" ADD CONSTRAINT "lfs_lock_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lfs_lock" ADD CONSTRAINT "lfs_lock_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lfs_object" ADD CONSTRAINT "lfs_object_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lfs_object" ADD CONSTRAINT "lfs_object_sha256_blob_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."blob"("sha256") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deploy_key" ADD CONSTRAINT "deploy_key_key_id_ssh_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."ssh_key"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deploy_key" ADD CONSTRAINT "deploy_key_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ssh_key" ADD CONSTRAINT "ssh_key_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "lfs_lock_path" ON "lfs_lock" USING btree ("repository_id","path");--> statement-breakpoint
CREATE INDEX "lfs_lock_user" ON "lfs_lock" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "lfs_object_sha256" ON "lfs_object" USING btree ("sha256");--> statement-breakpoint
CREATE UNIQUE INDEX "deploy_key_repository_key" ON "deploy_key" USING btree ("repository_id","key_id");--> statement-breakpoint
CREATE UNIQUE INDEX "deploy_key_repository_title" ON "deploy_key" USING btree ("repository_id","title");--> statement-breakpoint
CREATE INDEX "deploy_key_key" ON "deploy_key" USING btree ("key_id");--> statement-breakpoint
CREATE UNIQUE INDEX "ssh_key_fingerprint" ON "ssh_key" USING btree ("fingerprint");--> statement-breakpoint
CREATE UNIQUE INDEX "ssh_key_user_title" ON "ssh_key" USING btree ("user_id","title");--> statement-breakpoint
CREATE INDEX "ssh_key_user" ON "ssh_key" USING btree ("user_id","id");