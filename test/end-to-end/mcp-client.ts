/** A client of the published MCP server, which in turn calls this service. */
import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';
import * as z from 'zod';
import { startUntilStopped, stop } from '#test/infra/local/child.ts';

const SERVER = createRequire(import.meta.url).resolve('@currents/mcp/build/index.js');

const Result = z.object({ id: z.int(), result: z.unknown() });
const ToolResult = z.object({ content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]) });

const children: ChildProcess[] = [];

afterAll(() => Promise.all(children.map(stop)));

export interface McpClient {
  /** Calls a tool. Returns the text that an AI agent would get, parsed as JSON. */
  readonly call: (tool: string, wish: object) => Promise<unknown>;
}

/** Starts an MCP server that runs until the end of the test file. */
export async function mcpClient({
  baseUrl,
  key,
}: {
  readonly baseUrl: string;
  readonly key: string;
}): Promise<McpClient> {
  const child = startUntilStopped([SERVER], { CURRENTS_API_URL: baseUrl, CURRENTS_API_KEY: key });
  children.push(child);
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('The MCP server has no standard input or output');
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  let id = 0;
  const send = (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = async (method: string, params: object): Promise<unknown> => {
    id += 1;
    send({ id, method, params });
    for (;;) {
      const { done, value } = await lines.next();
      if (done) throw new Error(`The MCP server ended before it answered ${method}`);
      const answer = Result.safeParse(JSON.parse(value));
      if (answer.data?.id === id) return answer.data.result;
    }
  };
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  });
  send({ method: 'notifications/initialized' });
  return {
    call: async (name, wish) => {
      const { content } = ToolResult.parse(await request('tools/call', { name, arguments: wish }));
      return JSON.parse(content[0].text);
    },
  };
}
