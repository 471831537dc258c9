import { isMapping, textOf, UnreadableFile, type Fields } from "./fields.ts";

export const fieldTypes = ["markdown", "textarea", "input", "dropdown", "checkboxes"] as const;
type FieldType = (typeof fieldTypes)[number];
export const fieldPlaces = ["form", "content"] as const;
type FieldPlace = (typeof fieldPlaces)[number];

/** A field of a form for new issues. */
export interface FormField {
  type: FieldType;
  id: string;
  attributes: Fields;
  validations: Fields;
  /** Where it is shown: in the form, and in the issue that is made of it. */
  visible: FieldPlace[];
}

const mostFields = 100;
const idPattern = /^[\w-]+$/;

/** Reads the fields of a form. Throws UnreadableFile that names the place. */
export function readForm(body: unknown): FormField[] {
  if (!Array.isArray(body) || body.length === 0) {
    throw new UnreadableFile("'body' is required, a list of fields");
  }
  if (body.length > mostFields) {
    throw new UnreadableFile(`'body' has more than ${mostFields} fields`);
  }
  const fields = body.map(readField);
  const ids = new Set<string>();
  for (const [index, { id }] of fields.entries()) {
    if (ids.has(id)) {
      throw new UnreadableFile(`body[${index}]: another field has the id '${id}'`);
    }
    ids.add(id);
  }
  return fields;
}

function readField(raw: unknown, index: number): FormField {
  const type = isMapping(raw) ? fieldTypes.find((one) => one === raw["type"]) : undefined;
  if (!isMapping(raw) || type === undefined) {
    throw new UnreadableFile(`body[${index}]: 'type' is one of ${fieldTypes.join(", ")}`);
  }
  const place = `body[${index}](${type})`;
  const id = raw["id"] === undefined || raw["id"] === null ? String(index) : textOf(raw["id"]);
  if (!idPattern.test(id)) {
    throw new UnreadableFile(`${place}: 'id' has only letters, digits, '-' and '_'`);
  }
  const attributes = mappingOf(raw, "attributes", place);
  const validations = mappingOf(raw, "validations", place);
  checkAttributes(type, attributes, place);
  checkTypes(validations, { required: "boolean", is_number: "boolean", regex: "string" }, place);
  return { type, id, attributes, validations, visible: readVisible(type, raw["visible"], place) };
}

function mappingOf(raw: Fields, key: string, place: string): Fields {
  const value = raw[key] ?? {};
  if (!isMapping(value)) {
    throw new UnreadableFile(`${place}: '${key}' is a mapping`);
  }
  return value;
}

function checkAttributes(type: FieldType, attributes: Fields, place: string): void {
  demandText(attributes, type === "markdown" ? "value" : "label", place);
  checkTypes(
    attributes,
    {
      description: "string",
      placeholder: "string",
      value: "string",
      render: "string",
      multiple: "boolean",
      list: "boolean",
    },
    place,
  );
  if (type === "dropdown" || type === "checkboxes") {
    checkOptions(type, attributes["options"], place);
  }
}

function checkOptions(type: FieldType, options: unknown, place: string): void {
  if (!Array.isArray(options) || options.length === 0) {
    throw new UnreadableFile(`${place}: 'options' is required, a list`);
  }
  const seen = new Set<unknown>();
  for (const [index, option] of options.entries()) {
    const at = `${place}, option[${index}]`;
    if (type === "checkboxes") {
      if (!isMapping(option)) {
        throw new UnreadableFile(`${at}: is a mapping with 'label'`);
      }
      demandText(option, "label", at);
      checkTypes(option, { required: "boolean" }, at);
      readVisible(type, option["visible"], at);
    } else if (textOf(option) === "" || seen.has(option)) {
      throw new UnreadableFile(`${at}: is a text that no other option has`);
    }
    seen.add(option);
  }
}

function readVisible(type: FieldType, value: unknown, place: string): FieldPlace[] {
  if (value === undefined || value === null) {
    return type === "markdown" ? ["form"] : ["form", "content"];
  }
  const places = Array.isArray(value) ? value.map((one) => fieldPlaces.find((place) => place === one)) : [undefined];
  return places.map((one) => {
    if (one === undefined) {
      throw new UnreadableFile(`${place}: 'visible' is a list of ${fieldPlaces.join(" and ")}`);
    }
    return one;
  });
}

function demandText(fields: Fields, key: string, place: string): void {
  if (textOf(fields[key]) === "") {
    throw new UnreadableFile(`${place}: '${key}' is required`);
  }
}

function checkTypes(fields: Fields, types: Readonly<Record<string, "string" | "boolean">>, place: string): void {
  for (const [key, type] of Object.entries(types)) {
    const value = fields[key];
    const fits = type === "string" ? textOf(value) !== "" || value === "" : typeof value === type;
    if (value !== undefined && value !== null && !fits) {
      throw new UnreadableFile(`${place}: '${key}' is ${type === "string" ? "a text" : "true or false"}`);
    }
  }
}
