import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { bind, portOf } from '#infra/local/http-server.ts';
import { start, temporaryFolder } from './child.ts';

const LocalFile = z.object({ baseUrl: z.string(), apiKeys: z.object({ readWrite: z.string() }) });

async function freePort(): Promise<number> {
  const server = createServer();
  await bind(server, 0);
  const port = portOf(server);
  server.close();
  return port;
}

/** Starts the real app and lets `use` have it until it is stopped by Ctrl-C; answers what it printed. */
async function whileRunning(folder: string, port: number, use: (file: z.infer<typeof LocalFile>) => Promise<void>) {
  const child = start(['infra/local/start.ts'], { RUNDOWN_DATA: folder, PORT: String(port) });
  const output: string[] = [];
  child.stderr?.on('data', (chunk) => output.push(String(chunk)));
  if (!child.stdout) throw new Error('The service has no standard output');
  for await (const line of createInterface(child.stdout)) {
    output.push(line);
    if (line.startsWith('Rundown is ready')) {
      await use(LocalFile.parse(JSON.parse(await readFile(join(folder, 'local.json'), 'utf8'))));
      child.kill('SIGINT');
    }
  }
  if (child.exitCode === null) await once(child, 'exit');
  expect({ status: child.exitCode, output: output.join('\n') }).toMatchObject({ status: 0 });
  return output.join('\n');
}

test('npm start serves the app, stops at Ctrl-C and finds the same data when it starts again', {
  timeout: 60_000,
}, async () => {
  const folder = join(await temporaryFolder(), 'data');
  const port = await freePort();
  const projects = async ({ baseUrl, apiKeys }: z.infer<typeof LocalFile>) => {
    const response = await fetch(`${baseUrl}/projects`, { headers: { authorization: `Bearer ${apiKeys.readWrite}` } });
    expect(response.status).toBe(200);
    return response.json();
  };
  let first: unknown;
  const output = await whileRunning(folder, port, async (file) => {
    first = await projects(file);
    expect(file.baseUrl).toBe(`http://127.0.0.1:${port}/v1`);
  });
  const { baseUrl, apiKeys } = LocalFile.parse(JSON.parse(await readFile(join(folder, 'local.json'), 'utf8')));
  expect(output).toContain(`curl -H 'Authorization: Bearer ${apiKeys.readWrite}' ${baseUrl}/projects`);
  expect(output).not.toContain('Warning');
  expect(await readdir(folder)).not.toContain('lock.json');
  await whileRunning(folder, port, async (file) => {
    expect(file.apiKeys).toEqual(apiKeys);
    expect(await projects(file)).toEqual(first);
  });
});
