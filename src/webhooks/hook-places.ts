import type { DueHook } from "../domain/exchange/hooks/sending-queries.ts";
import { FairShare } from "../lib/fair-share.ts";

/** Owners whose last turn is remembered. */
const mostRemembered = 1000;

/**
 * Decides which hooks are told next. Each owner holds as many places as they leave free, a host a quarter, and hooks that failed the
 * last time half of them, since they may hang again.
 */
export class HookPlaces {
  readonly #share: FairShare;
  readonly #running = new Map<number, DueHook>();
  /** Owners, from the one whose last turn was the longest ago. */
  readonly #turns = new Map<number, number>();
  #turn = 0;

  constructor(private readonly places: number) {
    this.#share = new FairShare({ what: "deliveries", places, placesEach: places, waiting: 0, waitingEach: 0 });
  }

  get isFull(): boolean {
    return this.#share.held >= this.places;
  }

  /** The ids of hooks that are being told. */
  get busy(): number[] {
    return [...this.#running.keys()];
  }

  /**
   * Due hooks of all owners in the order in which they take places: hooks that fail behind the others, then by the places that the owner
   * would hold with it, then by the owner's last turn. The hooks of an owner keep their order.
   */
  inTurn(due: readonly DueHook[]): DueHook[] {
    const held = new Map<number, number>();
    for (const { ownerId } of this.#running.values()) {
      held.set(ownerId, (held.get(ownerId) ?? 0) + 1);
    }
    const ranked = due.map((hook) => {
      const place = (held.get(hook.ownerId) ?? 0) + 1;
      held.set(hook.ownerId, place);
      return { hook, place, turn: this.#turns.get(hook.ownerId) ?? 0 };
    });
    return ranked
      .sort((one, other) => behind(one.hook) - behind(other.hook) || one.place - other.place || one.turn - other.turn)
      .map(({ hook }) => hook);
  }

  /** A place for a hook; disposing of it gives it back. null: there is none for it now. */
  tryTake(hook: DueHook): Disposable | null {
    const running = [...this.#running.values()];
    const host = hostOf(hook);
    const isFull =
      running.filter((one) => hostOf(one) === host).length >= Math.ceil(this.places / 4) ||
      (hook.failing && running.filter(({ failing }) => failing).length >= Math.ceil(this.places / 2));
    const place = isFull ? null : this.#share.tryTake(String(hook.ownerId));
    if (place === null) {
      return null;
    }
    this.#running.set(hook.id, hook);
    this.#noteTurn(hook.ownerId);
    return {
      [Symbol.dispose]: () => {
        this.#running.delete(hook.id);
        place[Symbol.dispose]();
      },
    };
  }

  #noteTurn(ownerId: number): void {
    this.#turns.delete(ownerId);
    this.#turns.set(ownerId, ++this.#turn);
    if (this.#turns.size > mostRemembered) {
      this.#turns.delete(this.#turns.keys().next().value!);
    }
  }
}

function behind({ failing }: DueHook): number {
  return failing ? 1 : 0;
}

function hostOf({ url }: DueHook): string {
  return URL.canParse(url) ? new URL(url).host : "";
}
