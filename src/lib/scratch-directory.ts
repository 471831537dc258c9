import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * A directory for the files of one piece of work. Disposing removes it with everything in it: who still writes there
 * then, because nobody waited for the end, fails.
 */
export class ScratchDirectory implements AsyncDisposable {
  private constructor(readonly path: string) {}

  /** Makes one in `parent`, which is there. */
  static async make(parent: string): Promise<ScratchDirectory> {
    const path = join(parent, crypto.randomUUID());
    await mkdir(path, { mode: 0o700 });
    return new ScratchDirectory(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
