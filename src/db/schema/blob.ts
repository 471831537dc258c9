import { pgTable } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, instant } from "./columns.ts";

/** A file of the blob store, named by the SHA-256 of its content. */
export const blob = pgTable("blob", {
  sha256: bytea().primaryKey(),
  bytes: bigintNumber().notNull(),
  createdAt: instant().notNull().defaultNow(),
});
