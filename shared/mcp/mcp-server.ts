/** The MCP server of one request. It keeps no state: each request brings its credential. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { ApiActor } from '#shared/access/actor.ts';
import { may } from '#shared/access/may.ts';
import { ApiError } from '#shared/engine/errors.ts';
import type { Services } from '#shared/services.ts';
import type { Arguments, Tool, ToolDefinition } from './tool.ts';

export interface DefinedTool extends Tool {
  readonly definition: ToolDefinition;
}

export interface ToolSession {
  readonly actor: ApiActor;
  /** Each call of a tool gets its own meter. */
  readonly services: () => Services;
  readonly requestId: string;
}

/** §9 The version of the API, because the tools are its operations. */
const NAME = { name: 'rundown', title: 'Rundown', version: '1.0.0' };

export function serverFor(
  tools: readonly DefinedTool[],
  session: ToolSession,
  instructions: string | undefined,
): Server {
  const server = new Server(NAME, {
    capabilities: { tools: {} },
    ...(instructions === undefined ? {} : { instructions }),
  });
  const allowed = tools.filter(
    ({ declaration: { permission } }) => permission === 'public' || may(session.actor, permission),
  );
  server.setRequestHandler('tools/list', () => ({ tools: allowed.map(({ definition }) => ({ ...definition })) }));
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }) => {
    const tool = tools.find(({ definition }) => definition.name === name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name));
    return call(tool, session, args);
  });
  return server;
}

const SHOWN_CHARACTERS = 64;
const unknownTool = (name: string): string =>
  `Unknown tool ${JSON.stringify(name.slice(0, SHOWN_CHARACTERS).toWellFormed())}. Call tools/list for the tools that you may use`;

const textResult = (text: string, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(isError ? { isError } : {}),
});

async function call(
  tool: DefinedTool,
  { actor, services, requestId }: ToolSession,
  args: Arguments,
): Promise<CallToolResult> {
  try {
    return textResult(await tool.invoke({ services: services(), actor, args, requestId }), false);
  } catch (error) {
    if (error instanceof ApiError) return textResult(refusal(error), true);
    // The error is in the log only, because its message may quote data of other organizations.
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `Internal error. Retry; if it persists, give your operator the request id ${requestId}`,
    );
  }
}

/** §7 The members of an error body that a model needs. */
const refusal = ({ message, details: { code, body = {} } }: ApiError): string =>
  JSON.stringify({ error: message, ...(code === undefined ? {} : { code }), ...body });
