/** A version of a module that can be had. */
export interface ModuleVersion {
  readonly version: string;
  /** When it was published. */
  readonly time: Date;
  /** Returns its go.mod; one that says the module's path alone where the module has none. */
  goMod(): Promise<Uint8Array<ArrayBuffer>>;
  /** Answers with its zip. */
  sendZip(request: Request): Promise<Response>;
}

/** Where versions of a module come from. */
export interface ModuleSource {
  /** All versions, in no order. */
  list(): Promise<readonly string[]>;
  /** Returns null for a version that it does not have. */
  find(version: string): Promise<ModuleVersion | null>;
}

/** The go.mod of a module that has none. Source: the Go modules reference, "Compatibility with non-module repositories". */
export function impliedGoMod(module: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`module ${module}\n`);
}
