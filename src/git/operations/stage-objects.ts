import type { NewObject } from "../edit/new-objects.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { PackWriter } from "../pack/write-pack.ts";
import { discardPack, stagePack, temporaryPack, type PackDestination, type StagedPack } from "../pack/staged-pack.ts";

/** Writes objects as one small pack, durably; null when there are none. What fails leaves no file. */
export async function stageObjects(
  format: ObjectFormat,
  objects: readonly NewObject[],
  destination: PackDestination,
): Promise<StagedPack | null> {
  await using stage = new ObjectStage(format, destination);
  stage.write(objects);
  return stage.finish();
}

/** Objects that are written, as they are made, to one pack. Disposing before the end leaves no file. */
export class ObjectStage implements AsyncDisposable {
  readonly #path: string;
  #writer: PackWriter | null = null;
  #isFinished = false;

  constructor(
    private readonly format: ObjectFormat,
    private readonly destination: PackDestination,
  ) {
    this.#path = temporaryPack(destination);
  }

  write(objects: readonly NewObject[]): void {
    if (objects.length === 0) {
      return;
    }
    this.#writer ??= new PackWriter(this.format, this.#path);
    for (const object of objects) {
      this.#writer.add(object);
    }
  }

  /** The pack, durable; null when nothing was written. */
  finish(): StagedPack | null {
    const pack = this.#writer === null ? null : stagePack(this.#writer.finish(), this.destination.directory);
    this.#isFinished = true;
    return pack;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#writer?.[Symbol.dispose]();
    if (this.#writer !== null && !this.#isFinished) {
      await discardPack(this.#path);
    }
  }
}
