/** The MCP server for one request. It keeps no state, because each request contains its credential. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { ApiActor } from '#shared/access/actor.ts';
import { may } from '#shared/access/may.ts';
import { ApiError } from '#shared/engine/errors.ts';
import type { Services } from '#shared/services.ts';
import { MCP_LIMITS } from './limits.ts';
import type { Arguments, Tool, ToolDefinition } from './tool.ts';

/** Adds the definitions generated at build time. Throws if a tool or a definition has no counterpart. */
export function defineTools(
  tools: readonly Tool[],
  definitions: Readonly<Record<string, ToolDefinition>>,
): DefinedTool[] {
  const missingIds = Object.keys(definitions).filter(
    (id) => !tools.some(({ declaration }) => declaration.operationId === id),
  );
  if (missingIds.length > 0)
    throw new Error(`functions/mcp/mcp.ts does not list the tools of ${missingIds.join(', ')}: add them`);
  return tools.map((tool) => {
    const { operationId } = tool.declaration;
    const definition = definitions[operationId];
    if (!definition) throw new Error(`functions/mcp/mcp.ts lists ${operationId}, which declares no tool: remove it`);
    return { ...tool, definition };
  });
}

export interface DefinedTool extends Tool {
  readonly definition: ToolDefinition;
}

interface ToolSession {
  readonly actor: ApiActor;
  /** Called for each tool call, so that the cost of its table requests is measured separately. */
  readonly services: () => Services;
  readonly requestId: string;
  /** Whether the request has the protocol version 2026-07-28 or a later one. */
  readonly isModern: boolean;
}

/** §9 The version of the server is that of the API, because its tools are operations of the API. */
const NAME = { name: 'rundown', title: 'Rundown', version: '1.0.0' };

export function buildServer(
  tools: readonly DefinedTool[],
  session: ToolSession,
  instructions: string | undefined,
): Server {
  const server = new Server(NAME, {
    capabilities: { tools: {} },
    cacheHints: { 'tools/list': { ttlMs: MCP_LIMITS.listMilliseconds, cacheScope: 'private' } },
    ...(instructions === undefined ? {} : { instructions }),
  });
  const allowedTools = tools.filter(
    ({ declaration: { permission } }) => permission === 'public' || may(session.actor, permission),
  );
  server.setRequestHandler('tools/list', () => ({ tools: allowedTools.map(({ definition }) => ({ ...definition })) }));
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }) => {
    const tool = tools.find(({ definition }) => definition.name === name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeUnknownTool(name));
    return callTool(tool, session, args);
  });
  return server;
}

const SHOWN_CHARACTERS = 64;
const describeUnknownTool = (name: string): string =>
  `Unknown tool ${JSON.stringify(name.slice(0, SHOWN_CHARACTERS).toWellFormed())}. Call tools/list for the tools that you may use`;

const makeTextResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

async function callTool(
  tool: DefinedTool,
  { actor, services, requestId, isModern }: ToolSession,
  args: Arguments,
): Promise<CallToolResult> {
  try {
    const { text, structured, picture } = await tool.invoke({ services: services(), actor, args, requestId });
    const { content } = makeTextResult(text);
    return {
      content: picture ? [...content, { type: 'image', ...picture }] : content,
      ...(structured && isModern ? { structuredContent: { ...structured } } : {}),
    };
  } catch (error) {
    if (error instanceof ApiError) return { ...makeTextResult(formatRefusal(error)), isError: true };
    // The client gets a general message, because the message of the error may quote data of other organizations.
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `Internal error. Retry; if the error persists, give your operator the request id ${requestId}`,
    );
  }
}

/** §7 The fields of an error body that a model needs. */
const formatRefusal = ({ message, details: { code, body = {} } }: ApiError): string =>
  JSON.stringify({ error: message, ...(code === undefined ? {} : { code }), ...body });
