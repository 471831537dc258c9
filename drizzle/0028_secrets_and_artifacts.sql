CREATE TABLE "artifact" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "artifact_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"run_number" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"sha256" "bytea" NOT NULL,
	"bytes" bigint NOT NULL,
	"uploader_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "secret" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "secret_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint,
	"repository_id" bigint,
	"name" text COLLATE "C" NOT NULL,
	"sealed_value" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "secret_name" UNIQUE NULLS NOT DISTINCT("owner_id","repository_id","name"),
	CONSTRAINT "secret_holder" CHECK (num_nonnulls("secret"."owner_id", "secret"."repository_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "variable" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "variable_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint,
	"repository_id" bigint,
	"name" text COLLATE "C" NOT NULL,
	"value" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "variable_name" UNIQUE NULLS NOT DISTINCT("owner_id","repository_id","name"),
	CONSTRAINT "variable_holder" CHECK (num_nonnulls("variable"."owner_id", "variable"."repository_id") = 1)
);
--> statement-breakpoint
ALTER TABLE "blob_reference" DROP CONSTRAINT "blob_reference_kind";--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_sha256_blob_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."blob"("sha256") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_uploader_id_account_owner_id_fk" FOREIGN KEY ("uploader_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secret" ADD CONSTRAINT "secret_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secret" ADD CONSTRAINT "secret_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable" ADD CONSTRAINT "variable_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable" ADD CONSTRAINT "variable_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "artifact_name" ON "artifact" USING btree ("repository_id","run_number","name");--> statement-breakpoint
CREATE INDEX "artifact_repository" ON "artifact" USING btree ("repository_id","id");--> statement-breakpoint
CREATE INDEX "artifact_sha256" ON "artifact" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "artifact_uploader" ON "artifact" USING btree ("uploader_id");--> statement-breakpoint
CREATE INDEX "secret_repository" ON "secret" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "variable_repository" ON "variable" USING btree ("repository_id");--> statement-breakpoint
ALTER TABLE "blob_reference" ADD CONSTRAINT "blob_reference_kind" CHECK ("blob_reference"."kind" in ('lfs-object', 'avatar', 'repository-avatar', 'release-attachment', 'issue-attachment', 'artifact'));--> statement-breakpoint
CREATE FUNCTION "refer_to_artifacts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
		SELECT "added"."sha256", 'artifact', "repository"."owner_id", "added"."id", "added"."bytes"
		FROM "added" JOIN "repository" ON "repository"."id" = "added"."repository_id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "artifacts_added" AFTER INSERT ON "artifact" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "refer_to_artifacts"();
--> statement-breakpoint
CREATE FUNCTION "leave_artifacts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'artifact' AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "artifacts_removed" AFTER DELETE ON "artifact" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "leave_artifacts"();
--> statement-breakpoint
CREATE FUNCTION "move_artifacts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "blob_reference" SET "owner_id" = NEW."owner_id" FROM "artifact"
		WHERE "artifact"."repository_id" = NEW."id" AND "kind" = 'artifact' AND "subject_id" = "artifact"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_artifacts_moved" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (OLD."owner_id" <> NEW."owner_id") EXECUTE FUNCTION "move_artifacts"();
