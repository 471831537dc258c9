import { checkCommit } from "./check-commit.ts";
import { checkTag } from "./check-tag.ts";
import { checkTree } from "./check-tree.ts";
import type { CheckedFileName } from "./checked-files.ts";
import type { ObjectFormat } from "./object-format.ts";
import { ObjectType } from "./object-type.ts";

/**
 * Checks the form of an object by the rules of `git fsck --strict`. Returns the fault, which starts with git's name for
 * the rule, or null. `named` is called for each file of a tree whose content is checked too, with the index of its oid
 * in the bytes.
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
