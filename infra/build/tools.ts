/**
 * Builds the MCP tools from the declarations. This happens at bundling, because building them at cold start takes 9
 * times as long.
 */
import * as z from 'zod';
import { MCP_LIMITS } from '#shared/mcp/limits.ts';
import type { Arguments, ToolDefinition, ToolSpecification } from '#shared/mcp/tool.ts';
import { isPermission, isWrite } from '#shared/model/organizations/permissions.ts';
import { argumentNames } from '#shared/platform/argument-names.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import type { DeclaredEndpoint } from './declarations.ts';
import { forModels, type Schema, schemaMembers } from './tool-schemas.ts';

type Endpoint = Pick<DeclaredEndpoint, 'file' | 'area' | 'declaration'>;

/** The folder whose operations models may use. */
const AREA = 'api';

/** The tools by operation id. Throws if a declaration makes an invalid tool. */
export function toolDefinitions(endpoints: readonly Endpoint[]): Readonly<Record<string, ToolDefinition>> {
  const tools = endpoints.flatMap(({ file, area, declaration }) => {
    const { tool, operationId } = declaration;
    if (area !== AREA && tool === undefined) return [];
    if (tool === undefined) throw new Error(`${file} declares no tool: add \`tool\`, or \`tool: 'none'\``);
    if (tool === 'none') return [];
    return [[operationId, definitionOf(file, declaration, tool)] as const];
  });
  const names = tools.map(([, { name }]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two operations declare the tool ${twice}: name one differently`);
  if (tools.length > MCP_LIMITS.tools)
    throw new Error(
      `${tools.length} operations are tools, which reaches the limit of ${MCP_LIMITS.tools}: declare one as 'none'`,
    );
  return Object.fromEntries(tools);
}

function definitionOf(file: string, declaration: Declaration, tool: ToolSpecification<never>): ToolDefinition {
  const { operationId, summary } = declaration;
  const description = `${summary}. ${tool.description}`;
  if (description.length > MCP_LIMITS.descriptionCharacters)
    throw new Error(
      `${file}: the tool's description has ${description.length} characters: shorten it to ${MCP_LIMITS.descriptionCharacters}`,
    );
  return {
    name: tool.name ?? snakeCase(operationId),
    description,
    inputSchema: { type: 'object', ...inputSchemaOf(file, declaration, tool) },
    annotations: annotationsOf(file, declaration, tool),
  };
}

export const snakeCase = (camelCase: string): string =>
  camelCase.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function annotationsOf(
  file: string,
  { permission }: Declaration,
  { hints }: ToolSpecification<never>,
): ToolDefinition['annotations'] {
  const readOnlyHint = !isPermission(permission) || !isWrite(permission);
  const { destructiveHint, idempotentHint, openWorldHint = false } = hints ?? {};
  if (readOnlyHint) return { readOnlyHint, destructiveHint: false, idempotentHint: true, openWorldHint };
  if (destructiveHint === undefined || idempotentHint === undefined)
    throw new Error(`${file}: the tool changes data, so its hints must say whether it is destructive and idempotent`);
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}

const RANGE = ['date_start', 'date_end'];

/** Merges path, query and body into one object. The tool's defaults replace those of the request. */
function inputSchemaOf(file: string, declaration: Declaration, tool: ToolSpecification<never>): object {
  const { pathParameters, query, body } = declaration;
  const { defaults = {}, without = {}, rangeDays } = tool;
  const names = argumentNames(declaration);
  const all = [...names.path, ...names.query, ...names.body];
  refuseTwice(file, all);
  const parts = [pathParameters, query, body instanceof z.ZodObject ? body : z.object(body ? { body } : {})];
  const schemas = parts.map(schemaMembers);
  const shown = all.filter((name) => !Object.hasOwn(without, name));
  const optional = new Set([...Object.keys(defaults), ...(rangeDays === undefined ? [] : RANGE)]);
  const properties = schemas
    .flatMap((schema) => Object.entries(schema.properties))
    .filter(([name]) => shown.includes(name));
  const required = schemas
    .flatMap((schema) => schema.required)
    .filter((name) => shown.includes(name) && !optional.has(name));
  return {
    properties: Object.fromEntries(properties.map(([name, schema]) => [name, described(name, schema, defaults)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function refuseTwice(file: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new Error(`${file}: the tool has two arguments named ${twice}: rename one in the path, query or body`);
}

/** For each id, the tools that return it. The descriptions of requests do not say so. */
const SOURCES: Readonly<Record<string, string>> = {
  projectId: 'From list_projects',
  runId: 'From list_runs or find_run',
  instanceId: 'From get_run, get_context or get_test_results',
  signature: 'From get_context, list_tests, list_flaky_tests or get_test_signature',
  hookId: 'From list_webhooks',
  starting_after: 'The `starting_after` of the last response, for the next page',
};

/** Arguments are JSON, so array parameters have no brackets in their names. */
function described(name: string, schema: Schema, defaults: Arguments): object {
  const { description: said, ...rest } = forModels(schema);
  const description = SOURCES[name] ?? (typeof said === 'string' ? said.replaceAll('[]', '') : undefined);
  return {
    ...rest,
    ...(description === undefined ? {} : { description }),
    ...(Object.hasOwn(defaults, name) ? { default: defaults[name] } : {}),
  };
}
