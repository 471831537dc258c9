import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * A directory for the files of one piece of work. Disposing removes it with everything in it: who still writes there
 * then, because nobody waited for the end or it is a thread that takes a while to be ended, fails.
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
    // Under another name nobody finds it to make one more file in it while it is emptied.
    const gone = `${this.path}-gone`;
    await rename(this.path, gone);
    await rm(gone, { recursive: true, force: true });
  }
}
