import { expect, test } from "bun:test";
import { sha1 } from "../objects/object-format.ts";
import type { Ref } from "../refs/ref.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { FetchRequest } from "./fetch-request.ts";
import { resolveFetch } from "./resolve-fetch.ts";
import { measureWork } from "../../../test/support/process-work.ts";

const oid = (number: number) => number.toString(16).padStart(40, "0");
const deepenNot = (...not: string[]) =>
  ({
    wants: new Uint8Array(0),
    wantedRefs: [],
    haves: [],
    shallow: [],
    includeTag: false,
    filter: null,
    deepen: { kind: "bounded", since: null, not },
  }) as unknown as FetchRequest;

test("deepen-not finds short names where git does, and tags by what they point at", () => {
  const refs: Ref[] = [
    { name: "refs/heads/both", oid: oid(1), peeled: null },
    { name: "refs/tags/both", oid: oid(2), peeled: oid(3) },
    { name: "refs/heads/main", oid: oid(4), peeled: null },
  ];
  const { deepen } = resolveFetch(
    deepenNot("both", "main", "heads/both", "refs/heads/main"),
    refs,
    "refs/heads/main",
    sha1,
  );
  expect(deepen).toEqual({ kind: "bounded", since: null, not: [oid(3), oid(4), oid(1), oid(4)] });
  expect(() => resolveFetch(deepenNot("nothing"), refs, "refs/heads/main", sha1)).toThrow(ProtocolError);
});

test("many names in many refs do not hold the server up", () => {
  const count = 30_000;
  const refs = Array.from({ length: count }, (_, index): Ref => ({
    name: `refs/tags/t/${index}`,
    oid: oid(index),
    peeled: null,
  }));
  const workedMs = measureWork();
  const { deepen } = resolveFetch(
    deepenNot(...refs.map(({ name }) => name.slice("refs/tags/".length))),
    refs,
    "refs/heads/main",
    sha1,
  );
  expect(deepen?.kind === "bounded" && deepen.not.length).toBe(count);
  expect(workedMs()).toBeLessThan(1000);
});
