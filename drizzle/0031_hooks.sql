CREATE TABLE "hook" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hook_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint,
	"owner_id" bigint,
	"system" boolean DEFAULT false NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"url" text NOT NULL,
	"content_type" text COLLATE "C" NOT NULL,
	"options" jsonb NOT NULL,
	"events" text[] NOT NULL,
	"branch_filter" text NOT NULL,
	"active" boolean NOT NULL,
	"seal_id" uuid NOT NULL,
	"secret" "bytea",
	"authorization" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failing_since" timestamp with time zone,
	"paused_at" timestamp with time zone,
	"next_at" timestamp with time zone,
	CONSTRAINT "hook_place" CHECK ("hook"."repository_id" is null or "hook"."owner_id" is null),
	CONSTRAINT "hook_system" CHECK (not "hook"."system" or ("hook"."repository_id" is null and "hook"."owner_id" is null))
);
--> statement-breakpoint
CREATE TABLE "hook_delivery" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hook_delivery_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uuid" uuid NOT NULL,
	"hook_id" bigint NOT NULL,
	"event_id" bigint NOT NULL,
	"state" text COLLATE "C" DEFAULT 'waiting' NOT NULL,
	"redelivery" boolean DEFAULT false NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"attempted_at" timestamp with time zone,
	"duration_ms" integer,
	"url" text,
	"request_headers" jsonb,
	"status" integer,
	"response_headers" jsonb,
	"response_body" text,
	"failure" text
);
--> statement-breakpoint
CREATE TABLE "hook_event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hook_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text COLLATE "C" NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"repository_id" bigint,
	"at" timestamp with time zone NOT NULL,
	"source" jsonb,
	"payload" text
);
--> statement-breakpoint
ALTER TABLE "hook_delivery" ADD CONSTRAINT "hook_delivery_hook_id_hook_id_fk" FOREIGN KEY ("hook_id") REFERENCES "public"."hook"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hook_delivery" ADD CONSTRAINT "hook_delivery_event_id_hook_event_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."hook_event"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "hook_repository" ON "hook" USING btree ("repository_id","id");--> statement-breakpoint
CREATE INDEX "hook_owner" ON "hook" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "hook_instance" ON "hook" USING btree ("id") WHERE "hook"."repository_id" is null and "hook"."owner_id" is null;--> statement-breakpoint
CREATE INDEX "hook_next" ON "hook" USING btree ("next_at") WHERE "hook"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "hook_delivery_hook" ON "hook_delivery" USING btree ("hook_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "hook_delivery_waiting" ON "hook_delivery" USING btree ("hook_id","id") WHERE "hook_delivery"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "hook_delivery_event" ON "hook_delivery" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "hook_delivery_done" ON "hook_delivery" USING btree ("created_at") WHERE "hook_delivery"."state" <> 'waiting';--> statement-breakpoint
CREATE INDEX "hook_event_unmade" ON "hook_event" USING btree ("id") WHERE "hook_event"."source" is not null;