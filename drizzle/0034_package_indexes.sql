CREATE TABLE "package_index" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_index_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"wanted" bigint NOT NULL,
	"built" bigint DEFAULT 0 NOT NULL,
	"generation" bigint DEFAULT 0 NOT NULL,
	"built_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "package_index_file" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_index_file_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"index_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	"generation" bigint NOT NULL,
	"audience" text NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"sha256" "bytea" NOT NULL,
	"md5" "bytea" NOT NULL,
	"sha1" "bytea" NOT NULL,
	"sha512" "bytea" NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "package_key" (
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"public_key" text NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "package_key_owner_id_type_pk" PRIMARY KEY("owner_id","type")
);
--> statement-breakpoint
CREATE TABLE "package_stanza" (
	"file_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"index_name" text COLLATE "C" NOT NULL,
	"part" text COLLATE "C" NOT NULL,
	"sort" text COLLATE "C" NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "package_stanza_file_id_index_name_part_pk" PRIMARY KEY("file_id","index_name","part")
);
--> statement-breakpoint
ALTER TABLE "blob_reference" DROP CONSTRAINT "blob_reference_kind";--> statement-breakpoint
ALTER TABLE "package" ADD COLUMN "insiders_only" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "package_index" ADD CONSTRAINT "package_index_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_index_file" ADD CONSTRAINT "package_index_file_index_id_package_index_id_fk" FOREIGN KEY ("index_id") REFERENCES "public"."package_index"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_key" ADD CONSTRAINT "package_key_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_stanza" ADD CONSTRAINT "package_stanza_file_id_package_file_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."package_file"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "package_index_name" ON "package_index" USING btree ("owner_id","type","name");--> statement-breakpoint
CREATE INDEX "package_index_unbuilt" ON "package_index" USING btree ("id") WHERE "package_index"."built" < "package_index"."wanted";--> statement-breakpoint
CREATE UNIQUE INDEX "package_index_file_path" ON "package_index_file" USING btree ("index_id","audience","path","generation");--> statement-breakpoint
CREATE INDEX "package_index_file_sha256" ON "package_index_file" USING btree ("index_id","sha256");--> statement-breakpoint
CREATE INDEX "package_stanza_order" ON "package_stanza" USING btree ("owner_id","type","index_name","part","sort","file_id");--> statement-breakpoint
ALTER TABLE "blob_reference" ADD CONSTRAINT "blob_reference_kind" CHECK ("blob_reference"."kind" in ('lfs-object', 'avatar', 'repository-avatar', 'release-attachment', 'issue-attachment', 'artifact', 'package', 'package-index'));--> statement-breakpoint
CREATE FUNCTION "want_package_indexes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "package_index" ("owner_id", "type", "name", "wanted")
		SELECT "owner_id", "type", "index_name", 1 FROM "changed" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
		ON CONFLICT ("owner_id", "type", "name") DO UPDATE SET "wanted" = "package_index"."wanted" + 1;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "package_stanzas_added" AFTER INSERT ON "package_stanza" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "want_package_indexes"();
--> statement-breakpoint
CREATE TRIGGER "package_stanzas_removed" AFTER DELETE ON "package_stanza" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "want_package_indexes"();
--> statement-breakpoint
CREATE FUNCTION "refer_to_package_index_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
		SELECT "sha256", 'package-index', "owner_id", "id", "bytes" FROM "added";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "package_index_files_added" AFTER INSERT ON "package_index_file" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "refer_to_package_index_files"();
--> statement-breakpoint
CREATE FUNCTION "leave_package_index_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'package-index' AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "package_index_files_removed" AFTER DELETE ON "package_index_file" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "leave_package_index_files"();
--> statement-breakpoint
CREATE FUNCTION "hide_packages_of_private_repository"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "package" SET "insiders_only" = true WHERE "repository_id" = OLD."id";
	RETURN OLD;
END $$;
--> statement-breakpoint
CREATE TRIGGER "packages_of_private_repository" BEFORE DELETE ON "repository" FOR EACH ROW WHEN (OLD."private") EXECUTE FUNCTION "hide_packages_of_private_repository"();
--> statement-breakpoint
-- Who may know of a package has changed: its indexes name it to others.
CREATE FUNCTION "want_indexes_of_package"("of_package" bigint) RETURNS void LANGUAGE sql AS $$
	UPDATE "package_index" SET "wanted" = "wanted" + 1 WHERE "id" IN (SELECT "i"."id" FROM "package_index" "i"
		JOIN "package_stanza" "s" ON "s"."owner_id" = "i"."owner_id" AND "s"."type" = "i"."type" AND "s"."index_name" = "i"."name"
		JOIN "package_file" "f" ON "f"."id" = "s"."file_id" JOIN "package_version" "v" ON "v"."id" = "f"."version_id"
		WHERE "v"."package_id" = "of_package")
$$;
--> statement-breakpoint
CREATE FUNCTION "want_indexes_of_shown_package"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "want_indexes_of_package"(NEW."id");
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "package_shown_to_others" AFTER UPDATE ON "package" FOR EACH ROW
	WHEN (OLD."repository_id" IS DISTINCT FROM NEW."repository_id" OR OLD."insiders_only" <> NEW."insiders_only")
	EXECUTE FUNCTION "want_indexes_of_shown_package"();
--> statement-breakpoint
CREATE FUNCTION "want_indexes_of_repository"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "want_indexes_of_package"("id") FROM "package" WHERE "repository_id" = NEW."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "packages_shown_with_repository" AFTER UPDATE ON "repository" FOR EACH ROW
	WHEN (OLD."private" <> NEW."private") EXECUTE FUNCTION "want_indexes_of_repository"();
