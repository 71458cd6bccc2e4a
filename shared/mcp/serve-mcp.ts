/** §1 Answers `POST /mcp` with the official SDK. Each request is complete in itself: no sessions, no streams. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ApiActor } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { answerWith, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { decodedBytes } from '#shared/engine/http/body.ts';
import { Content } from '#shared/engine/http/content.ts';
import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import { refuseIntricate } from '#shared/engine/http/json-cost.ts';
import type { Services } from '#shared/services.ts';
import { batchTooLarge, foreignPage } from './errors.ts';
import { instructionsFor } from './instructions.ts';
import { MCP_LIMITS } from './limits.ts';
import { type DefinedTool, serverFor } from './mcp-server.ts';
import type { Tool, ToolDefinition } from './tool.ts';

/** Pairs the tools with the definitions that the build made. Throws if a tool or a definition has no counterpart. */
export function definedTools(
  tools: readonly Tool[],
  definitions: Readonly<Record<string, ToolDefinition>>,
): DefinedTool[] {
  const missing = Object.keys(definitions).filter(
    (id) => !tools.some(({ declaration }) => declaration.operationId === id),
  );
  if (missing.length > 0)
    throw new Error(`functions/mcp/mcp.ts does not list the tools of ${missing.join(', ')}: add them`);
  return tools.map((tool) => {
    const { operationId } = tool.declaration;
    const definition = definitions[operationId];
    if (!definition) throw new Error(`functions/mcp/mcp.ts lists ${operationId}, which declares no tool: remove it`);
    return { ...tool, definition };
  });
}

export interface McpRequest {
  readonly event: ProxyEvent;
  readonly services: Services;
  readonly actor: ApiActor;
}

export async function serveMcp(tools: readonly DefinedTool[], request: McpRequest): Promise<HttpAnswer> {
  try {
    const sent = bodyOf(request.event);
    refuseForeign(request);
    return await answerOf(request, await respond(tools, request, sent));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return answerOf(request, refused(error.statusCode, INVALID_REQUEST, error.message));
  }
}

/** The codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** The text of the body, which is safe to parse. */
function bodyOf(event: ProxyEvent): string {
  const { body, isBase64Encoded } = event;
  const bytes = decodedBytes(
    { body, isBase64Encoded, contentEncoding: header(event, 'content-encoding') },
    MCP_LIMITS.bodyBytes,
  );
  if (bytes.length > 0) refuseIntricate(bytes);
  return bytes.toString('utf8');
}

/** The transport of MCP asks for this check against DNS rebinding. No page of another origin may use a credential. */
function refuseForeign({ event, services }: McpRequest): void {
  const origin = header(event, 'origin');
  if (origin !== undefined && origin !== services.origin) throw foreignPage();
}

async function respond(tools: readonly DefinedTool[], request: McpRequest, sent: string): Promise<Response> {
  const { event, services, actor } = request;
  const parsed = parse(sent);
  if (sent !== '' && parsed === undefined) return refused(400, PARSE_ERROR, 'The body is not valid JSON');
  if (Array.isArray(parsed) && parsed.length > MCP_LIMITS.batch) throw batchTooLarge(MCP_LIMITS.batch);
  const instructions = asksForInstructions(parsed) ? await instructionsFor(services, actor) : undefined;
  const { requestId } = event.requestContext;
  const metered = (): Services => ({ ...services, table: services.table.metered() });
  const handler = createMcpHandler(() => serverFor(tools, { actor, services: metered, requestId }, instructions), {
    keepAliveMs: 0,
    maxRequestBodySize: MCP_LIMITS.bodyBytes,
  });
  return handler.fetch(webRequest(request, sent));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The methods whose answers have instructions: of 2025-11-25 and earlier, and of 2026-07-28. */
const INTRODUCTIONS: readonly unknown[] = ['initialize', 'server/discover'];

const asksForInstructions = (message: unknown): boolean =>
  [message]
    .flat()
    .some((one) => typeof one === 'object' && one !== null && 'method' in one && INTRODUCTIONS.includes(one.method));

function webRequest({ event, services }: McpRequest, body: string): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(event.multiValueHeaders ?? {})) {
    if (FORWARDED.test(name)) for (const value of values) headers.append(name, value);
  }
  const method = event.httpMethod;
  return new Request(`${services.origin}/mcp`, { method, headers, ...(method === 'POST' ? { body } : {}) });
}

/** The headers that the transport reads. The credential is not forwarded. */
const FORWARDED = /^(?:accept|content-type|last-event-id|mcp-[\w-]+)$/i;

const refused = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

async function answerOf({ event }: McpRequest, response: Response): Promise<HttpAnswer> {
  const type = response.headers.get('content-type') ?? 'application/json';
  const allow = response.headers.get('allow');
  return answerWith(new Content('text', type, await response.text()), {
    statusCode: response.status,
    acceptEncoding: header(event, 'accept-encoding') ?? '',
    headers: { 'x-request-id': event.requestContext.requestId, ...(allow === null ? {} : { Allow: allow }) },
    limit: { what: 'The answer', remedies: ['send fewer calls in one batch'] },
  });
}
