import { startCopying } from "./copy-button.ts";
import { startDiffs } from "./diff.ts";
import { dropDraft } from "./drop-draft.ts";
import { startFileFinder } from "./file-finder.ts";
import { startLines } from "./code-lines.ts";
import { startKeys } from "./keys.ts";
import { startLive } from "./live.ts";
import { startLiveForms } from "./live-form.ts";
import { startPalette } from "./palette.ts";
import { startRefSearch } from "./ref-search.ts";
import { keepZone } from "./zone.ts";

/** Every page works without this script. It saves keystrokes and shows times in the reader's zone. */
keepZone();
dropDraft();
startCopying();
startDiffs();
startFileFinder();
startKeys();
startLines();
startLive();
startLiveForms();
startPalette();
startRefSearch();
