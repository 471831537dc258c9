/** A label that a new repository can begin with. */
export interface LabelTemplate {
  name: string;
  /** Six hexadecimal digits. */
  color: string;
  description: string;
  /** An issue has at most one of the labels with the same words before the last slash. */
  exclusive: boolean;
}

type Row = readonly [name: string, color: string, description: string];

const labels = (rows: readonly Row[], exclusive = false): LabelTemplate[] =>
  rows.map(([name, color, description]) => ({ name, color, description, exclusive }));

/** The sets of labels by name, in the order in which they are listed. The names of sets and labels are the family's. */
const sets: ReadonlyMap<string, readonly LabelTemplate[]> = new Map([
  [
    "Advanced",
    [
      ...labels([
        ["Kind/Bug", "ee0701", "Something does not work"],
        ["Kind/Feature", "0288d1", "Something new"],
        ["Kind/Enhancement", "84b6eb", "Something that is there gets better"],
        ["Kind/Security", "9c27b0", "A weakness that somebody could use"],
        ["Kind/Testing", "795548", "Tests, and how they are run"],
        ["Kind/Breaking", "c62828", "What works today will not work afterwards"],
        ["Kind/Documentation", "37474f", "What is written about it"],
      ]),
      ...labels(
        [
          ["Reviewed/Duplicate", "616161", "It is told elsewhere already"],
          ["Reviewed/Invalid", "546e7a", "It is not so, or not about this"],
          ["Reviewed/Confirmed", "795548", "Somebody else has seen it, too"],
          ["Reviewed/Won't Fix", "eeeeee", "It stays as it is"],
          ["Status/Need More Info", "424242", "Whoever wrote it is asked for more"],
          ["Status/Blocked", "880e4f", "Something else has to be done first"],
          ["Status/Abandoned", "222222", "Nobody works on it any more"],
          ["Priority/Critical", "b71c1c", "Before everything else"],
          ["Priority/High", "d32f2f", "Soon"],
          ["Priority/Medium", "e64a19", "When its turn comes"],
          ["Priority/Low", "4caf50", "When there is time"],
        ],
        true,
      ),
    ],
  ],
  [
    "Default",
    labels([
      ["bug", "ee0701", "Something does not work"],
      ["duplicate", "cccccc", "It is told elsewhere already"],
      ["enhancement", "84b6eb", "Something new, or better than it is"],
      ["help wanted", "128a0c", "Whoever wants to may take it"],
      ["invalid", "e6e6e6", "It is not so, or not about this"],
      ["question", "cc317c", "Somebody wants to know more"],
      ["wontfix", "ffffff", "It stays as it is"],
    ]),
  ],
]);

/** The names of the sets of labels, in order. */
export function listLabelTemplates(): readonly string[] {
  return [...sets.keys()];
}

/** The labels of a set; null when there is none of this name. */
export function findLabelTemplate(name: string): readonly LabelTemplate[] | null {
  return sets.get(name) ?? null;
}
