/** Where in a new pack objects start, by their position; 0 for one that is not written. */
export interface WrittenOffsets {
  get(position: number): number;
  set(position: number, offset: number): void;
}

/** Sparse for a few objects; else four bytes for each object of the database, eight in a pack of more than 4 GB. */
export function writtenOffsets(count: number, size: number): WrittenOffsets {
  return count * 8 < size ? sparse() : dense(size);
}

function dense(size: number): WrittenOffsets {
  let offsets: Uint32Array | Float64Array = new Uint32Array(size);
  return {
    get: (position) => offsets[position]!,
    set: (position, offset) => {
      if (offset > 0xffff_ffff && offsets instanceof Uint32Array) {
        offsets = Float64Array.from(offsets);
      }
      offsets[position] = offset;
    },
  };
}

function sparse(): WrittenOffsets {
  const offsets = new Map<number, number>();
  return { get: (position) => offsets.get(position) ?? 0, set: (position, offset) => void offsets.set(position, offset) };
}
