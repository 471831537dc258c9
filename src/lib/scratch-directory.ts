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
    // Under another name nobody finds it to make one more file in it while it is emptied. Where that fails, as on a disk
    // that is full, it goes under its own: the work is done, and must not be told as failed for this.
    const gone = `${this.path}-gone`;
    const path = await rename(this.path, gone).then(
      () => gone,
      () => this.path,
    );
    await rm(path, { recursive: true, force: true });
  }
}
