/** The four kinds of object, with the numbers that pack entries use for them. */
export const ObjectType = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
export type ObjectType = (typeof ObjectType)[keyof typeof ObjectType];
export type ObjectTypeName = keyof typeof ObjectType;

const names: readonly ObjectTypeName[] = ["commit", "tree", "blob", "tag"];

/** An object with its content inflated. The bytes may be shared with a cache: never write to them. */
export interface GitObject {
  readonly type: ObjectType;
  readonly bytes: Uint8Array;
}

export function typeName(type: ObjectType): ObjectTypeName {
  return names[type - 1]!;
}

/** The type called `name`, or null if git has no such type. */
export function typeOfName(name: string): ObjectType | null {
  const at = names.indexOf(name as ObjectTypeName);
  return at < 0 ? null : ((at + 1) as ObjectType);
}
