import { expect, test } from "bun:test";
import { ObjectType } from "../objects/object-type.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { parseFilter } from "./parse-filter.ts";

const { commit, tree, blob, tag } = ObjectType;
const all = {
  types: [commit, tree, blob, tag],
  blobLimit: Number.POSITIVE_INFINITY,
  treeDepth: Number.POSITIVE_INFINITY,
  sparse: [],
};

test.each([
  ["blob:none", { types: [commit, tree, tag] }],
  ["blob:limit=0", { blobLimit: 0 }],
  ["blob:limit=3K", { blobLimit: 3072 }],
  ["blob:limit=2g", { blobLimit: 2 * 1024 ** 3 }],
  ["tree:0", { treeDepth: 0 }],
  ["object:type=tag", { types: [tag] }],
  ["sparse:oid=main:.sparse", { sparse: ["main:.sparse"] }],
  ["combine:blob:none+tree:3", { types: [commit, tree, tag], treeDepth: 3 }],
  ["combine:tree%3A2+combine%3Atree%3A5%2Bblob%3Alimit%3D1k", { treeDepth: 2, blobLimit: 1024 }],
  ["combine:object:type=blob+object:type=tree", { types: [] }],
] as const)("%s", (text, expected) => {
  expect(parseFilter(text)).toEqual({ ...all, ...expected } as never);
});

test.each([
  "",
  "blob",
  "blob:",
  "blob:some",
  "blob:limit=",
  "blob:limit=1t",
  "blob:limit=-1",
  "tree:",
  "tree:x",
  "object:type=ref",
  "sparse:path=x",
  "sparse:oid=",
  "combine:",
  "combine:tree:1+",
  "combine:%zz",
  `combine:${"tree:1+".repeat(100)}tree:1`,
  `combine:${"sparse:oid=a+".repeat(9)}tree:1`,
])("%p is refused", (text) => {
  expect(() => parseFilter(text)).toThrow(ProtocolError);
});
