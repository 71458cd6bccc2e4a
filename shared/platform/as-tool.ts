/** Turns an operation into an MCP tool, with the same permission, schemas, handler and response as an HTTP request. */
import * as z from 'zod';
import { makeDenialError } from '#shared/access/denial.ts';
import { findRefusal } from '#shared/access/may.ts';
import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';
import { ApiError } from '#shared/engine/errors.ts';
import type { AnswerLimit } from '#shared/engine/http/answer.ts';
import type { QuerySchema } from '#shared/engine/http/query.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
import { formatAnswer } from '#shared/mcp/answer-text.ts';
import { adaptArgument, normalizeSpelling } from '#shared/mcp/argument-values.ts';
import {
  addRemedy,
  insufficientScope,
  refusedArgument,
  repeatedArgument,
  unknownArgument,
} from '#shared/mcp/errors.ts';
import type { Arguments, Sight, Tool, ToolCall, ToolSpecification } from '#shared/mcp/tool.ts';
import type { Services } from '#shared/services.ts';
import { type ArgumentNames, listArgumentNames, listOwnArguments } from './argument-names.ts';
import type { Declaration, Parts } from './declaration.ts';
import { logRequest } from './log.ts';
import { validatePart } from './request.ts';

/** An endpoint whose operation models can call as a tool. */
interface Operation {
  readonly declaration: Declaration;
  /** Runs the operation. `shown` is the response in the shortened form that models get. */
  readonly respondToModel: (
    parts: Parts,
    services: Services,
    seesScreenshot: boolean,
  ) => Promise<{
    readonly shown: unknown;
    readonly note?: string | undefined;
    readonly sight?: Sight | undefined;
    readonly limit: Pick<AnswerLimit, 'remedies'>;
  }>;
}

/** Only the Lambda function for MCP bundles this file. */
export const toTool = ({ declaration, respondToModel }: Operation): Tool => ({
  declaration,
  invoke: async ({ services, actor, args, requestId }) => {
    const { tool } = declaration;
    if (tool === undefined || tool === 'none') throw new Error(`${declaration.operationId} is not a tool`);
    const line = { ...declaration, event: { requestContext: { requestId } }, actor, meter: services.table.meter };
    try {
      checkPermission(declaration, actor);
      const { seesScreenshot, ...sentParts } = splitArguments(declaration, tool, args, services.now());
      const parts = { ...sentParts, actor, header: () => undefined, isTool: true };
      const { shown, note, sight, limit } = await respondToModel(parts, services, seesScreenshot);
      logRequest({ ...line, statusCode: declaration.success });
      const missingSight = sight && 'note' in sight ? sight.note : undefined;
      const answer = formatAnswer({
        result: shown,
        note: note ?? missingSight,
        next: tool.next,
        remedies: limit.remedies,
      });
      return sight && 'data' in sight ? { ...answer, picture: sight } : answer;
    } catch (error) {
      logRequest({ ...line, statusCode: error instanceof ApiError ? error.statusCode : 500, error });
      throw error instanceof ApiError ? addRemedy(error) : error;
    }
  },
});

/** Needed because the authorizer only checks the permission `mcp:use`. */
function checkPermission({ permission }: Declaration, actor: ToolCall['actor']): void {
  if (permission === 'public') return;
  const refusal = findRefusal(actor, permission);
  if (!refusal) return;
  throw 'missing' in refusal ? insufficientScope(refusal.missing) : makeDenialError(refusal.denial);
}

/** Splits the arguments into path parameters, query parameters and body, and validates each of these parts. */
function splitArguments(
  declaration: Declaration,
  tool: ToolSpecification<never>,
  sentArguments: Arguments,
  now: number,
) {
  const { pathParameters, query, body, ignores = () => [] } = declaration;
  const names = listArgumentNames(declaration);
  const args = {
    ...tool.defaults,
    ...makeDefaultRange(tool, now),
    ...resolveNames(sentArguments, names, tool, listSchemas(declaration)),
  };
  const ignoredNames = new Set(ignores((name) => Object.hasOwn(args, name)));
  const queryNames = names.query.filter((name) => !ignoredNames.has(name) && Object.hasOwn(args, name));
  const queryArguments = Object.fromEntries(queryNames.map((name) => [name, replaceInvalidInValue(args[name])]));
  const json = names.isNested ? args['body'] : pickArguments(args, names.body);
  const ownArguments = validatePart(z.object(listOwnArguments(tool)), pickArguments(args, names.own));
  return {
    path: validatePart(pathParameters, pickArguments(args, names.path)),
    query: validatePart<QuerySchema>(query, queryArguments),
    body: body && validatePart(body, json),
    sent: body && json,
    seesScreenshot: ownArguments['screenshot'] === true,
  };
}

/**
 * The values of the arguments, by declared name. Accepts other spellings, such as `runId` for `run_id`. A path or query
 * parameter that is null counts as missing.
 */
function resolveNames(
  sentArguments: Arguments,
  { path, query, body, own }: ArgumentNames,
  { without = {} }: ToolSpecification<never>,
  schemas: Readonly<Record<string, z.ZodType>>,
): Arguments {
  const knownNames = [...path, ...query, ...body, ...own];
  const values = new Map<string, unknown>();
  for (const [spelling, value] of Object.entries(sentArguments)) {
    const name =
      knownNames.find((one) => one === spelling) ??
      knownNames.find((one) => normalizeSpelling(one) === normalizeSpelling(spelling));
    if (name === undefined)
      throw unknownArgument(
        spelling,
        knownNames.filter((one) => !Object.hasOwn(without, one)),
      );
    if (value === null && !body.includes(name)) continue;
    if (Object.hasOwn(without, name)) throw refusedArgument(name, without[name] ?? '');
    if (values.has(name)) throw repeatedArgument(name);
    values.set(name, adaptArgument(name, value, schemas[name]));
  }
  return Object.fromEntries(values);
}

/** The characters that SQS and UTF-8 do not allow, as in the query of an HTTP request. */
function replaceInvalidInValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaceInvalidInValue);
  return typeof value === 'string' ? replaceInvalidCharacters(value) : value;
}

/** By name of the argument. */
const listSchemas = ({ pathParameters, query, body, tool }: Declaration): Readonly<Record<string, z.ZodType>> => ({
  ...pathParameters.shape,
  ...query.shape,
  ...listOwnArguments(tool),
  ...(body instanceof z.ZodObject ? body.shape : body && { body }),
});

const pickArguments = (args: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(args, name)).map((name) => [name, args[name]]));

/** Models do not know the current time, so they need a default. */
function makeDefaultRange({ rangeDays }: ToolSpecification<never>, now: number): Arguments {
  if (rangeDays === undefined) return {};
  const iso = (time: number): string => new Date(time).toISOString();
  return { date_start: iso(now - rangeDays * DAY_MILLISECONDS), date_end: iso(now + DAY_MILLISECONDS) };
}
