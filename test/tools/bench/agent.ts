/**
 * Measures an agent that investigates a failure of the demo: the number of its calls, the number of characters in the
 * answers, and the size of the tool list.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLocalFile } from '#infra/demo/demo-organization.ts';
import { recordStory } from '#infra/demo/recording/record-story.ts';
import { agentPath } from '#test/mcp/agent-path.ts';
import { ask, callTool } from '#test/mcp/agents.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';

/** The number of runs to record. They are the newest runs of the demo, some of which failed on main. */
const RUNS = 4;
const MINUTE_MILLISECONDS = 60_000;

export async function measureAgent(service: BenchService): Promise<Measurement[]> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'rundown-bench-agent-'));
  try {
    return await measure(service, dataDirectory);
  } finally {
    await rm(dataDirectory, { recursive: true });
  }
}

async function measure({ origin, services }: BenchService, dataDirectory: string): Promise<Measurement[]> {
  const addresses = { origin, baseUrl: `${origin}/v1`, oauth: { issuer: origin }, store: 'bench', story: true };
  const { apiKeys, recordUrl } = await writeLocalFile({ services, dataDirectory, ...addresses });
  const stopped = new AbortController();
  const now = () => Date.now() + MINUTE_MILLISECONDS;
  await recordStory({
    services,
    dataDirectory,
    recorder: { recordUrl, recordKey: apiKeys.readWrite, now },
    signal: stopped.signal,
    onProgress: (recorded) => void (recorded >= RUNS && stopped.abort()),
  });
  const call = async (name: string, args: object) => (await callTool(origin, apiKeys.readOnly, name, args)).text;
  const { calls, characters } = await agentPath(call, 'Shop');
  const { result } = await ask(origin, apiKeys.readWrite, 'tools/list');
  return [
    { name: 'agentCalls', measured: calls },
    { name: 'agentCharacters', measured: characters, note: 'error, failed step and page state' },
    { name: 'toolListKilobytes', measured: JSON.stringify(result).length / 1000 },
  ];
}
