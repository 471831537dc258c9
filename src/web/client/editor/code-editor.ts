import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  LanguageDescription,
  syntaxHighlighting,
} from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The colours of the pages: custom properties reach into a shadow tree. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--code-key)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit], color: "var(--code-number)" },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.labelName, tags.tagName],
    color: "var(--code-name)",
  },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.attributeName], color: "var(--code-type)" },
  { tag: [tags.comment, tags.meta], color: "var(--faint)" },
  { tag: tags.heading, color: "var(--code-name)", fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
]);

const theme = EditorView.theme({
  "&": { fontSize: "0.78125rem", color: "var(--text)", backgroundColor: "var(--page)", borderRadius: "0 0 10px 10px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.25rem", minHeight: "24rem", maxHeight: "75dvh" },
  ".cm-content": { caretColor: "var(--text)", padding: "0.5rem 0" },
  ".cm-line": { padding: "0 0.875rem 0 0.5rem" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--faint)", backgroundColor: "var(--well)", borderRight: "1px solid var(--line)" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.5rem 0 0.875rem" },
  ".cm-activeLine": { backgroundColor: "color-mix(in oklab, var(--hover), transparent 40%)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--hover)", color: "var(--text)" },
  "& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--picked)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--amber-wash)" },
  ".cm-matchingBracket": { backgroundColor: "var(--picked)", outline: "none" },
  ".cm-searchMatch": { backgroundColor: "var(--amber-wash)", outline: "1px solid var(--amber)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--picked)" },
  ".cm-panels": {
    color: "var(--text)",
    backgroundColor: "var(--well)",
    borderColor: "var(--line)",
    fontFamily: "var(--ui)",
  },
  ".cm-panel.cm-search": { padding: "0.5rem 1.75rem 0.5rem 0.875rem" },
  ".cm-panel.cm-search [name=close]": { color: "var(--soft)", fontSize: "1.25rem", right: "0.5rem", cursor: "pointer" },
  ".cm-panel.cm-search label": { fontSize: "0.8125rem" },
  ".cm-panel.cm-search input, .cm-panel.cm-search button": { fontSize: "0.8125rem" },
  ".cm-panel.cm-search input:focus-visible, .cm-panel.cm-search button:focus-visible": {
    outline: "2px solid var(--accent)",
    outlineOffset: "1px",
  },
  ".cm-textfield": { border: "1px solid var(--field)", borderRadius: "6px", backgroundColor: "var(--page)" },
  ".cm-button": {
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    background: "var(--panel)",
    padding: "0.1875rem 0.5rem",
    color: "inherit",
    cursor: "pointer",
  },
  ".cm-foldPlaceholder": { border: "1px solid var(--line)", backgroundColor: "var(--well)", color: "var(--soft)" },
});

/** Colours of a longer text would be late for every key. */
const largestColoured = 500_000;

/** How the file is indented: as .editorconfig says, else as most of its lines are. */
function indentOf({ indent, tab }: DOMStringMap, text: string): Extension {
  const width = Number(tab ?? indent) || 4;
  const unit = indent === "tab" ? "\t" : indent === undefined ? guessIndent(text) : " ".repeat(Number(indent) || 2);
  return [EditorState.tabSize.of(width), indentUnit.of(unit)];
}

function guessIndent(text: string): string {
  const first = /^(\t| {2,8})\S/m.exec(text.slice(0, 20_000));
  return first?.[1] ?? "  ";
}

/**
 * `<code-editor>`: a text area that becomes an editor. The editor is in a shadow tree, because there its style sheets are made by
 * script, which the policy of the pages allows, and not `<style>` elements. The text area keeps the text for the form.
 */
class CodeEditor extends HTMLElement {
  private readonly language = new Compartment();

  connectedCallback(): void {
    const area = this.querySelector("textarea");
    if (area === null || this.shadowRoot !== null) {
      return;
    }
    const root = this.attachShadow({ mode: "open" });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: area.value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          highlightSpecialChars(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          history(),
          drawSelection(),
          EditorState.allowMultipleSelections.of(true),
          indentOnInput(),
          bracketMatching(),
          search({ top: true }),
          syntaxHighlighting(colours),
          theme,
          this.language.of([]),
          indentOf(this.dataset, area.value),
          // Escape, then Tab leaves the field: the library sees to that.
          keymap.of([
            { key: "Mod-Enter", run: () => (area.form?.requestSubmit(), true) },
            ...searchKeymap,
            ...historyKeymap,
            ...foldKeymap,
            indentWithTab,
            ...defaultKeymap,
          ]),
          EditorView.contentAttributes.of({
            "aria-label": `${area.getAttribute("aria-label") ?? ""}. Escape, then Tab leaves the field.`,
            "aria-multiline": "true",
            tabindex: "0",
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) {
              area.value = update.state.doc.toString();
              area.dispatchEvent(new Event("input", { bubbles: true }));
            }
          }),
        ],
      }),
    });
    area.addEventListener("restore", () => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: area.value } });
    });
    if (area.value.length <= largestColoured) {
      const path = document.querySelector<HTMLInputElement>("[name=tree_path]");
      path?.addEventListener("change", () => void this.colour(view, path.value));
      void this.colour(view, this.dataset["name"] ?? "");
    }
    if (area.autofocus) {
      view.focus();
    }
  }

  /** The grammar of a language is loaded when a file is of it. */
  private async colour(view: EditorView, path: string): Promise<void> {
    const found = LanguageDescription.matchFilename(languages, path.slice(path.lastIndexOf("/") + 1));
    const support = found === null ? [] : await found.load();
    view.dispatch({ effects: this.language.reconfigure(support) });
  }
}

export function startEditor(): void {
  customElements.define("code-editor", CodeEditor);
}
