/** §1 Answers `POST /mcp` with the official SDK. Requests are independent: no sessions and no streams. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ApiActor } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { answerResult, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { decodeBytes, dropByteOrderMark, getEncodedBody } from '#shared/engine/http/body.ts';
import { Content } from '#shared/engine/http/content.ts';
import { getRequestId, type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';
import { refuseIntricate } from '#shared/engine/http/json-cost.ts';
import { parseJson } from '#shared/engine/json.ts';
import { requireAiConsent } from '#shared/organizations/sharing-settings.ts';
import type { Services } from '#shared/services.ts';
import { batchTooLarge, foreignPage } from './errors.ts';
import { buildInstructions } from './instructions.ts';
import { MCP_LIMITS } from './limits.ts';
import { buildServer, type DefinedTool } from './mcp-server.ts';

export interface McpRequest {
  readonly event: ProxyEvent;
  readonly services: Services;
  readonly actor: ApiActor;
}

export async function serveMcp(tools: readonly DefinedTool[], request: McpRequest): Promise<HttpAnswer> {
  try {
    const body = readBody(request.event);
    const origin = readHeader(request.event, 'origin');
    if (origin !== undefined && origin !== request.services.origin) throw foreignPage();
    await requireAiConsent(request.services, request.actor);
    return await toHttpAnswer(request, await respond(tools, request, body));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code } = error.details;
    const data = code ? { code } : undefined;
    return toHttpAnswer(request, makeRefusal(error.statusCode, INVALID_REQUEST, error.message, data));
  }
}

/** Error codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Returns the text of the body. Throws if it is too large or too complex to be parsed safely. */
function readBody(event: ProxyEvent): string {
  const bytes = dropByteOrderMark(decodeBytes(getEncodedBody(event), MCP_LIMITS.bodyBytes));
  if (bytes.length > 0) refuseIntricate(bytes);
  return bytes.toString('utf8');
}

async function respond(tools: readonly DefinedTool[], request: McpRequest, body: string): Promise<Response> {
  const { event, services, actor } = request;
  const message = parseJson(body);
  if (body !== '' && message === undefined)
    return makeRefusal(400, PARSE_ERROR, 'The body is not valid JSON. Send a JSON-RPC message');
  if (Array.isArray(message) && message.length > MCP_LIMITS.batch) throw batchTooLarge(MCP_LIMITS.batch);
  const instructions = hasIntroduction(message) ? await buildInstructions(services, actor) : undefined;
  const requestId = getRequestId(event);
  const meterServices = (): Services => ({ ...services, table: services.table.metered() });
  const handler = createMcpHandler(
    ({ era }) =>
      buildServer(tools, { actor, services: meterServices, requestId, isModern: era === 'modern' }, instructions),
    { keepAliveMs: 0, maxRequestBodySize: MCP_LIMITS.bodyBytes },
  );
  return handler.fetch(toWebRequest(request, body));
}

/** Methods that answer with instructions: `initialize` up to version 2025-11-25, `server/discover` in 2026-07-28. */
const INTRODUCTIONS: readonly unknown[] = ['initialize', 'server/discover'];

const hasIntroduction = (message: unknown): boolean =>
  [message]
    .flat()
    .some((one) => typeof one === 'object' && one !== null && 'method' in one && INTRODUCTIONS.includes(one.method));

function toWebRequest({ event, services }: McpRequest, body: string): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(event.multiValueHeaders ?? {})) {
    if (FORWARDED.test(name)) for (const value of values) headers.append(name, value);
  }
  if (acceptsJson(event)) headers.set('accept', BOTH_KINDS);
  const method = event.httpMethod;
  return new Request(`${services.origin}/mcp`, { method, headers, body: method === 'POST' ? body : null });
}

/** The transport refuses clients that do not name both. Those that name no streams get its answer as JSON. */
const STREAM = 'text/event-stream';
const BOTH_KINDS = `application/json, ${STREAM}`;
const JSON_RANGES: readonly string[] = ['application/json', 'application/*', '*/*'];

const listAccepted = (event: ProxyEvent): readonly string[] =>
  (readHeader(event, 'accept') ?? '*/*').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase() ?? '');

const acceptsJson = (event: ProxyEvent): boolean => listAccepted(event).some((range) => JSON_RANGES.includes(range));

/** The headers that the transport reads. The credential is not forwarded. */
const FORWARDED = /^(?:accept|content-type|last-event-id|mcp-[\w-]+)$/i;

const makeRefusal = (status: number, code: number, message: string, data?: object): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message, data }, id: null }, { status });

async function toHttpAnswer({ event }: McpRequest, response: Response): Promise<HttpAnswer> {
  const type = response.headers.get('content-type') ?? 'application/json';
  const allow = response.headers.get('allow');
  const text = await response.text();
  const isUnfit = type.startsWith(STREAM) && !listAccepted(event).includes(STREAM);
  const content = isUnfit ? makeJsonOfStream(text) : new Content('text', type, text);
  const headers = { 'x-request-id': getRequestId(event) };
  return answerResult(content, {
    statusCode: response.status,
    acceptEncoding: readHeader(event, 'accept-encoding') ?? '',
    headers: allow === null ? headers : { ...headers, Allow: allow },
    limit: { what: 'The answer', remedies: ['send fewer calls in one batch'] },
  });
}

/** The stream has ended. Each line of data is one message. */
function makeJsonOfStream(text: string): Content {
  const messages = text.split('\n').flatMap((line) => (line.startsWith(DATA) ? line.slice(DATA.length) : []));
  return new Content('text', 'application/json', messages.length === 1 ? messages.join() : `[${messages.join(',')}]`);
}
const DATA = 'data: ';
