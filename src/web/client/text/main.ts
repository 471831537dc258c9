import { startQuoting } from "./quote.ts";
import { startTextEditors } from "./text-editor.ts";

/** The script of pages where texts are written. They work without it. */
startTextEditors();
startQuoting();
