import { expect, setSystemTime, test } from "bun:test";
import type { Actor, RepositoryAccess } from "../../../auth/subject.ts";
import { Addresses } from "../../spine/addresses.ts";
import type { Forge } from "../../spine/forge.ts";
import { createLfsToken, readLfsToken } from "./lfs-token.ts";

const forgeWith = (key: number) =>
  ({
    config: { lfs: { token_lifetime_seconds: 1800 } },
    addresses: new Addresses("https://forge.example"),
    keys: { lfs: new Uint8Array(32).fill(key) },
  }) as unknown as Forge;
const forge = forgeWith(1);
const access = { repository: { id: 7, name: "site" }, owner: { name: "alice" } } as RepositoryAccess;
const actor = { id: 3 } as Actor;
const made = (of = forge) =>
  createLfsToken(of, { access, operation: "upload", actor, credential: { kind: "password", userId: 7, stamp: "" } });
const tokenOf = ({ header }: { header: { Authorization: string } }) => header.Authorization.slice("Bearer ".length);

test("a token says for which repository, what for and on whose authority", () => {
  const answer = made();
  expect(answer.href).toBe("https://forge.example/alice/site.git/info/lfs");
  expect(answer.expires_in).toBe(1800);
  expect(readLfsToken(forge, tokenOf(answer))).toMatchObject({
    repositoryId: 7,
    operation: "upload",
    bearer: { kind: "user", id: 3 },
  });
});

test("a key or access token is the bearer, not its user", () => {
  const bearerOf = (credential: Parameters<typeof createLfsToken>[1]["credential"]) =>
    readLfsToken(forge, tokenOf(createLfsToken(forge, { access, operation: "download", actor, credential })))?.bearer;
  expect(bearerOf({ kind: "ssh-key", keyId: 12 })).toEqual({ kind: "ssh-key", id: 12 });
  expect(bearerOf({ kind: "deploy-key", keyId: 13, deployKeyId: 4, readOnly: true })).toEqual({
    kind: "ssh-key",
    id: 13,
  });
  expect(
    bearerOf({ kind: "token", tokenId: 14, scopes: { levels: new Map(), publicOnly: false, restricted: false } }),
  ).toEqual({ kind: "access-token", id: 14 });
});

test("what was changed, signed by another key or is too old is none", () => {
  const token = tokenOf(made());
  const [payload = "", signature = ""] = token.split(".");
  const other = Buffer.from(
    JSON.stringify({ repositoryId: 8, operation: "upload", bearer: { kind: "user", id: 1 }, expires: 9e9 }),
  ).toString("base64url");
  for (const forged of [
    `sty-lfs_${other}.${signature}`,
    `${payload}.`,
    payload,
    `${token}.x`,
    token.slice(0, -2),
    tokenOf(made(forgeWith(2))),
    "sty-lfs_",
    "x",
  ]) {
    expect(readLfsToken(forge, forged)).toBeNull();
  }
  setSystemTime(Date.now() + 1801 * 1000);
  expect(readLfsToken(forge, token)).toBeNull();
  setSystemTime();
  expect(readLfsToken(forge, token)).not.toBeNull();
});
