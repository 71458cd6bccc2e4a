/**
 * Builds the MCP tools from the declarations. This happens when functions are bundled, because a cold start that builds
 * the tools takes 9 times as long.
 */
import * as z from 'zod';
import type { Requirement } from '#shared/access/actions.ts';
import { ARGUMENT_TEXTS } from '#shared/mcp/argument-sources.ts';
import { MCP_LIMITS } from '#shared/mcp/limits.ts';
import type { Arguments, ToolDefinition, ToolSpecification } from '#shared/mcp/tool.ts';
import { isScope, isWrite } from '#shared/model/organizations/permissions.ts';
import { listArgumentNames, listOwnArguments } from '#shared/platform/argument-names.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import type { DeclaredEndpoint } from './declarations.ts';
import { parseSchemaMembers, type Schema, trimSchema } from './tool-schemas.ts';

type Endpoint = Pick<DeclaredEndpoint, 'file' | 'area' | 'declaration'>;

/** The folders for reporters and CI jobs. Everywhere else, an operation must declare a tool or `tool: 'none'`. */
const AREAS_WITHOUT_TOOLS: readonly string[] = ['imports', 'recording'];

/** The tools by operation id. Throws if a declaration defines an invalid tool. */
export function buildToolDefinitions(endpoints: readonly Endpoint[]): Readonly<Record<string, ToolDefinition>> {
  const tools = endpoints.flatMap(({ file, area, declaration }) => {
    const { tool, operationId } = declaration;
    if (tool === undefined && AREAS_WITHOUT_TOOLS.includes(area)) return [];
    if (tool === undefined) throw new Error(`${file} declares no tool: add \`tool\`, or \`tool: 'none'\``);
    if (tool === 'none') return [];
    return [{ operationId, permission: declaration.permission, definition: buildDefinition(file, declaration, tool) }];
  });
  const twice = findRepeatedName(tools.map(({ definition: { name } }) => name));
  if (twice !== undefined) throw new Error(`Two operations declare the tool ${twice}: rename one`);
  if (tools.length > MCP_LIMITS.tools)
    throw new Error(
      `${tools.length} operations are tools, but at most ${MCP_LIMITS.tools} are allowed: declare \`tool: 'none'\` for some of them`,
    );
  return Object.fromEntries(shareLongArguments(tools));
}

/** The action that each tool requires, by the name of the tool. */
export const buildToolActions = (endpoints: readonly Endpoint[]): Readonly<Record<string, Requirement>> => {
  const definitions = buildToolDefinitions(endpoints);
  return Object.fromEntries(
    endpoints.flatMap(({ declaration: { operationId, permission } }) => {
      const definition = definitions[operationId];
      return definition ? [[definition.name, permission]] : [];
    }),
  );
};

interface BuiltTool extends Pick<Declaration, 'operationId' | 'permission'> {
  readonly definition: ToolDefinition;
}

/**
 * Replaces a long argument that an earlier tool describes word by word, such as the conditions of a rule, by its name. A
 * list of tools costs its tokens in every conversation. Tools of one permission are always listed together.
 */
function shareLongArguments(tools: readonly BuiltTool[]): (readonly [operationId: string, ToolDefinition])[] {
  const firstTools = new Map<string, string>();
  return tools.map(({ operationId, permission, definition }) => {
    const properties = Object.entries(Object(definition.inputSchema['properties'])).map(([name, schema]) => {
      const text = JSON.stringify([permission, name, schema]);
      const firstTool = firstTools.get(text);
      if (text.length < LONG_ARGUMENT_CHARACTERS) return [name, schema];
      if (firstTool === undefined) firstTools.set(text, definition.name);
      return [name, firstTool === undefined ? schema : { description: `As in ${firstTool}` }];
    });
    const inputSchema = { ...definition.inputSchema, properties: Object.fromEntries(properties) };
    return [operationId, { ...definition, inputSchema }] as const;
  });
}

/** Shorter arguments are repeated, so that a model need not look them up. */
const LONG_ARGUMENT_CHARACTERS = 140;

function buildDefinition(file: string, declaration: Declaration, tool: ToolSpecification<never>): ToolDefinition {
  const { operationId, summary } = declaration;
  const description = `${summary}. ${tool.description}`;
  if (description.length > MCP_LIMITS.descriptionCharacters)
    throw new Error(
      `${file}: the tool's description, with the summary, has ${description.length} characters: shorten it to at most ${MCP_LIMITS.descriptionCharacters}`,
    );
  return {
    name: tool.name ?? toSnakeCase(operationId),
    description,
    inputSchema: { type: 'object', ...buildInputSchema(file, declaration, tool) },
    annotations: deriveAnnotations(file, declaration, tool),
  };
}

export const toSnakeCase = (camelCase: string): string =>
  camelCase.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function deriveAnnotations(
  file: string,
  { permission }: Declaration,
  { hints }: ToolSpecification<never>,
): ToolDefinition['annotations'] {
  const readOnlyHint = !isScope(permission) || !isWrite(permission);
  const { destructiveHint, idempotentHint, openWorldHint = false } = hints ?? {};
  if (readOnlyHint) return { readOnlyHint, openWorldHint };
  if (destructiveHint === undefined || idempotentHint === undefined)
    throw new Error(`${file}: the tool changes data, so its hints must say whether it is destructive and idempotent`);
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}

const RANGE = ['date_start', 'date_end'];

/** Merges path, query and body into one object. The tool's defaults replace those of the request. */
function buildInputSchema(file: string, declaration: Declaration, tool: ToolSpecification<never>): object {
  const { pathParameters, query, body } = declaration;
  const { defaults = {}, without = {}, rangeDays } = tool;
  const names = listArgumentNames(declaration);
  const all = [...names.path, ...names.query, ...names.body, ...names.own];
  const twice = findRepeatedName(all);
  if (twice !== undefined)
    throw new Error(`${file}: the tool has two arguments named ${twice}: rename one in the path, query or body`);
  const bodyArguments = body instanceof z.ZodObject ? body : z.object(body ? { body } : {});
  const parts = [pathParameters, query, bodyArguments, z.object(listOwnArguments(tool))];
  const schemas = parts.map(parseSchemaMembers);
  const visibleNames = all.filter((name) => !Object.hasOwn(without, name));
  const optional = new Set([...Object.keys(defaults), ...(rangeDays === undefined ? [] : RANGE)]);
  const properties = schemas
    .flatMap((schema) => Object.entries(schema.properties))
    .filter(([name]) => visibleNames.includes(name));
  const requiredNames = schemas
    .flatMap((schema) => schema.required)
    .filter((name) => visibleNames.includes(name) && !optional.has(name));
  return {
    properties: Object.fromEntries(
      properties.map(([name, schema]) => [name, describeArgument(name, schema, defaults)]),
    ),
    ...(requiredNames.length > 0 ? { required: requiredNames } : {}),
  };
}

const findRepeatedName = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index);

/** Arguments are JSON, so array parameters have no brackets in their names. */
function describeArgument(name: string, schema: Schema, defaults: Arguments): object {
  const { description: schemaDescription, ...rest } = trimSchema(schema);
  const description =
    ARGUMENT_TEXTS[name] ??
    (typeof schemaDescription === 'string' ? schemaDescription.replaceAll('[]', '') : undefined);
  return {
    ...rest,
    ...(description ? { description } : {}),
    ...(Object.hasOwn(defaults, name) ? { default: defaults[name] } : {}),
  };
}
