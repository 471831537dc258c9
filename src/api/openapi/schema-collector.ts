import type { TSchema } from "elysia";
import { StithyError } from "../../lib/errors.ts";
import type { OpenApiSchema } from "./types.ts";

/** A route's schema as it is written to JSON: what TypeBox makes, without its symbols. */
interface JsonSchema extends Omit<OpenApiSchema, "items" | "properties" | "additionalProperties" | "allOf" | "anyOf"> {
  $id?: string;
  const?: unknown;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
}

/** Two schemas of different shape carry the same `$id`. */
class AmbiguousSchemaName extends StithyError {
  constructor(name: string) {
    super("fault", "ambiguous-schema-name", `Two different schemas are named "${name}"`, { name });
  }
}

const copied = [
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "default",
  "example",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "pattern",
  "deprecated",
  "required",
] as const;

/**
 * Turns the schemas of routes into those of OpenAPI 3.0, which has no `null` type, no `const` and no `$id`.
 * A schema with an `$id` becomes a component and everywhere else a reference to it.
 */
export class SchemaCollector {
  private readonly found = new Map<string, { source: string; schema: OpenApiSchema }>();

  /** Throws AmbiguousSchemaName. */
  convert(schema: TSchema): OpenApiSchema {
    return this.convertJson(JSON.parse(JSON.stringify(schema)) as JsonSchema);
  }

  /** Everything that had a name, sorted by it. */
  components(): Record<string, OpenApiSchema> {
    const sorted = [...this.found].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([name, { schema }]) => [name, schema]));
  }

  private convertJson(source: JsonSchema): OpenApiSchema {
    if (source.$ref !== undefined) {
      return { $ref: `#/components/schemas/${source.$ref}` };
    }
    return source.$id === undefined ? this.convertInline(source) : this.register(source.$id, source);
  }

  private register(name: string, source: JsonSchema): OpenApiSchema {
    const { description, ...shape } = source;
    const key = JSON.stringify(shape);
    const known = this.found.get(name);
    if (known === undefined) {
      // Entered before its parts are read, since a recursive schema refers to itself.
      const entry: { source: string; schema: OpenApiSchema } = { source: key, schema: {} };
      this.found.set(name, entry);
      entry.schema = this.convertInline(source);
    } else if (known.source !== key) {
      throw new AmbiguousSchemaName(name);
    }
    const reference = { $ref: `#/components/schemas/${name}` };
    // OpenAPI 3.0 ignores siblings of a $ref.
    return known !== undefined && description !== undefined && description !== known.schema.description
      ? { description, allOf: [reference] }
      : reference;
  }

  private convertInline(source: JsonSchema): OpenApiSchema {
    if (source.anyOf !== undefined) {
      return this.convertUnion(source, source.anyOf);
    }
    const schema: OpenApiSchema = {};
    for (const key of copied) {
      if (source[key] !== undefined) {
        Object.assign(schema, { [key]: source[key] });
      }
    }
    if (source.const !== undefined) {
      schema.enum = [source.const];
    }
    // Every integer of ours is at least limited to what a double holds; that says nothing to a reader.
    if (source.minimum !== undefined && source.minimum > Number.MIN_SAFE_INTEGER) {
      schema.minimum = source.minimum;
    }
    if (source.maximum !== undefined && source.maximum < Number.MAX_SAFE_INTEGER) {
      schema.maximum = source.maximum;
    }
    if (source.properties !== undefined) {
      schema.properties = Object.fromEntries(
        Object.entries(source.properties).map(([name, property]) => [name, this.convertJson(property)]),
      );
    }
    if (source.items !== undefined) {
      schema.items = this.convertJson(source.items);
    }
    const [values] = Object.values(source.patternProperties ?? {});
    const additional = values ?? source.additionalProperties;
    if (additional !== undefined) {
      schema.additionalProperties = typeof additional === "boolean" ? additional : this.convertJson(additional);
    }
    if (source.allOf !== undefined) {
      schema.allOf = source.allOf.map((part) => this.convertJson(part));
    }
    return schema;
  }

  private convertUnion(source: JsonSchema, members: readonly JsonSchema[]): OpenApiSchema {
    const extra: OpenApiSchema = {
      ...(source.description === undefined ? {} : { description: source.description }),
      ...(members.some((member) => member.type === "null") ? { nullable: true } : {}),
    };
    const choices = members.filter((member) => member.type !== "null");
    const [first] = choices;
    if (first !== undefined && choices.every((choice) => choice.const !== undefined && choice.type === first.type)) {
      return {
        ...(first.type === undefined ? {} : { type: first.type }),
        enum: choices.map((choice) => choice.const),
        ...extra,
      };
    }
    if (first === undefined || choices.length > 1) {
      return { anyOf: choices.map((choice) => this.convertJson(choice)), ...extra };
    }
    const only = this.convertJson(first);
    if (only.$ref === undefined) {
      return { ...only, ...extra };
    }
    return Object.keys(extra).length === 0 ? only : { ...extra, allOf: [only] };
  }
}
