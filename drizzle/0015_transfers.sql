CREATE TABLE "repository_transfer" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"doer_id" bigint NOT NULL,
	"recipient_id" bigint NOT NULL,
	"team_ids" bigint[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "repository_count" ADD COLUMN "transfers" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "collaborator" ADD COLUMN "for_transfer" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "repository_transfer" ADD CONSTRAINT "repository_transfer_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_transfer" ADD CONSTRAINT "repository_transfer_doer_id_account_owner_id_fk" FOREIGN KEY ("doer_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_transfer" ADD CONSTRAINT "repository_transfer_recipient_id_owner_id_fk" FOREIGN KEY ("recipient_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "repository_transfer_doer" ON "repository_transfer" USING btree ("doer_id");--> statement-breakpoint
CREATE INDEX "repository_transfer_recipient" ON "repository_transfer" USING btree ("recipient_id");--> statement-breakpoint
CREATE FUNCTION "count_transfer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE "repository_count" SET "transfers" = "transfers" + 1 WHERE "repository_id" = NEW."repository_id";
	ELSE
		-- Whoever was let in to look at what they were offered has no further reason to be.
		DELETE FROM "collaborator" WHERE "repository_id" = OLD."repository_id" AND "for_transfer";
		UPDATE "repository_count" SET "transfers" = "transfers" - 1 WHERE "repository_id" = OLD."repository_id";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "transfer_counted" AFTER INSERT OR DELETE ON "repository_transfer" FOR EACH ROW EXECUTE FUNCTION "count_transfer"();
