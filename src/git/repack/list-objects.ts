import { Bitset } from "../graph/bitset.ts";
import { CommitQueue } from "../graph/commit-queue.ts";
import { peel } from "../graph/peel.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { CorruptObject } from "../objects/errors.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { MissingObject } from "../odb/object-database.ts";
import { PackList } from "./pack-list.ts";

const directoryMode = 0o40000;
const submoduleMode = 0o160000;
const kindBits = 0o170000;

/** Positions with the hash of their name, growing. */
class Named {
  count = 0;
  positions = new Int32Array(1024);
  hashes = new Uint32Array(1024);

  push(position: number, hash: number): void {
    if (this.count === this.positions.length) {
      const positions = new Int32Array(this.count * 2);
      positions.set(this.positions);
      this.positions = positions;
      const hashes = new Uint32Array(this.count * 2);
      hashes.set(this.hashes);
      this.hashes = hashes;
    }
    this.positions[this.count] = position;
    this.hashes[this.count++] = hash;
  }

  addTo(list: PackList): void {
    for (let index = 0; index < this.count; index++) {
      list.add(this.positions[index]!, this.hashes[index]!);
    }
  }
}

/**
 * Everything that the objects at `tips` reach, themselves included, in the order in which readers want it: commits with
 * the newest first, tags, trees and then blobs as walking the commits comes upon them.
 * Yields where others may have their turn. Throws MissingObject, CorruptObject.
 */
export function* listReachable(reader: RepositoryReader, tips: readonly number[]): Generator<void, PackList> {
  const { db, graph } = reader;
  const list = new PackList(db);
  const seen = new Bitset(db.size);
  const queue = new CommitQueue(graph);
  const tags: number[] = [];
  const others: number[] = [];
  const enqueue = (position: number): void => {
    if (!seen.has(position)) {
      seen.add(position);
      queue.push(position);
    }
  };
  for (const tip of tips) {
    const end = peel(db, tip, (tag) => {
      if (!seen.has(tag)) {
        seen.add(tag);
        tags.push(tag);
      }
    });
    if (end.type === ObjectType.commit) {
      enqueue(end.position);
    } else {
      others.push(end.position);
    }
  }
  for (let position = queue.pop(); position >= 0; position = queue.pop()) {
    list.add(position, 0);
    for (let index = 0; index < graph.parentCount(position); index++) {
      enqueue(graph.parentAt(position, index));
    }
    yield;
  }
  tags.forEach((tag) => list.add(tag, 0));
  const walk = new TreeWalk(reader, seen);
  const commits = list.count - tags.length;
  for (let index = 0; index < commits; index++) {
    walk.tree(graph.treeOf(list.positions[index]!));
    yield;
  }
  others.forEach((position) => walk.any(position));
  walk.trees.addTo(list);
  walk.blobs.addTo(list);
  return list;
}

/** Lists the objects of a repository that are not in the list: no ref reaches them. */
export function listOthers(list: PackList, wanted: (position: number) => boolean): PackList {
  const { db } = list;
  const others = new PackList(db);
  for (let number = 0; number < db.packs.length; number++) {
    const { order, entryCount } = db.packs[number]!;
    const start = db.startOf(number);
    for (let place = 0; place < entryCount; place++) {
      const position = start + order.positionAt(place);
      if (!list.has(position) && wanted(position) && (number === 0 || db.canonical(position) === position)) {
        others.add(position, 0);
      }
    }
  }
  return others;
}

class TreeWalk {
  readonly trees = new Named();
  readonly blobs = new Named();
  /** trees to walk, each a position and the hash of its path */
  readonly #pending: number[] = [];

  constructor(
    private readonly reader: RepositoryReader,
    private readonly seen: Bitset,
  ) {}

  any(position: number): void {
    if (this.reader.db.typeAt(position) === ObjectType.tree) {
      this.tree(position);
    } else if (!this.seen.has(position)) {
      this.seen.add(position);
      this.blobs.push(position, 0);
    }
  }

  tree(root: number): void {
    if (this.seen.has(root)) {
      return;
    }
    this.seen.add(root);
    this.trees.push(root, 0);
    this.#pending.push(root, 0);
    while (this.#pending.length > 0) {
      const path = this.#pending.pop()!;
      this.#entries(this.#pending.pop()!, path);
    }
  }

  #entries(position: number, path: number): void {
    const { db } = this.reader;
    const { type, bytes } = db.read(position);
    if (type !== ObjectType.tree) {
      throw new CorruptObject(`The object ${db.hexAt(position)} is a ${typeName(type)} where a tree is needed`);
    }
    const { oidBytes } = db.format;
    for (let at = 0; at < bytes.length; at += oidBytes) {
      let mode = 0;
      for (let byte = bytes[at++]!; byte !== 0x20 && at < bytes.length; byte = bytes[at++]!) {
        mode = (mode << 3) | (byte & 7);
      }
      const nameAt = at;
      at = bytes.indexOf(0, at) + 1;
      if (at === 0 || at + oidBytes > bytes.length) {
        throw new CorruptObject(`The tree ${db.hexAt(position)} is cut off`);
      }
      const kind = mode & kindBits;
      if (kind === submoduleMode) {
        continue;
      }
      const entry = db.find(bytes, at);
      if (entry < 0) {
        throw new MissingObject(bytesToHex(bytes, at, oidBytes));
      }
      if (this.seen.has(entry)) {
        continue;
      }
      this.seen.add(entry);
      const hash = hashName(path, bytes, nameAt, at - 1);
      if (kind === directoryMode) {
        this.trees.push(entry, hash);
        this.#pending.push(entry, hashName(hash, slash, 0, 1));
      } else {
        this.blobs.push(entry, hash);
      }
    }
  }
}

const slash = Uint8Array.of(0x2f);

/** The last sixteen bytes of a path, the last ones weighing most: files that moved sort near where they were. */
function hashName(path: number, name: Uint8Array, from: number, to: number): number {
  let hash = path;
  for (let at = from; at < to; at++) {
    const byte = name[at]!;
    if (byte !== 0x20) {
      hash = ((hash >>> 2) + (byte << 24)) >>> 0;
    }
  }
  return hash;
}
