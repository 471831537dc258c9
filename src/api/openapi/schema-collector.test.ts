import { describe, expect, test } from "bun:test";
import { t } from "elysia";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";
import { SchemaCollector } from "./schema-collector.ts";

const Owner = t.Object({ id: integer() }, { $id: "Owner" });

describe("SchemaCollector", () => {
  test("makes a component of everything with a name, also inside others", () => {
    const schemas = new SchemaCollector();
    const Thing = t.Object({ owner: Owner, others: t.Array(Owner), parent: nullable(Owner) }, { $id: "Thing" });
    expect(schemas.convert(t.Array(Thing))).toEqual({ type: "array", items: { $ref: "#/components/schemas/Thing" } });
    expect(schemas.components()).toEqual({
      Owner: { type: "object", properties: { id: { type: "integer", format: "int64" } }, required: ["id"] },
      Thing: {
        type: "object",
        required: ["owner", "others", "parent"],
        properties: {
          owner: { $ref: "#/components/schemas/Owner" },
          others: { type: "array", items: { $ref: "#/components/schemas/Owner" } },
          parent: { nullable: true, allOf: [{ $ref: "#/components/schemas/Owner" }] },
        },
      },
    });
  });

  test("follows a schema that contains itself", () => {
    const schemas = new SchemaCollector();
    schemas.convert(t.Recursive((This) => t.Object({ parent: nullable(This) }), { $id: "Node" }));
    expect(schemas.components()["Node"]?.properties).toEqual({
      parent: { nullable: true, allOf: [{ $ref: "#/components/schemas/Node" }] },
    });
  });

  test("refuses two shapes under one name", () => {
    const schemas = new SchemaCollector();
    schemas.convert(Owner);
    schemas.convert(Owner);
    expect(() => schemas.convert(t.Object({ name: t.String() }, { $id: "Owner" }))).toThrow(
      expect.objectContaining({ code: "ambiguous-schema-name" }),
    );
  });

  test("writes what OpenAPI 3.0 cannot say in its own way", () => {
    const schemas = new SchemaCollector();
    expect(schemas.convert(nullable(dateTime("When")))).toEqual({
      type: "string",
      format: "date-time",
      description: "When",
      nullable: true,
    });
    expect(schemas.convert(oneOf(["a", "b"], "Which"))).toEqual({
      type: "string",
      enum: ["a", "b"],
      description: "Which",
    });
    expect(schemas.convert(t.Union([t.Literal("a"), t.Literal("b")]))).toEqual({ type: "string", enum: ["a", "b"] });
    expect(schemas.convert(t.Record(t.String(), integer()))).toEqual({
      type: "object",
      additionalProperties: { type: "integer", format: "int64" },
    });
    expect(schemas.convert(integer({ minimum: 1, maximum: 50 }))).toEqual({
      type: "integer",
      format: "int64",
      minimum: 1,
      maximum: 50,
    });
  });
});
