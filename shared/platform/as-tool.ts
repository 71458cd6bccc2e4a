/** Turns an operation into an MCP tool, with the same permission, schemas, handler and response as an HTTP request. */
import { errorFor } from '#shared/access/denial.ts';
import { refusalOf } from '#shared/access/may.ts';
import { ApiError } from '#shared/engine/errors.ts';
import type { AnswerLimit } from '#shared/engine/http/answer.ts';
import type { QuerySchema } from '#shared/engine/http/query.ts';
import { queueable } from '#shared/engine/queueable.ts';
import { answerText } from '#shared/mcp/answer-text.ts';
import { insufficientScope, refusedArgument, repeatedArgument, unknownArgument } from '#shared/mcp/errors.ts';
import type { Arguments, Tool, ToolCall, ToolSpecification } from '#shared/mcp/tool.ts';
import type { Services } from '#shared/services.ts';
import { type ArgumentNames, argumentNames } from './argument-names.ts';
import type { Declaration, Parts } from './declaration.ts';
import { logRequest } from './log.ts';
import { validated } from './request.ts';

/** An endpoint whose operation models can call as a tool. */
interface Operation {
  readonly declaration: Declaration;
  /** Runs the operation. `shown` is the response in the shortened form that models get. */
  readonly respondToModel: (
    parts: Parts,
    services: Services,
  ) => Promise<{ readonly shown: unknown; readonly limit: Pick<AnswerLimit, 'remedies'> }>;
}

/** Creates the tool of an operation. Only the Lambda function for MCP bundles this file. */
export const asTool = ({ declaration, respondToModel }: Operation): Tool => ({
  declaration,
  invoke: async ({ services, actor, args, requestId }) => {
    const { tool } = declaration;
    if (tool === undefined || tool === 'none') throw new Error(`${declaration.operationId} is not a tool`);
    const line = { ...declaration, event: { requestContext: { requestId } }, actor, meter: services.table.meter };
    try {
      refuse(declaration, actor);
      const parts = {
        ...partsOf(declaration, tool, args, services.now()),
        actor,
        header: () => undefined,
        isTool: true,
      };
      const { shown, limit } = await respondToModel(parts, services);
      logRequest({ ...line, statusCode: declaration.success });
      return answerText({ result: shown, next: tool.next, remedies: limit.remedies });
    } catch (error) {
      logRequest({ ...line, statusCode: error instanceof ApiError ? error.statusCode : 500, error });
      throw error;
    }
  },
});

/**
 * Throws if the actor may not use the operation. This check is needed because the authorizer only checks the permission
 * `mcp:use`.
 */
function refuse({ permission }: Declaration, actor: ToolCall['actor']): void {
  if (permission === 'public') return;
  const refusal = refusalOf(actor, permission);
  if (!refusal) return;
  throw 'missing' in refusal ? insufficientScope(refusal.missing) : errorFor(refusal.denial);
}

/** Splits the arguments into path parameters, query parameters and body, and validates each of these parts. */
function partsOf(declaration: Declaration, tool: ToolSpecification<never>, sent: Arguments, now: number) {
  const { pathParameters, query, body, ignores = () => [] } = declaration;
  const names = argumentNames(declaration);
  const args = {
    ...tool.defaults,
    ...rangeOf(tool, now),
    ...named(sent, names, tool),
  };
  const ignored = new Set(ignores((name) => Object.hasOwn(args, name)));
  const asked = names.query.filter((name) => !ignored.has(name) && Object.hasOwn(args, name));
  const json = names.isNested ? args['body'] : picked(args, names.body);
  return {
    path: validated(pathParameters, picked(args, names.path)),
    query: validated<QuerySchema>(query, Object.fromEntries(asked.map((name) => [name, wellFormed(args[name])]))),
    body: body && validated(body, json),
    sent: body && json,
  };
}

/**
 * The values of the arguments, by declared name. Accepts other spellings, such as `runId` for `run_id`. A path or query
 * parameter that is null counts as missing.
 */
function named(
  sent: Arguments,
  { path, query, body }: ArgumentNames,
  { without = {} }: ToolSpecification<never>,
): Arguments {
  const known = [...path, ...query, ...body];
  const values = new Map<string, unknown>();
  for (const [spelling, value] of Object.entries(sent)) {
    const name = known.find((one) => one === spelling) ?? known.find((one) => plain(one) === plain(spelling));
    if (name === undefined)
      throw unknownArgument(
        spelling,
        known.filter((one) => !Object.hasOwn(without, one)),
      );
    if (value === null && !body.includes(name)) continue;
    if (Object.hasOwn(without, name)) throw refusedArgument(name, without[name] ?? '');
    if (values.has(name)) throw repeatedArgument(name);
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

/** Replaces the characters that SQS and UTF-8 do not allow, as in the query of an HTTP request. */
function wellFormed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wellFormed);
  return typeof value === 'string' ? queueable(value) : value;
}

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

const picked = (args: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(args, name)).map((name) => [name, args[name]]));

/** The default time range of a tool. Models do not know the current time, so they need a default. */
function rangeOf({ rangeDays }: ToolSpecification<never>, now: number): Arguments {
  if (rangeDays === undefined) return {};
  const iso = (time: number): string => new Date(time).toISOString();
  return { date_start: iso(now - rangeDays * MILLISECONDS_A_DAY), date_end: iso(now + MILLISECONDS_A_DAY) };
}

const MILLISECONDS_A_DAY = 86_400_000;
