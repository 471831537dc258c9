import { startDrafts } from "./drafts.ts";
import { startEditor } from "./code-editor.ts";
import { startDrop } from "./file-drop.ts";
import { startSet } from "./working-set.ts";
import { startViews } from "./views.ts";

/** The script of pages that change files. They work without it. */
startEditor();
startViews();
startDrafts();
startDrop();
startSet();
