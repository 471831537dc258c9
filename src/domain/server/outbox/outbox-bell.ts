/**
 * Rings when a change of this process has told something to receivers. It only saves them the looking: what was told is in
 * the outbox, and is taken with the next ring, the next start or the next hour.
 */
export class OutboxBell {
  /** Takes the rows; null: no listener yet. */
  listener: (() => void) | null = null;

  ring(): void {
    this.listener?.();
  }
}
