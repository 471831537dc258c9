import type { IndexFormat } from "../domain/packages/package-indexes.ts";
import { alpineIndexes } from "./alpine/build.ts";
import { cranIndex } from "./cran/index.ts";
import { debianIndex } from "./debian/build.ts";
import { rpmIndex } from "./rpm/index.ts";

/** The formats whose registries have indexes, listed by hand. */
export const indexFormats: readonly IndexFormat[] = [alpineIndexes, cranIndex, debianIndex, rpmIndex];
