CREATE TABLE "package_file" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_file_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"version_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	"name" text NOT NULL,
	"lower_name" text COLLATE "C" NOT NULL,
	"place" text COLLATE "C" DEFAULT '' NOT NULL,
	"sha256" "bytea" NOT NULL,
	"md5" "bytea" NOT NULL,
	"sha1" "bytea" NOT NULL,
	"sha512" "bytea" NOT NULL,
	"bytes" bigint NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "package_version" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_version_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"package_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	"version" text NOT NULL,
	"lower_version" text COLLATE "C" NOT NULL,
	"creator_id" bigint,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "package" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"lower_name" text COLLATE "C" NOT NULL,
	"repository_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "blob_reference" DROP CONSTRAINT "blob_reference_kind";--> statement-breakpoint
ALTER TABLE "package_file" ADD CONSTRAINT "package_file_version_id_package_version_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."package_version"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_version" ADD CONSTRAINT "package_version_package_id_package_id_fk" FOREIGN KEY ("package_id") REFERENCES "public"."package"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_version" ADD CONSTRAINT "package_version_creator_id_account_owner_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package" ADD CONSTRAINT "package_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package" ADD CONSTRAINT "package_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "package_file_name" ON "package_file" USING btree ("version_id","lower_name","place");--> statement-breakpoint
CREATE UNIQUE INDEX "package_version_name" ON "package_version" USING btree ("package_id","lower_version");--> statement-breakpoint
CREATE INDEX "package_version_owner" ON "package_version" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "package_version_creator" ON "package_version" USING btree ("creator_id");--> statement-breakpoint
CREATE UNIQUE INDEX "package_name" ON "package" USING btree ("owner_id","type","lower_name");--> statement-breakpoint
CREATE INDEX "package_repository" ON "package" USING btree ("repository_id");--> statement-breakpoint
ALTER TABLE "blob_reference" ADD CONSTRAINT "blob_reference_kind" CHECK ("blob_reference"."kind" in ('lfs-object', 'avatar', 'repository-avatar', 'release-attachment', 'issue-attachment', 'artifact', 'package'));--> statement-breakpoint
CREATE FUNCTION "refer_to_package_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
		SELECT "sha256", 'package', "owner_id", "id", "bytes" FROM "added";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "package_files_added" AFTER INSERT ON "package_file" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "refer_to_package_files"();
--> statement-breakpoint
CREATE FUNCTION "leave_package_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'package' AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "package_files_removed" AFTER DELETE ON "package_file" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "leave_package_files"();
