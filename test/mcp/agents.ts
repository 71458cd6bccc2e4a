/** Agents that speak MCP to the service: the official client libraries, version 1 and version 2, and plain JSON-RPC. */
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as z from 'zod';
import { type Answer, client } from '#test/harness/client.ts';

interface Agent {
  readonly instructions: string | undefined;
  readonly tools: () => Promise<readonly string[]>;
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>;
  readonly close: () => Promise<void>;
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

type Connect = (origin: string, credential: string) => Promise<Agent>;

const MODERN = '2026-07-28';
const ABOUT = { name: 'test', version: '1.0.0' };
const init = (credential: string) => ({ requestInit: { headers: { authorization: `Bearer ${credential}` } } });
const endpoint = (origin: string) => new URL('/mcp', origin);

const Result = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().default(false),
});

function answerIn(result: unknown): ToolAnswer {
  const { content, isError } = Result.parse(result);
  return { text: content[0].text, isError };
}

const connectOld: Connect = async (origin, credential) => {
  const client = new OldClient(ABOUT);
  await client.connect(new OldTransport(endpoint(origin), init(credential)));
  return {
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => answerIn(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
};

const connectNew =
  (mode: 'legacy' | 'auto'): Connect =>
  async (origin, credential) => {
    const client = new NewClient(ABOUT, { versionNegotiation: { mode } });
    await client.connect(new NewTransport(endpoint(origin), init(credential)));
    return {
      instructions: client.getInstructions(),
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => answerIn(await client.callTool({ name, arguments: { ...args } })),
      close: () => client.close(),
    };
  };

/** The official client libraries by version and protocol. */
export const AGENTS: Readonly<Record<string, Connect>> = {
  'version 1 of the official client': connectOld,
  'version 2 of the official client, in the protocol of 2025': connectNew('legacy'),
  'version 2 of the official client, in the protocol of 2026': connectNew('auto'),
};

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export const sendRaw = (
  origin: string,
  credential: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => client(origin, credential).send('POST', '@/mcp', body, { headers: { ...HEADERS, ...headers } });

/** Sends one JSON-RPC request in protocol version 2026-07-28, whose requests have their method and tool in headers. */
export function sendModern(
  origin: string,
  credential: string,
  request: { readonly method: string; readonly params?: object },
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { method, params = {} } = request;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': ABOUT,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
  const own: Record<string, string> = { 'mcp-protocol-version': MODERN, 'mcp-method': method };
  if ('name' in params) own['mcp-name'] = String(params.name);
  return sendRaw(origin, credential, body, { ...own, ...headers });
}

/** Returns the messages in a response. The 2025 version of the protocol wraps messages in server-sent events. */
export function messagesIn({ body }: Answer) {
  if (typeof body !== 'string') return [body].flat();
  return body
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));
}

/** Sends one JSON-RPC request, and returns the response message. */
export async function ask(origin: string, credential: string, method: string, params: object = {}) {
  const answer = await sendRaw(origin, credential, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return { ...messagesIn(answer)[0], status: answer.status };
}

export async function callTool(
  origin: string,
  credential: string,
  name: string,
  args: object = {},
): Promise<ToolAnswer> {
  const { result, error } = await ask(origin, credential, 'tools/call', { name, arguments: args });
  if (result === undefined) throw new Error(`The call of ${name} has no result: ${JSON.stringify(error)}`);
  return answerIn(result);
}

export const toolsOf = async (origin: string, credential: string): Promise<string[]> => {
  const { result } = await ask(origin, credential, 'tools/list');
  return z
    .object({ tools: z.array(z.object({ name: z.string() })) })
    .parse(result)
    .tools.map(({ name }) => name);
};
