/** Does something once whenever nothing was noted for so long: between one and two times `idleMs` after the last note. */
export class IdleWatch {
  #notes = 0;
  #isWatching = false;

  constructor(
    private readonly idleMs: number,
    private readonly act: () => void,
  ) {}

  /** Costs next to nothing: one timer looks from time to time whether more was noted. */
  note(): void {
    this.#notes++;
    if (!this.#isWatching) {
      this.#isWatching = true;
      this.#look();
    }
  }

  #look(): void {
    const last = this.#notes;
    setTimeout(() => {
      if (this.#notes === last) {
        this.#isWatching = false;
        this.act();
      } else {
        this.#look();
      }
    }, this.idleMs).unref();
  }
}
