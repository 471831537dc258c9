import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { OwnerRow } from "../auth/subject.ts";
import { NotFound } from "../domain/spine/errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { listGpgKeys } from "../domain/identity/gpg-keys/queries.ts";
import { listUserKeys } from "../domain/identity/keys/queries.ts";
import { messageOf } from "../lib/errors.ts";
import { open, type DeclarePage, type PageRoute } from "./pages.ts";
import { bytesResponse } from "./respond.ts";
import type { Visit } from "./visit.ts";

const everyKey = { size: 1000, offset: 0 };

/** Programs, and the past of repositories (see PageSpec). */
const usualRobots = [
  "User-agent: *",
  "Disallow: /api/",
  "Disallow: /user/",
  "Disallow: /*/*/raw/",
  "Disallow: /*/*/media/",
  ...[
    "activity",
    "archive",
    "atom/",
    "blame",
    "branches/",
    "commit",
    "compare",
    "graph",
    "pulls/*/checks",
    "pulls/*/commits",
    "pulls/*/files",
    "refs",
    "rss/",
    "search",
    "wiki/_compare",
    "wiki/_history",
    "wiki/_pages/",
  ].map((page) => `Disallow: /*/*/${page}`),
]
  .map((line) => `${line}\n`)
  .join("");

function textResponse(visit: Visit, text: string): Promise<Response> {
  const content = Buffer.from(text);
  const etag = createHash("sha256").update(content).digest("hex");
  const contentType = "text/plain; charset=utf-8";
  return bytesResponse(visit, { content, size: content.length, contentType, etag, headers: {} });
}

/**
 * The public keys of a user as text: for SSH, lines of authorized_keys(5); for OpenPGP, armored blocks as they were given.
 * Throws NotFound for an organization.
 */
export async function keysResponse(
  { database: { db } }: Forge,
  visit: Visit,
  owner: OwnerRow,
  suffix: string,
): Promise<Response> {
  if (owner.kind !== "user") {
    throw new NotFound("user", owner.name);
  }
  const isGpg = suffix.toLowerCase() === ".gpg";
  const { rows } = isGpg ? await listGpgKeys(db, owner.id, everyKey) : await listUserKeys(db, owner.id, {}, everyKey);
  return textResponse(visit, rows.map(({ content }) => `${content.trimEnd()}\n`).join(""));
}

/** Addresses of the family that are for programs and are no pages. */
export function plainAddresses(forge: Forge, page: DeclarePage): PageRoute[] {
  async function robots({ base }: Visit): Promise<string> {
    const usual = `${usualRobots}Sitemap: ${base}/sitemap.xml\n`;
    const path = forge.config.server.robots_file;
    try {
      return path === "" ? usual : await readFile(path, "utf8");
    } catch (error) {
      forge.log.warn(
        { path, error: messageOf(error) },
        "The file for robots.txt cannot be read; the usual one is served",
      );
      return usual;
    }
  }

  return [
    page("GET", "/robots.txt", { ...open, frameless: true }, async ({ visit }) =>
      textResponse(visit, await robots(visit)),
    ),
  ];
}
