CREATE TABLE "outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"transaction" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"doer" jsonb NOT NULL,
	"owner_id" bigint,
	"repository_id" bigint,
	"kind" text COLLATE "C" NOT NULL,
	"payload" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox_receiver" (
	"name" text PRIMARY KEY NOT NULL,
	"taken" "pg_snapshot" NOT NULL,
	"taking" "pg_snapshot",
	"taken_id" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX "outbox_transaction" ON "outbox" USING btree ("transaction");