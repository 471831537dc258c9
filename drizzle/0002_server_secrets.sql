CREATE TABLE "server_secret" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
