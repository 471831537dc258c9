import { bigint, customType, timestamp } from "drizzle-orm/pg-core";

/** Text compared byte by byte, so that order and equality never depend on the cluster's locale. */
export const bytewiseText = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

/** A surrogate key. Ids stay below 2^53, so a JavaScript number holds them exactly. */
export const id = () => bigint({ mode: "number" }).generatedAlwaysAsIdentity();

export const bigintNumber = () => bigint({ mode: "number" });

/** An instant with microseconds in the database, milliseconds in JavaScript. */
export const instant = () => timestamp({ withTimezone: true, mode: "date" });
