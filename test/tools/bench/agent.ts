/**
 * Measures an agent that investigates a failure of the demo, and one that answers ten questions: the number of calls, the
 * number of characters in the answers, and the size of the tool list.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLocalFile } from '#infra/demo/demo-organization.ts';
import { recordStory } from '#infra/demo/recording/record-story.ts';
import { agentPath } from '#test/mcp/agent-path.ts';
import { ask, callTool } from '#test/mcp/agents.ts';
import { askTenQuestions } from '#test/mcp/ten-questions.ts';
import { connectJira } from '#test/tools/examples/issue-conversation.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';

const MINUTE_MILLISECONDS = 60_000;

export async function measureAgent(service: BenchService): Promise<Measurement[]> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'rundown-bench-agent-'));
  try {
    return await measure(service, dataDirectory);
  } finally {
    await rm(dataDirectory, { recursive: true });
  }
}

async function measure(service: BenchService, dataDirectory: string): Promise<Measurement[]> {
  const { origin, services } = service;
  const addresses = { origin, baseUrl: `${origin}/v1`, oauth: { issuer: origin }, store: 'bench', story: true };
  const { apiKeys, recordUrl, organizationId } = await writeLocalFile({ services, dataDirectory, ...addresses });
  const stopped = new AbortController();
  const now = () => Date.now() + MINUTE_MILLISECONDS;
  await recordStory({
    services,
    dataDirectory,
    recorder: { recordUrl, recordKey: apiKeys.readWrite, now },
    signal: stopped.signal,
    // The run in progress is recorded in real time, and would go on for minutes.
    onProgress: (recorded, total) => void (recorded === total && stopped.abort()),
  });
  const call = async (name: string, args: object) => (await callTool(origin, apiKeys.readOnly, name, args)).text;
  const { calls, characters } = await agentPath(call, 'Shop');
  await service.costOfSchedule('rundown-dev-mergeAnalytics');
  await connectJira({ ...services, privateReceivers: 'machine' }, organizationId, service.environment);
  const ten = await askTenQuestions(origin, apiKeys.readWrite, 'Shop');
  const note = ten.incompleteQuestions.join(' ');
  const { result } = await ask(origin, apiKeys.readWrite, 'tools/list');
  return [
    { name: 'agentCalls', measured: calls },
    { name: 'agentCharacters', measured: characters, note: 'error, failed step and page state' },
    { name: 'incompleteQuestions', measured: ten.incompleteQuestions.length, note },
    { name: 'questionCalls', measured: ten.calls },
    { name: 'questionCharacters', measured: ten.characters },
    { name: 'toolListKilobytes', measured: JSON.stringify(result).length / 1000 },
  ];
}
