import { expect, test } from "bun:test";
import type { Subject } from "../auth/subject.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { Visit } from "./visit.ts";

const nobody: Subject = { actor: null, credential: { kind: "none" }, owner: null, repository: null };

test.each([
  ["http://forge.example", "/a/b?c=d", "/a/b?c=d"],
  ["http://forge.example", "//evil.example/a", "/evil.example/a"],
  ["http://forge.example", "///evil.example", "/evil.example"],
  ["http://forge.example", "/\\evil.example", "/evil.example"],
  ["http://forge.example/git", "//evil.example", "/git/evil.example"],
])("below %s the link back to %s stays on this server: %s", (base, path, expected) => {
  const forge = { addresses: { own: { base } } } as Forge;
  const visit = new Visit(forge, new Request(`http://127.0.0.1${path}`), {}, nobody, null, null);
  expect(visit.here).toBe(expected);
});
