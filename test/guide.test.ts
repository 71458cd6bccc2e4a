/**
 * Runs the shell commands in `functions/README.md` in order, against a service with a part of the recorded demo suite.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LocalFile } from '#infra/demo/demo-organization.ts';
import { deliverEvents } from '#test/harness/service.ts';
import { token } from './harness/people.ts';
import { loadReduced, namesFor, replay } from './harness/recording-replay.ts';
import { service } from './harness/service.ts';
import { temporaryFolder } from './infra/local/child.ts';

deliverEvents();

const GUIDE = join(import.meta.dirname, '../functions/README.md');
/** Selects a part of the demo suite that has passed, flaky, failed and skipped tests. */
const isNeeded = ({ group, spec }: { group: string; spec: string }) =>
  ['retail cart.spec.ts', 'wholesale price-import.spec.ts'].includes(`${group} ${spec}`);
/** Separates the output of two code blocks. */
const END_OF_BLOCK = '--- end of block';

const shellBlocks = (markdown: string): string[] =>
  [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

async function runInShell(script: string, cwd: string): Promise<{ status: number | null; output: string }> {
  const child = spawn('sh', ['-eu'], { cwd });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)));
  child.stdin.end(script);
  await once(child, 'close');
  return { status: child.exitCode, output: chunks.join('') };
}

test('the shell commands of the API guide succeed, and no list that they print is empty, except that of tests to which no runner has applied a rule', async () => {
  const stage = await service();
  const { origin, projectId, keys } = stage;
  const names = namesFor({ projectId, keys }, 'build-1');
  await replay(origin, await loadReduced(isNeeded), names);
  const folder = await temporaryFolder();
  const { value: personalAccessToken } = await token(stage);
  const local: Pick<LocalFile, 'baseUrl' | 'recordUrl' | 'mcpUrl' | 'projects' | 'apiKeys' | 'personalAccessToken'> = {
    personalAccessToken,
    baseUrl: `${origin}/v1`,
    recordUrl: origin,
    mcpUrl: `${origin}/mcp`,
    projects: [{ projectId, name: 'Shop' }],
    apiKeys: keys,
  };
  await mkdir(join(folder, '.rundown'));
  await writeFile(join(folder, '.rundown/local.json'), JSON.stringify(local));
  const blocks = shellBlocks(await readFile(GUIDE, 'utf8'));
  const script = blocks.map((block) => `${block}\necho; echo '${END_OF_BLOCK}'\n`).join('');
  const { status, output } = await runInShell(script, folder);
  expect(status, output).toBe(0);
  expect(blocks.length).toBeGreaterThan(5);
  expect(output).not.toContain('undefined');
  expect(output.match(/"(?:data|list)":\[\]/g)).toEqual(['"list":[]']);
  expect(output.split(END_OF_BLOCK)).toHaveLength(blocks.length + 1);
});
