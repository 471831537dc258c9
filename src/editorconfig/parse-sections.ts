/** A section of a file, or the lines before the first one (its pattern is null). */
export interface Section {
  pattern: string | null;
  /** Names in lower case. */
  properties: Map<string, string>;
}

/**
 * Reads a file by https://spec.editorconfig.org/#file-format: lines are blank, comments, sections or `name = value`.
 * Lines that are none of these are skipped.
 */
export function parseSections(text: string): Section[] {
  let section: Section = { pattern: null, properties: new Map() };
  const sections = [section];
  for (const raw of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    const line = raw.trim();
    if (line.startsWith("#") || line.startsWith(";")) {
      continue;
    }
    if (line.startsWith("[")) {
      // A header that is not closed begins a section, too. The empty pattern matches no path.
      section = { pattern: line.endsWith("]") ? line.slice(1, -1) : "", properties: new Map() };
      sections.push(section);
      continue;
    }
    const equals = line.indexOf("=");
    const name = line.slice(0, Math.max(equals, 0)).trim();
    if (name !== "") {
      section.properties.set(name.toLowerCase(), line.slice(equals + 1).trim());
    }
  }
  return sections;
}
