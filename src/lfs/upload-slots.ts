/** How many uploads run at once in this process. */
export class UploadSlots {
  private used = 0;

  constructor(private readonly limit: number) {}

  /** A place among them, given back when it is disposed of; null when all are taken. */
  tryTake(): Disposable | null {
    if (this.used >= this.limit) {
      return null;
    }
    this.used++;
    return { [Symbol.dispose]: () => void this.used-- };
  }
}
