import { expect, test } from 'vitest';
import { demo, recordUntil } from '#test/infra/local/recorded-demo.ts';
import { agentPath } from './agent-path.ts';
import { callTool } from './agents.ts';

test('An agent needs at most 4 calls and 12,000 characters to find the error, the failed step and the page state of the last failure on main', async () => {
  const told = await demo({ story: true });
  await recordUntil(told, 2);
  const { origin } = told.here;
  const key = told.apiKeys.readOnly;
  const call = async (name: string, args: object) => (await callTool(origin, key, name, args)).text;
  const { calls, characters, text } = await agentPath(call, 'Shop');
  expect(calls).toBeLessThanOrEqual(4);
  expect(characters).toBeLessThanOrEqual(12_000);
  expect(text).toContain('## Error\n');
  expect(text).toContain('<<< FAILED');
  expect(text).toMatch(/## Error Context\n\n```+\n# Test info/);
});
