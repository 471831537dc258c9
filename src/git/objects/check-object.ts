import { checkCommit } from "./check-commit.ts";
import { checkTag } from "./check-tag.ts";
import { checkTree } from "./check-tree.ts";
import type { CheckedFileName } from "./checked-files.ts";
import type { ObjectFormat } from "./object-format.ts";
import { ObjectType } from "./object-type.ts";

/**
 * What is wrong with an object's form by the rules of `git fsck --strict`, or null. The answer starts with the name that
 * git gives the rule. `named` is called with each file of a tree whose content is checked, and where its oid stands in the bytes.
 */
export function checkObject(
  type: ObjectType,
  bytes: Uint8Array,
  format: ObjectFormat,
  named: (file: CheckedFileName, oidAt: number) => void,
): string | null {
  switch (type) {
    case ObjectType.commit:
      return checkCommit(bytes, format);
    case ObjectType.tree:
      return checkTree(bytes, format, named);
    case ObjectType.tag:
      return checkTag(bytes, format);
    case ObjectType.blob:
      return null;
  }
}
