import { version as packageVersion } from "../../package.json";

export const version: string = packageVersion;

/** The server's name in protocols. */
export const agent = `stithy/${version}`;
