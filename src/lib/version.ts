import { version as packageVersion } from "../../package.json";

export const version: string = packageVersion;

/** What the server calls itself in protocols. */
export const agent = `stithy/${version}`;
