/** A pack that is complete on disk, with its index beside it. */
export interface IndexedPack {
  /** The pack's checksum in hexadecimal, after completion: what the pack is named by. */
  readonly checksum: string;
  readonly packPath: string;
  readonly indexPath: string;
  readonly objectCount: number;
  readonly packBytes: number;
}
